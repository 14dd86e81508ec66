import SettleDocuments

/// Which part of a document a path of member names means.
///
/// `id` is the identifier, as in a document's JSON. So is `_id`, which is CouchDB's name for it,
/// unless the document has a member of that name. Where paths are CouchDB's, `_id` is always the
/// identifier, and `id` a member.
enum MemberPlace: Sendable {
    case id
    case member(PackedPath)
    /// The member of that name, or else the identifier.
    case memberOrID(PackedPath)

    /// What a place holds in one document.
    enum Found {
        case absent
        case id
        /// Where the value lies in the packed members.
        case value(Range<Int>)
    }

    init(_ path: [String], _ identifier: IdentifierName = .own) {
        switch path {
        case [identifier.rawValue]: self = .id
        case ["_id"]: self = .memberOrID(PackedPath(path))
        default: self = .member(PackedPath(path))
        }
    }

    /// Finds the place in packed members.
    ///
    /// - Throws: `PackedError` when something it touches is damaged.
    @inline(__always)
    func find(in body: Span<UInt8>) throws(PackedError) -> Found {
        switch self {
        case .id: return .id
        case .member(let path):
            guard let range = try path.range(in: body, 0..<body.count) else { return .absent }
            return .value(range)
        case .memberOrID(let path):
            guard let range = try path.range(in: body, 0..<body.count) else { return .id }
            return .value(range)
        }
    }
}
