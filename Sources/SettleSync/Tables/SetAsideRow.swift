import Foundation
import Settle

/// What is stored of an item that was set aside.
///
/// Shape (Docs/Formats/Replication.md): layout, flags, identifier, place, member, reason, version, date
/// updated, date since, source.
struct SetAsideRow: Sendable, Hashable {
    /// The identifier; nil when the item has none.
    var id: String?
    var fault: ItemFault
    /// The version that was set aside, as far as the remote names one.
    var version: String?
    /// When the remote says that version was written.
    var updated: Date?
    /// When it was set aside first.
    var since: Date
    /// The hash of the query that showed the item; 0 when an answer to an operation did.
    var source: UInt64

    init(_ fault: ItemFault, of item: RemoteItem, source: UInt64, at date: Date) {
        id = fault.place == nil ? item.id : nil
        self.fault = fault
        version = item.version
        updated = item.updated
        since = date
        self.source = source
    }

    init(_ fault: ItemFault, id: String, version: String?, source: UInt64, at date: Date) {
        self.id = id
        self.fault = fault
        self.version = version
        since = date
        self.source = source
    }

    /// Whether this is the same state of an item, wrong in the same way.
    func isSame(as other: SetAsideRow) -> Bool {
        fault == other.fault && version == other.version && updated == other.updated
    }
}

extension SetAsideRow {
    private static let layout: UInt8 = 1

    private enum Flag {
        static let updated: UInt8 = 1
    }

    func encoded() -> [UInt8] {
        var row = RowWriter()
        row.write(byte: Self.layout)
        row.write(byte: updated == nil ? 0 : Flag.updated)
        row.write(text: id)
        row.write(text: fault.place)
        row.write(text: fault.member)
        row.write(counted: fault.reason.utf8)
        row.write(text: version)
        if let updated { row.write(date: updated) }
        row.write(date: since)
        row.write(number: source)
        return row.bytes
    }

    init(decoding bytes: [UInt8]) throws {
        var row = RowReader(bytes, place: "the row of an item that was set aside")
        guard try row.byte() == Self.layout else { throw row.damage }
        let flags = try row.byte()
        id = try row.optionalText()
        let place = try row.optionalText()
        let member = try row.optionalText()
        fault = ItemFault(try row.text(), member: member, place: place)
        version = try row.optionalText()
        if flags & Flag.updated != 0 { updated = try row.date() }
        since = try row.date()
        source = try row.number()
    }
}
