import Foundation
import Settle
import SettlePrimitives

// Items of a remote that cannot be documents here: a side table, written with the page or the answer
// that showed them. Docs/Formats/Replication.md.

/// Names an item that is set aside, in the key of its row.
struct SetAsideKey: Sendable, Hashable {
    fileprivate let bytes: [UInt8]

    /// How long an identifier stands in a key as it is, in bytes.
    private static let idLengthMax = 255

    private enum Tag {
        static let id: UInt8 = 1
        static let longId: UInt8 = 2
        static let place: UInt8 = 3
    }

    /// The key of an item with an identifier.
    init(id: String) {
        if id.utf8.count <= Self.idLengthMax {
            bytes = [Tag.id] + Array(id.utf8)
        } else {
            bytes = [Tag.longId] + Self.hash(of: id)
        }
    }

    /// The key of an item, with or without an identifier.
    init(_ item: RemoteItem, _ fault: ItemFault?) {
        if let place = fault?.place {
            self.init(bytes: [Tag.place] + Self.hash(of: place))
        } else {
            self.init(id: item.id)
        }
    }

    fileprivate init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether the item has no identifier.
    var isNameless: Bool { bytes.first == Tag.place }

    /// Eight bytes, most significant first.
    private static func hash(of text: String) -> [UInt8] {
        let hash = StableHash.of(text.utf8)
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> UInt64(56 - 8 * $0)) }
    }
}

extension RemoteTables {
    /// Remote, item -> ``SetAsideRow``.
    static let faultsName = "sync.faults"

    /// Sets an item aside.
    ///
    /// - Parameters:
    ///   - fault: Why it cannot be a document here.
    ///   - item: The item, as the remote showed it.
    ///   - source: The hash of the query that showed it; 0 for an answer to an operation.
    ///   - date: What time it is.
    /// - Returns: The row; nil when this state of the item was set aside for the same reason before,
    ///   which is no news.
    /// - Throws: What the database throws when it cannot be written.
    func setFault(
        _ fault: ItemFault, of item: RemoteItem, source: UInt64, at date: Date
    ) throws -> SetAsideRow? {
        try setFault(
            SetAsideRow(fault, of: item, source: source, at: date), SetAsideKey(item, fault))
    }

    /// Sets an item aside.
    ///
    /// - Returns: As ``setFault(_:of:source:at:)``.
    /// - Throws: What the database throws when it cannot be written.
    func setFault(_ row: SetAsideRow, _ key: SetAsideKey) throws -> SetAsideRow? {
        var row = row
        if let known = try self.fault(key), known.isSame(as: row) {
            if known.source != row.source, row.source != 0 {
                row.since = known.since
                try written(faults).set(row.encoded(), for: faultKey(key))
            }
            return nil
        }
        try written(faults).set(row.encoded(), for: faultKey(key))
        return row
    }

    /// Takes an item off the list.
    ///
    /// - Returns: Whether it was on it.
    /// - Throws: What the database throws when it cannot be written.
    @discardableResult
    func removeFault(_ key: SetAsideKey) throws -> Bool {
        try written(faults).remove(faultKey(key))
    }

    /// Takes the items off the list that a condition holds for.
    func removeFaults(where isRemoved: (SetAsideKey, SetAsideRow) -> Bool) throws {
        var keys: [SetAsideKey] = []
        try forEachFault { key, row in
            if isRemoved(key, row) { keys.append(key) }
        }
        for key in keys { try removeFault(key) }
    }

    /// Whether any item of the remote is set aside.
    func hasFaults() throws -> Bool {
        try faults?.firstKey(from: prefix)?.starts(with: prefix) ?? false
    }

    /// What is stored of an item that is set aside; nil when it is not.
    func fault(_ key: SetAsideKey) throws -> SetAsideRow? {
        try faults?.value(for: faultKey(key)).map { try SetAsideRow(decoding: $0) }
    }

    /// Calls `body` with every item that is set aside.
    func forEachFault(_ body: (SetAsideKey, SetAsideRow) throws -> Void) throws {
        let prefix = self.prefix
        try faults?.forEach(from: prefix) { key, value in
            guard key.starts(with: prefix) else { return false }
            try body(
                SetAsideKey(bytes: Array(key.dropFirst(prefix.count))),
                SetAsideRow(decoding: value))
            return true
        }
    }

    private func faultKey(_ key: SetAsideKey) -> [UInt8] { prefix + key.bytes }
}
