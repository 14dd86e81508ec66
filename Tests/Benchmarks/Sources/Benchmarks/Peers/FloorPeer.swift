import Floor
import Foundation

/// liblmdb called from C: what there is to be had below Settle.
final class FloorPeer {
    /// Documents as the floor takes them: bytes in a row.
    struct Input {
        let texts: [UInt8]
        let starts: [Int]
        let keys: [UInt8]
        let keyLength: Int
        let count: Int

        init(_ documents: DocumentSet) {
            texts = documents.texts.flatMap { $0 }
            starts = documents.texts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
            keys = documents.identifiers.flatMap { Array($0.utf8) }
            count = documents.count
            keyLength = documents.identifiers.first?.utf8.count ?? 0
            precondition(keys.count == keyLength * count, "All identifiers have the same length.")
        }
    }

    static let name = "floor"
    static var version: String { String(cString: floor_version()) }

    let store: OpaquePointer
    private let folder: URL

    // Address space, not disk space.
    private static let mapSize = 1 << 34

    /// Makes an environment of a name in a folder.
    init(in folder: URL, named name: String = FloorPeer.name) throws {
        self.folder = folder.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(
            at: self.folder, withIntermediateDirectories: true)
        var error: Int32 = 0
        guard let store = floor_open(self.folder.path, Self.mapSize, &error) else {
            throw BenchmarkError("liblmdb: \(String(cString: floor_message(error)))")
        }
        self.store = store
    }

    func close() { floor_close(store) }

    /// Stores documents, `batch` of them in each transaction.
    ///
    /// - Parameters:
    ///   - input: The documents.
    ///   - batch: How many there are in each transaction.
    ///   - appends: Whether LMDB is told that they come in order.
    /// - Throws: ``BenchmarkError`` with what LMDB says.
    func insert(_ input: Input, batch: Int, appends: Bool = false) throws {
        try Self.check(
            floor_insert(
                store, input.texts, input.starts, input.keys, input.keyLength, input.count, batch,
                appends ? 1 : 0))
    }

    /// Gets documents without looking at them.
    ///
    /// - Returns: The bytes of their texts.
    func read(_ input: Input, _ picks: [Int]) throws -> Int {
        var bytes = 0
        try Self.check(
            floor_read(store, input.keys, input.keyLength, picks, picks.count, &bytes))
        return bytes
    }

    /// Gets documents and searches `name`, `amount`, and `address.city` in their bytes.
    func readFields(_ input: Input, _ picks: [Int]) throws -> FieldSums {
        var sums = FieldSums(count: picks.count)
        try Self.check(
            floor_read_fields(
                store, input.keys, input.keyLength, picks, picks.count, &sums.amounts,
                &sums.textBytes))
        return sums
    }

    /// Walks all documents without looking at them.
    ///
    /// - Returns: How many there are, and the bytes of their texts.
    func scan() throws -> (count: Int, bytes: Int) {
        var count = 0
        var bytes = 0
        try Self.check(floor_scan(store, &count, &bytes))
        return (count, bytes)
    }

    /// Walks all documents and searches `type` and `amount` in their bytes.
    func scanFields() throws -> FieldSums {
        var sums = FieldSums()
        var (amounts, textBytes) = (0, 0)
        try Self.check(floor_scan_fields(store, &sums.count, &amounts, &textBytes))
        sums.amounts = amounts
        sums.textBytes = textBytes
        return sums
    }

    /// The bytes of its files.
    func byteCount() throws -> Int { try ScratchFolder.byteCount(of: folder) }

    static func check(_ error: Int32) throws {
        guard error != 0 else { return }
        throw BenchmarkError("liblmdb: \(String(cString: floor_message(error)))")
    }
}
