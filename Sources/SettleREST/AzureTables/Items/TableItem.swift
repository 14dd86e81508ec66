import Foundation
import Settle
import SettleSync

extension RemoteItem {
    /// Reads an item as a table shows it; nil when it is none.
    ///
    /// An object with `"@removed": {"reason": …}` tells that an item was deleted (`deleted`) or is
    /// no longer for us (`changed`), as the deltas of OData 4.01 do.
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - columns: What the table's own columns are called.
    ///   - storesJSON: Whether the server stores null only where it was sent.
    ///   - tag: The version in the answer's `ETag`, which counts more than the column.
    init?(
        _ json: JSONValue, _ columns: TableColumns, storesJSON: Bool, tag: String? = nil
    ) {
        guard case .object(let members) = json,
            let id = members[TableColumns.id]?.stringValue
        else { return nil }
        self.init(
            id: id, version: tag ?? members[columns.version]?.stringValue,
            isDeleted: members[columns.deleted]?.boolValue ?? false,
            members: columns.unescaped(members),
            created: Self.date(columns.createdAt.flatMap { members[$0] }),
            updated: Self.date(members[columns.updatedAt]))
        nullMayMeanAbsent = !storesJSON
        if case .object(let removed)? = members[TableColumns.removed] {
            let isDeletion = removed["reason"] == "deleted"
            isDeleted = isDeletion
            isOutOfSight = !isDeletion
        }
    }

    private static func date(_ value: JSONValue?) -> Date? {
        value?.stringValue.flatMap { RowTime($0)?.date }
    }
}

/// Versions as they stand in `ETag` and `If-Match`.
enum EntityTag {
    /// The version in a strong tag; nil for a weak one, which is a hash of the answer and no
    /// version.
    static func version(in field: String?) -> String? {
        guard let field, field.count >= 2, field.hasPrefix("\""), field.hasSuffix("\"") else {
            return nil
        }
        return field.dropFirst().dropLast()
            .replacingOccurrences(of: "\\\"", with: "\"")
    }

    /// The tag of a version.
    static func field(for version: String) -> String {
        "\"" + version.replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
