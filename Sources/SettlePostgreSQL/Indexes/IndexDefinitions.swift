import Settle
import SettleOData
import SettleServer

/// The indexes of a table: its paths, and the number under which the keys of each are stored.
///
/// Shape of the column `indexes` of `settle.tables`: an object in JSON, the names of a path with
/// `/` between them -> the number. It is read under the lock by who writes and in the snapshot by
/// who reads, so that processes with different rules never miss each other's keys.
struct IndexDefinitions: Sendable, Equatable {
    /// The number of each path.
    private(set) var numbers: [[String]: Int64]

    /// Reads the column.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when it is damaged.
    init(_ text: String) throws {
        numbers = [:]
        guard let members = (try? JSONValue(jsonText: text))?.objectValue else {
            throw Self.damaged
        }
        for (path, number) in members {
            guard let number = number.integerValue else { throw Self.damaged }
            numbers[path.split(separator: "/").map(String.init)] = number
        }
    }

    /// The column.
    var text: String {
        JSONValue.object(
            Dictionary(
                uniqueKeysWithValues: numbers.map { path, number in
                    (path.joined(separator: "/"), .integer(number))
                })
        ).jsonText
    }

    /// The paths, in the order of their numbers.
    var paths: [[String]] { numbers.sorted { $0.value < $1.value }.map(\.key) }

    /// Brings the paths in step with those that are wanted.
    ///
    /// - Parameter paths: The paths that are wanted, at most ``ServerStore/Settings/indexCountMax`` of them.
    /// - Returns: The numbers of paths that are gone, and the paths that are new, with numbers above
    ///   all that there were until now. The highest number is given again by a later change when its
    ///   path was dropped; the keys under it are removed by then.
    mutating func change(to paths: [[String]]) -> (removed: [Int64], added: [[String]: Int64]) {
        let wanted = Set(paths)
        precondition(
            wanted.count <= ServerStore.Settings.indexCountMax,
            "There are more indexes than a table may have.")
        let removed = numbers.filter { !wanted.contains($0.key) }
        let last = numbers.values.max() ?? 0
        let new = wanted.subtracting(numbers.keys).sorted { $0.lexicographicallyPrecedes($1) }
        let added = Dictionary(
            uniqueKeysWithValues: new.enumerated().map { ($1, last + 1 + Int64($0)) })
        for path in removed.keys { numbers[path] = nil }
        numbers.merge(added) { $1 }
        return (removed.values.sorted(), added)
    }

    /// Some of these indexes.
    func only(_ numbers: [[String]: Int64]) -> IndexDefinitions {
        var definitions = self
        definitions.numbers = numbers
        return definitions
    }

    /// The keys of an item.
    func keys(of item: TableItem) -> Set<IndexKey> {
        let item = item.withAttachmentColumn
        var keys: Set<IndexKey> = []
        for (path, number) in numbers {
            for key in ODataKey.keys(of: item, at: path) {
                keys.insert(IndexKey(number: number, key: key))
            }
        }
        return keys
    }

    private static let damaged = DatabaseError(
        .corrupted,
        "The column 'indexes' of settle.tables was not written by the server; restore a backup.")
}

/// A key in an index.
struct IndexKey: Hashable {
    var number: Int64
    var key: [UInt8]
}
