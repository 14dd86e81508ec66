import Foundation
import Settle
import SettleSync
import SettleTableProtocol

extension RemoteItem {
    /// Reads an item as a table shows it; nil when it is none.
    ///
    /// An object with `"@removed": {"reason": …}` tells that an item was deleted (`deleted`) or is
    /// no longer for us (`changed`), as the deltas of OData 4.01 do.
    ///
    /// - Parameters:
    ///   - row: The object.
    ///   - columns: What the table's own columns are called.
    ///   - storesJSON: Whether the server stores null only where it was sent.
    ///   - tag: The version in the response's `ETag`, which counts more than the column.
    ///   - isListed: Whether it is a row of a list, most of which become documents.
    init?(
        _ row: TableRow, _ columns: TableColumns, storesJSON: Bool, tag: String? = nil,
        isListed: Bool = false
    ) {
        if row.fault == nil, let packed = row.form.packed,
            let (rest, own) = columns.parting(packed)
        {
            guard let id = own.id else { return nil }
            let updated = Self.date(own.updatedAt)
            self.init(
                id: id, version: tag ?? own.version, isDeleted: own.isDeleted, packed: rest,
                // Most rows were never changed.
                created: own.createdAt == own.updatedAt ? updated : Self.date(own.createdAt),
                updated: updated, isPrepared: isListed)
            nullMayMeanAbsent = !storesJSON
            return
        }
        guard case .object(let members) = row.value, let id = row.id else { return nil }
        self.init(
            id: id, version: tag ?? members[columns.version]?.stringValue,
            isDeleted: members[columns.deleted]?.boolValue ?? false,
            members: columns.unescaped(members),
            created: Self.date(columns.createdAt.flatMap { members[$0] }),
            updated: Self.date(members[columns.updatedAt]))
        nullMayMeanAbsent = !storesJSON
        if let mark = RemovalMark(members[RemovalMark.name]) {
            isDeleted = mark == .deleted
            isOutOfScope = mark == .changed
        }
        fault = row.fault
    }

    /// Reads an item of a list; one without an identifier has a fault that says which row it is.
    init(listed row: TableRow, _ columns: TableColumns, storesJSON: Bool) {
        if let item = RemoteItem(row, columns, storesJSON: storesJSON, isListed: true) {
            self = item
            return
        }
        let isObject = row.value.objectValue != nil
        self.init(
            id: "", version: row[columns.version]?.stringValue, members: [:],
            updated: Self.date(row[columns.updatedAt]))
        fault =
            row.fault
            ?? (isObject
                ? ItemFault("The row has no text for its 'id'.", member: TableColumns.id)
                : ItemFault("The row is no JSON object."))
        fault?.place = row.place(columns)
    }

    private static func date(_ value: JSONValue?) -> Date? {
        date(value?.stringValue)
    }

    private static func date(_ text: String?) -> Date? {
        text.flatMap { RowTime($0)?.date }
    }
}

extension TableRow {
    /// A number made of all that the row shows: FNV-1a, 32 bits, of its text.
    ///
    /// The same in every run, which the standard library's hash is not.
    var number: UInt32 {
        JSONText.text(of: value).reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    /// Which row it is, for one without an identifier: its time, and a number made of what it holds.
    fileprivate func place(_ columns: TableColumns) -> String {
        let time = self[columns.updatedAt]?.stringValue.map { " written \($0)" } ?? ""
        return "the row\(time) (\(String(number, radix: 16)))"
    }
}
