import Settle
import SettleOData
import SettlePQ
import SettleServer
import SettleTableProtocol

/// How an item lies in a row of `settle.items`.
///
/// Every statement that reads items names these columns, in this order, from the first:
/// `id, members, created_at, updated_at, version, deleted, departures, attachments`, and then how
/// many bytes the three texts have. An item with too many of them comes without its texts.
enum ItemRow {
    /// What is stored must be readable: what may be stored is decided above, and PostgreSQL itself
    /// takes no value of 1 GiB.
    private static let limits = JSONLimits(sizeMax: 1 << 30)

    /// Whether a row has the texts of its item.
    static func isWhole(_ row: PQRow) -> Bool { !row.isNull(1) }

    /// How many bytes the texts of the item of a row have, whether they came or not.
    ///
    /// - Throws: ``PQError`` when the column has another type.
    static func bytes(_ row: PQRow) throws(PQError) -> Int { Int(try row.integer(8)) }

    /// The item of a row that has its texts.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when the row was not written by the store;
    ///   ``PQError`` when its columns have other types.
    static func item(_ row: PQRow) throws -> TableItem {
        let id = try row.text(0)
        guard let members = try members(row.text(1)) else { throw StoreFailure.damagedItem(id) }
        let removals = try row.textIfAny(6).map { text -> ChannelRemovals? in
            (try? JSONValue(jsonText: text, limits: limits)).flatMap { ChannelRemovals($0) }
        }
        let attachments = try row.textIfAny(7).map(Self.attachments)
        guard removals != .some(nil), attachments != .some(nil) else {
            throw StoreFailure.damagedItem(id)
        }
        return TableItem(
            id: id, members: members, createdAt: Instant(microseconds: try row.integer(2)),
            updatedAt: Instant(microseconds: try row.integer(3)), version: try row.text(4),
            isDeleted: try row.bool(5), attachments: (attachments ?? nil) ?? [],
            removals: (removals ?? nil) ?? ChannelRemovals())
    }

    /// The text of the column `members`.
    static func members(of item: TableItem) -> String {
        var text: [UInt8] = []
        item.members.write(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of the column `departures`; nil when there are none.
    static func removals(of item: TableItem) -> String? {
        item.removals.json?.jsonText
    }

    /// The text of the column `attachments`; nil when there are none.
    static func attachments(of item: TableItem) -> String? {
        guard !item.attachments.isEmpty else { return nil }
        return JSONValue.array(
            item.attachments.map { ["name": .string($0.name), "description": $0.json] }
        ).jsonText
    }

    private static func attachments(_ text: String) -> [AttachmentDescription]? {
        guard let elements = (try? JSONValue(jsonText: text, limits: limits))?.arrayValue else {
            return nil
        }
        var attachments: [AttachmentDescription] = []
        for element in elements {
            guard let name = element["name"]?.stringValue, let json = element["description"],
                let attachment = try? AttachmentDescription(name: name, json: json)
            else { return nil }
            attachments.append(attachment)
        }
        return attachments
    }

    private static func members(_ text: String) -> ItemMembers? {
        (try? JSONText.packed(from: Array(text.utf8), limits: limits)).flatMap {
            ItemMembers(packed: $0)
        }
    }
}

/// The UTF-8 bytes of an item's id.
///
/// What ids are compared by: Swift takes strings for equal that are canonically equivalent.
struct ItemKey: Hashable, Comparable {
    let bytes: [UInt8]

    init(_ id: String) {
        bytes = Array(id.utf8)
    }

    static func < (left: ItemKey, right: ItemKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
