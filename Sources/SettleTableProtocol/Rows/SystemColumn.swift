/// The members that a server of versions 2 and 3 keeps on every item.
///
/// > Source: Azure Mobile Apps table protocol 2.0.0.
package enum SystemColumn: String, CaseIterable, Sendable {
    case id
    case createdAt
    case updatedAt
    case version
    case deleted

    /// All of them, ascending by the bytes of their names.
    package static let inOrderOfNames = allCases.sorted {
        $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8)
    }
    /// All but ``createdAt``, ascending by the bytes of their names.
    package static let withoutCreation = inOrderOfNames.filter { $0 != .createdAt }

    /// How many bytes their names have, so that most other names are told from them at once.
    package static let nameLengths = Set(allCases.map(\.rawValue.utf8.count))

    /// The column that a body of version 2 must not set, for a member's name in any case.
    ///
    /// `id` names the item and `version` states what the sender has seen; both may be in a body.
    package static func reserved(_ name: String) -> SystemColumn? {
        [SystemColumn.createdAt, .updatedAt, .deleted].first { $0.isNamed(name) }
    }

    /// Whether a member of a body of version 3 is overwritten by the server, its name in any case.
    ///
    /// `createdAt` is not: version 3 does not have it, so it is a member like others there.
    package static func isOverwritten(_ name: String) -> Bool {
        [SystemColumn.updatedAt, .version, .deleted].contains { $0.isNamed(name) }
    }

    private func isNamed(_ name: String) -> Bool {
        rawValue.lowercased() == name.lowercased()
    }
}
