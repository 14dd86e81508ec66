import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// What a document has beside its record when it has more revisions than a record can name: its revision tree, and
/// the leaves that lost.
///
/// Shape (Docs/Formats/RevisionTrees.md): `trees`: document identifier -> the stored form of `RevisionTree`.
/// `leaves`: document identifier, 00, generation of the leaf in four bytes, its digest or stand-in in 16 ->
/// ``DocumentRecord``. `conflicts`: document identifier -> how many leaves that lost are no deletions, a
/// varint, from 1.
///
/// The tables are made when they are first needed; a store without them has format 4 still.
struct TreeTables: Sendable {
    let trees: Table
    let leaves: Table
    let conflicts: Table

    private static let treesName = "trees"
    private static let leavesName = "leaves"
    private static let conflictsName = "conflicts"

    /// The names of the tables.
    static let names = [treesName, leavesName, conflictsName]

    /// Creates the tables, and notes that older releases cannot read the store any more.
    init(creatingIn transaction: WriteTransaction, meta: Table) throws {
        trees = try transaction.createTable(named: Self.treesName)
        leaves = try transaction.createTable(named: Self.leavesName)
        conflicts = try transaction.createTable(named: Self.conflictsName)
        try StoreHeader.raiseFormat(to: StoreHeader.extendedFormat, in: meta, of: transaction)
    }

    /// The tables; nil in a store that never needed them.
    init?(findingIn transaction: ReadTransaction) throws {
        guard let trees = try transaction.table(named: Self.treesName),
            let leaves = try transaction.table(named: Self.leavesName),
            let conflicts = try transaction.table(named: Self.conflictsName)
        else { return nil }
        self.trees = trees
        self.leaves = leaves
        self.conflicts = conflicts
    }

    /// The key of a leaf.
    ///
    /// - Parameters:
    ///   - id: The identifier in UTF-8, which has no NUL.
    ///   - revision: The revision, or what stands for it.
    /// - Returns: The key.
    static func leafKey(_ id: [UInt8], _ revision: Revision) -> [UInt8] {
        var key = leafPrefix(id)
        for shift in [24, 16, 8, 0] as [UInt32] {
            key.append(UInt8(truncatingIfNeeded: revision.generation >> shift))
        }
        key.append(contentsOf: revision.digest.bytes)
        return key
    }

    /// What the keys of all leaves of a document begin with, and no others.
    static func leafPrefix(_ id: [UInt8]) -> [UInt8] { id + [0] }

    /// What a key of a leaf says; nil when it is none.
    static func parse(leafKey key: Span<UInt8>) -> (id: [UInt8], revision: Revision)? {
        let length = key.count - leafKeyRest
        guard length > 0, key[length] == 0 else { return nil }
        var position = length + 1
        var generation: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = key.byte(at: &position) else { return nil }
            generation = generation << 8 | UInt32(byte)
        }
        guard generation > 0, let high = key.fixed64(at: &position),
            let low = key.fixed64(at: &position)
        else { return nil }
        return (
            key.extracting(0..<length).rest(from: 0),
            Revision(generation: generation, digest: Revision.Digest(high: high, low: low))
        )
    }

    private static let leafKeyRest = 1 + 4 + Revision.Digest.length
}
