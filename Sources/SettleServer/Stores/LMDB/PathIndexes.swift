import Settle
import SettleOData

/// The indexes of a table: which items have which keys at some paths.
///
/// Changed in the same transaction as the items, so that a list and the rows it is found by are of one
/// state.
///
/// Shape: the side table `server.paths` has a row for each key of each item. Its key is the number of
/// the path, one byte; the first 100 bytes of the key of ``ODataKey``, in which a zero is followed by
/// 255; a zero and a one; and the id in UTF-8. Its value is empty. The side table `server.indexes` has
/// a row for each path: the names with `/` between them -> the number, one byte.
package struct PathIndexes: Sendable {
    /// The paths, in the order of their numbers.
    let paths: [[String]]
    private let numbers: [[String]: UInt8]

    private static let rows = "server.paths"
    private static let definitions = "server.indexes"
    private static let keyBytesMax = 100

    private init(_ numbers: [[String]: UInt8]) {
        self.numbers = numbers
        paths = numbers.sorted { $0.value < $1.value }.map(\.key)
    }

    /// Brings the indexes of a database in step with the paths that are wanted: drops those that are
    /// not, builds those that are new.
    ///
    /// - Parameters:
    ///   - paths: Names of members, at most ``ServerStore/Settings/indexCountMax`` paths; nil to leave all as it is.
    ///   - database: The database of the table.
    /// - Returns: The indexes that there are now.
    /// - Throws: ``DatabaseError`` when the database cannot be written.
    /// - Complexity: All items when an index is new, in one transaction.
    static func open(_ paths: [[String]]?, of database: Database) async throws -> PathIndexes {
        let stored = try database.read(stored)
        let wanted = paths.map(Set.init) ?? Set(stored.keys)
        precondition(
            wanted.count <= ServerStore.Settings.indexCountMax,
            "There are more indexes than a table may have.")
        guard Set(stored.keys) != wanted else { return PathIndexes(stored) }
        return try await database.write { transaction in
            var numbers = try Self.stored(in: transaction)
            let side = try transaction.sideTable(named: definitions)
            for (path, number) in numbers where !wanted.contains(path) {
                try removeRows(of: number, in: transaction)
                try side.remove(name(path))
                numbers[path] = nil
            }
            var added: [[String]: UInt8] = [:]
            let taken = Set(numbers.values)
            var free = (0..<UInt8.max).lazy.filter { !taken.contains($0) }.makeIterator()
            for path in wanted.sorted(by: { $0.lexicographicallyPrecedes($1) })
            where numbers[path] == nil {
                guard let number = free.next() else { preconditionFailure("Numbers ran out.") }
                added[path] = number
                try side.set([number], for: name(path))
            }
            try PathIndexes(added).build(in: transaction)
            return PathIndexes(numbers.merging(added) { $1 })
        }
    }

    private static func stored(in snapshot: Snapshot) throws -> [[String]: UInt8] {
        var numbers: [[String]: UInt8] = [:]
        try snapshot.table(definitions)?.forEach { key, value in
            let path = String(decoding: key, as: UTF8.self).split(separator: "/").map(String.init)
            numbers[path] = value.first
            return true
        }
        return numbers
    }

    private static func name(_ path: [String]) -> [UInt8] {
        Array(path.joined(separator: "/").utf8)
    }

    private static func removeRows(of number: UInt8, in transaction: Transaction) throws {
        let side = try transaction.sideTable(named: rows)
        var keys: [[UInt8]] = []
        try side.forEach(from: [number]) { key, _ in
            guard key.first == number else { return false }
            keys.append(key)
            return true
        }
        for key in keys { try side.remove(key) }
    }

    private func build(in transaction: Transaction) throws {
        guard !paths.isEmpty else { return }
        try transaction.forEachDocument { document in
            try move(try Envelope.item(of: document), from: nil, in: transaction)
            return true
        }
    }

    /// Brings the rows of an item in step with its members.
    ///
    /// - Throws: ``DatabaseError`` when the side table cannot be written.
    func move(
        _ item: TableItem, from previous: TableItem?, in transaction: Transaction
    ) throws {
        guard !paths.isEmpty else { return }
        let before = Set(previous.map(keys) ?? [])
        let after = Set(keys(of: item))
        guard before != after else { return }
        let side = try transaction.sideTable(named: Self.rows)
        for key in before.subtracting(after) { try side.remove(key) }
        for key in after.subtracting(before) { try side.set([], for: key) }
    }

    private func keys(of item: TableItem) -> [[UInt8]] {
        let id = Array(item.id.utf8)
        let item = item.withAttachmentColumn
        return numbers.flatMap { path, number in
            ODataKey.keys(of: item, at: path).map { Self.prefix(number, $0) + [0, 1] + id }
        }
    }

    /// What stands before the id: no such text is the beginning of another, and they sort like keys.
    private static func prefix(_ number: UInt8, _ key: [UInt8]) -> [UInt8] {
        key.prefix(keyBytesMax).reduce(into: [number]) { bytes, byte in
            bytes.append(byte)
            if byte == 0 { bytes.append(255) }
        }
    }

    /// The ids of the items of which a key lies in one of some ranges.
    ///
    /// - Returns: The ids, each once; nil when there are more than `countMax`.
    /// - Throws: ``DatabaseError`` when the side table cannot be read.
    func ids(
        at path: [String], in ranges: [ODataKeyRange], countMax: Int, in snapshot: Snapshot
    ) throws -> [String]? {
        guard let number = numbers[path] else {
            preconditionFailure("There is no index at the path \(path).")
        }
        // As bytes: a set of strings would take canonically equivalent ids for one.
        var ids: Set<[UInt8]> = []
        var isOver = false
        for range in ranges where !isOver {
            // Behind all rows of the upper key, which a zero and a one follow.
            let end = Self.prefix(number, range.upper) + [0, 2]
            let start = Self.prefix(number, range.lower) + [0, 1]
            try snapshot.table(Self.rows)?.forEach(from: start) { key, _ in
                guard key.lexicographicallyPrecedes(end) else { return false }
                ids.insert(Array(Self.id(in: key)))
                isOver = ids.count > countMax
                return !isOver
            }
        }
        return isOver ? nil : ids.map { String(decoding: $0, as: UTF8.self) }
    }

    /// What follows the first zero and one.
    private static func id(in key: [UInt8]) -> ArraySlice<UInt8> {
        var place = 1
        while place + 1 < key.count, key[place] != 0 || key[place + 1] != 1 {
            place += key[place] == 0 ? 2 : 1
        }
        return key.dropFirst(place + 2)
    }
}
