import Foundation
import Settle
import SettleSync

extension RemoteItem {
    /// Reads an item as a table shows it; nil when it is none.
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - tag: The version in the answer's `ETag`, which counts more than the column.
    init?(_ json: JSONValue, tag: String? = nil) {
        guard case .object(let columns) = json,
            let id = columns[SystemColumns.id]?.stringValue
        else { return nil }
        self.init(
            id: id, version: tag ?? columns[SystemColumns.version]?.stringValue,
            isDeleted: columns[SystemColumns.deleted]?.boolValue ?? false,
            members: SystemColumns.unescaped(columns),
            created: Self.date(columns[SystemColumns.createdAt]),
            updated: Self.date(columns[SystemColumns.updatedAt]))
    }

    private static func date(_ value: JSONValue?) -> Date? {
        value?.stringValue.flatMap { ISO8601DocumentDateFormatter().date(from: $0) }
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
