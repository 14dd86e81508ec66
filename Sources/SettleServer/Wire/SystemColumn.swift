/// The members that the server keeps on every item.
///
/// > Source: Azure Mobile Apps table protocol 2.0.0.
enum SystemColumn: String, CaseIterable, Sendable {
    case id
    case createdAt
    case updatedAt
    case version
    case deleted

    /// The column that a body must not set, for a member's name in any case.
    ///
    /// `id` names the item and `version` states what the sender has seen; both may be in a body.
    static func reserved(_ name: String) -> SystemColumn? {
        [.createdAt, .updatedAt, .deleted].first { $0.rawValue.lowercased() == name.lowercased() }
    }
}
