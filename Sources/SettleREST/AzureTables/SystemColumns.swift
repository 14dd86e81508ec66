import Settle

/// The columns that a table keeps for itself, and how members of the same names travel.
///
/// A document may have a member `version`, but the table has a column of that name. Such members
/// travel with an underscore in front (`version` as `_version`), and so that `_version` is not
/// taken for one of them, it travels with one more (`__version`). Docs/Formats/AzureTables.md.
enum SystemColumns {
    static let id = "id"
    static let createdAt = "createdAt"
    static let updatedAt = "updatedAt"
    static let version = "version"
    static let deleted = "deleted"

    private static let all: Set<String> = [id, createdAt, updatedAt, version, deleted]
    private static let lowercased = Set(all.map { $0.lowercased() })

    /// A document's members under the names they travel with.
    static func escaped(_ members: [String: JSONValue]) -> [String: JSONValue] {
        renamed(members) { isAlike($0) ? "_" + $0 : $0 }
    }

    /// The name that a document's member travels under.
    static func escaped(_ name: String) -> String {
        isAlike(name) ? "_" + name : name
    }

    /// The members of an item without the table's columns, under their own names.
    static func unescaped(_ columns: [String: JSONValue]) -> [String: JSONValue] {
        renamed(columns.filter { !all.contains($0.key) }) { name in
            name.hasPrefix("_") && isAlike(name) ? String(name.dropFirst()) : name
        }
    }

    /// A column's name in any case, behind any number of underscores.
    private static func isAlike(_ name: String) -> Bool {
        lowercased.contains(String(name.drop { $0 == "_" }).lowercased())
    }

    private static func renamed(
        _ members: [String: JSONValue], _ rename: (String) -> String
    ) -> [String: JSONValue] {
        // Nearly always there is nothing to do.
        guard members.keys.contains(where: isAlike) else { return members }
        return members.reduce(into: [:]) { $0[rename($1.key)] = $1.value }
    }
}
