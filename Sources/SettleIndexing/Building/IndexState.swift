import SettleDocuments
package import SettleStorage

/// How far an index has come, and what it was built with.
///
/// Shape (table `indexes`): name -> a packed object of the members below. A state whose version or
/// collation differs from the definition's means that the index has to be built anew.
package struct IndexState: Sendable, Equatable {
    /// The version of the definition.
    package var version: String
    /// The collator's version and kind.
    package var collation: String
    /// The last sequence that is in the rows.
    package var sequence: UInt64
    /// The number of rows.
    package var rowCount: Int64
    /// Which purges were no longer listed when the building began: up to this sequence.
    package var purgesForgotten: UInt64

    private static let tableName = "indexes"

    /// The state of an index of which nothing is built.
    package init(of definition: IndexDefinition, purgesForgotten: UInt64 = 0) {
        version = definition.version
        collation = Collator(definition.strings).version
        sequence = 0
        rowCount = 0
        self.purgesForgotten = purgesForgotten
    }

    /// Reads the state of an index; nil when it was never built.
    package init?(name: String, in snapshot: StoreSnapshot) throws {
        guard let bytes = try snapshot.table(named: Self.tableName)?.value(for: Array(name.utf8))
        else { return nil }
        let packed = PackedValue(stored: bytes)
        guard case .string(let version) = try packed.member("version"),
            case .string(let collation) = try packed.member("collation"),
            case .integer(let sequence) = try packed.member("sequence"), sequence >= 0,
            case .integer(let rowCount) = try packed.member("rowCount"), rowCount >= 0,
            case .integer(let purges) = try packed.member("purgesForgotten"), purges >= 0
        else { throw IndexError.corrupted(place: "the state of index '\(name)'") }
        self.version = version
        self.collation = collation
        self.sequence = UInt64(sequence)
        self.rowCount = rowCount
        purgesForgotten = UInt64(purges)
    }

    /// True when a document may have been purged that is still in the rows, and nothing lists it.
    package func missesPurges(in snapshot: StoreSnapshot) -> Bool {
        snapshot.purgesForgotten > max(sequence, purgesForgotten)
    }

    /// True when the rows were made by this definition.
    package func fits(_ definition: IndexDefinition) -> Bool {
        version == definition.version && collation == Collator(definition.strings).version
    }

    /// The names of the indexes that have a state, in the order of their bytes.
    static func names(in snapshot: StoreSnapshot) throws -> [String] {
        var names: [String] = []
        try snapshot.table(named: tableName)?.forEach { key, _ in
            guard let name = String(validating: key.rest(from: 0), as: UTF8.self) else {
                throw IndexError.corrupted(place: "the name of an index")
            }
            names.append(name)
            return true
        }
        return names
    }

    func write(name: String, in transaction: StoreTransaction) throws {
        let table = try transaction.createTable(named: Self.tableName)
        let packed = try PackedValue(
            .object([
                "version": .string(version), "collation": .string(collation),
                "sequence": .integer(Int64(clamping: sequence)), "rowCount": .integer(rowCount),
                "purgesForgotten": .integer(Int64(clamping: purgesForgotten)),
            ]))
        try table.set(packed.bytes, for: Array(name.utf8))
    }

    static func remove(name: String, in transaction: StoreTransaction) throws {
        try transaction.table(named: tableName)?.remove(Array(name.utf8))
    }
}
