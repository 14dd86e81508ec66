import SettleLMDB

/// How many revisions of a branch are kept (``TreeTables``).
///
/// Shape: table `meta`: "revision limit" -> decimal text; absent for ``countDefault``.
enum RevisionLimit {
    /// How many CouchDB keeps unless it is told otherwise.
    static let countDefault = 1_000
    /// The fewest that are kept, whatever is asked for: those that the record keeps.
    static let countMin = DocumentRecord.ancestorCountMax + 1

    /// The name of its row in the table of facts.
    static let keyName = "revision limit"
    private static let key = Array(keyName.utf8)

    static func read(from meta: Table, in reader: ReadTransaction) throws -> Int {
        guard let bytes = try reader.value(for: key, in: meta) else { return countDefault }
        guard let count = Int(String(decoding: bytes, as: UTF8.self)), count > 0 else {
            throw StorageError.corrupted(place: "row '\(keyName)' of table 'meta'")
        }
        return count
    }

    static func write(_ count: Int, to meta: Table, in writer: WriteTransaction) throws {
        try writer.put(Array(String(count).utf8), for: key, in: meta)
    }
}
