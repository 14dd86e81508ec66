import SettleLMDB

/// The names of the tables in a store, and the handles of those that every store has.
///
/// Docs/Formats/Store.md gives the keys and values of each.
struct StoreTables: Sendable {
    /// Facts about the store itself.
    let meta: Table
    /// Document identifier -> ``DocumentRecord``.
    let documents: Table
    /// Sequence, eight bytes -> document identifier; one row a document, at its last change.
    let sequences: Table
    /// Which documents were purged.
    let purges: PurgeTable
    /// Which documents are to be purged, and when.
    let expirations: ExpirationTable
    /// The content of attachments.
    let contents: ContentTables
    /// Who holds the members of which record; nil in a store of an older format, which is read only.
    let holds: HoldTable?

    private static let metaName = "meta"
    private static let documentsName = "documents"
    private static let sequencesName = "sequences"

    /// The names of all tables of a store but those that the layers above keep.
    static let names: Set<String> = Set(
        [
            metaName, documentsName, sequencesName, PurgeTable.name, ExpirationTable.name,
            HoldTable.name,
        ] + ContentTables.names + TreeTables.names)

    /// What stands before the name of a table that a layer above keeps.
    static let guestPrefix = "guest/"

    /// Where the members go that somebody held of a record which was replaced.
    ///
    /// Shape: the holder's number, four bytes, most significant first, and the document identifier ->
    /// the holder's note and the members. It is the side table in which the replicator, the only
    /// holder, has kept its bases since format 2, so that a base is always found there or in the record.
    static let displacedName = guestPrefix + "side/sync.servers"

    /// The key of members that were held of a document.
    static func displacedKey(_ holder: UInt32, _ id: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(4 + id.count)
        for place in 0..<4 {
            key.append(UInt8(truncatingIfNeeded: holder >> UInt32(24 - 8 * place)))
        }
        key.append(contentsOf: id)
        return key
    }

    /// Creates the tables of a new store, or opens those of an existing one.
    init(creatingIn transaction: WriteTransaction) throws {
        meta = try transaction.createTable(named: Self.metaName)
        documents = try transaction.createTable(named: Self.documentsName)
        sequences = try transaction.createTable(named: Self.sequencesName)
        purges = try PurgeTable(creatingIn: transaction)
        expirations = try ExpirationTable(creatingIn: transaction)
        contents = try ContentTables(creatingIn: transaction)
        holds = try HoldTable(creatingIn: transaction)
    }

    /// Finds the tables of an existing store.
    ///
    /// - Throws: ``StorageError/notASettleStore`` when one of them is missing.
    init(findingIn transaction: ReadTransaction) throws {
        guard let documents = try transaction.table(named: Self.documentsName),
            let sequences = try transaction.table(named: Self.sequencesName)
        else { throw StorageError.notASettleStore }
        meta = try Self.meta(in: transaction)
        self.documents = documents
        self.sequences = sequences
        purges = try PurgeTable(findingIn: transaction)
        expirations = try ExpirationTable(findingIn: transaction)
        contents = try ContentTables(findingIn: transaction)
        holds = try HoldTable(findingIn: transaction)
    }

    /// The table of the facts, by which a store is known.
    ///
    /// - Throws: ``StorageError/notASettleStore`` when there is none.
    static func meta(in transaction: ReadTransaction) throws -> Table {
        guard let meta = try transaction.table(named: metaName) else {
            throw StorageError.notASettleStore
        }
        return meta
    }
}
