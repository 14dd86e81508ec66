import Settle
import SettleTableProtocol

/// The columns that a table keeps for itself, and how members of the same names travel.
///
/// A document may have a member `version`, but the table has a column of that name. Such members
/// travel with a mark in front (`version` as `_version`), and so that `_version` is not taken for
/// one of them, it travels with one more (`__version`). Docs/Formats/AzureTables.md.
struct TableColumns: Sendable, Hashable {
    static let id = SystemColumn.id.rawValue
    /// Describes the attachments of an item, on servers that have them.
    static let attachments = AttachmentColumn.name

    /// When the item was made; nil where the table does not keep it.
    let createdAt: String?
    /// When the item was last written; pulls go by it.
    let updatedAt: String
    let version: String
    let deleted: String

    /// What is put before a member whose name is taken.
    private let mark: String
    /// Its UTF-8.
    let markBytes: [UInt8]
    /// A beginning that the table takes for itself.
    let reservedPrefix: String?
    private let own: Set<String>
    private let ownLowercased: Set<String>
    /// The UTF-8 of the names of identifier, version, deleted, creation and change; empty for none.
    let ownNames: [[UInt8]]

    /// The columns of the older tables: all that begins with two underscores is theirs.
    static let underscored = TableColumns(
        createdAt: "__createdAt", updatedAt: "__updatedAt", version: "__version",
        deleted: "__deleted", mark: "_u", reservedPrefix: "__")

    /// The columns since.
    static let plain = TableColumns(createdAt: SystemColumn.createdAt.rawValue, mark: "_")

    /// The columns of the newest tables, which do not know when an item was made.
    static let undated = TableColumns(createdAt: nil, mark: "_")

    private init(
        createdAt: String?, updatedAt: String = SystemColumn.updatedAt.rawValue,
        version: String = SystemColumn.version.rawValue,
        deleted: String = SystemColumn.deleted.rawValue, mark: String, reservedPrefix: String? = nil
    ) {
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.version = version
        self.deleted = deleted
        self.mark = mark
        markBytes = Array(mark.utf8)
        self.reservedPrefix = reservedPrefix
        own = Set(
            [Self.id, RemovalMark.name, updatedAt, version, deleted]
                + (createdAt.map { [$0] } ?? []))
        ownLowercased = Set(own.map { $0.lowercased() })
        ownNames = [Self.id, version, deleted, createdAt ?? "", updatedAt].map { Array($0.utf8) }
    }

    /// A document's members under the names they travel with.
    func escaped(_ members: [String: JSONValue]) -> [String: JSONValue] {
        renamed(members) { escaped($0) }
    }

    /// The name that a document's member travels under.
    func escaped(_ name: String) -> String {
        isAlike(name) ? mark + name : name
    }

    /// The members of an item without the table's columns, under their own names.
    func unescaped(_ columns: [String: JSONValue]) -> [String: JSONValue] {
        renamed(columns.filter { !own.contains($0.key) }) { name in
            guard name.hasPrefix(mark) else { return name }
            let rest = String(name.dropFirst(mark.count))
            return isAlike(rest) ? rest : name
        }
    }

    /// A name that is the table's in any case, behind any number of marks.
    private func isAlike(_ name: String) -> Bool {
        var rest = Substring(name)
        while true {
            if let reservedPrefix, rest.hasPrefix(reservedPrefix) { return true }
            guard rest.hasPrefix(mark) else { break }
            rest = rest.dropFirst(mark.count)
        }
        return ownLowercased.contains(rest.lowercased())
    }

    private func renamed(
        _ members: [String: JSONValue], _ rename: (String) -> String
    ) -> [String: JSONValue] {
        // Nearly always there is nothing to do.
        guard members.keys.contains(where: isAlike) else { return members }
        // A column of another client may be called as a member is, in another case; what has a mark is the member.
        var named = members.filter { rename($0.key) == $0.key }
        for (name, value) in members where rename(name) != name { named[rename(name)] = value }
        return named
    }
}
