import SettleDocuments
import SettleIndexing
import SettleStorage

/// A map closure over documents, as the layer below calls it.
struct DocumentMap {
    /// The name of the index, for errors.
    let name: String
    let map: Database.Map

    var indexMap: IndexMap {
        let (name, map) = (name, map)
        return { id, record, rows in
            let text = try StoredIdentifier.text(id)
            guard let head = RecordHead(record) else {
                throw StorageError.corrupted(place: "record of document '\(text)'")
            }
            if head.isDeleted { return }
            let damage = DamageNote()
            let document =
                head.hasAttachments
                ? Document(
                    id: text, record: try DocumentRecord(decoding: record, id: text), noting: damage
                )
                : Document(id: text, row: record, head: head, noting: damage)
            let emission = RowEmission(rows)
            defer { emission.end() }
            try map(document) { key, value in emission.add(key, value) }
            // A member that could not be read was absent for the map, so its rows are not the document's.
            try damage.check()
            if let reason = emission.failure {
                throw IndexError.mapFailed(index: name, documentID: text, reason: reason)
            }
        }
    }
}

/// The identifier of a stored document.
enum StoredIdentifier {
    /// The text of the key that a document was found under.
    static func text(_ id: Span<UInt8>) throws(StorageError) -> String {
        guard let text = String(validating: id, in: 0..<id.count) else {
            throw StorageError.corrupted(place: "a key of table 'documents'")
        }
        return text
    }
}

/// Takes the rows that a map closure adds while it runs.
private final class RowEmission {
    /// What was emitted that cannot be stored; a phrase that continues "emitted …".
    private(set) var failure: String?

    private let rows: RowCollector
    private var packer: IndexPacker
    private var isEnded = false

    init(_ rows: RowCollector) {
        self.rows = rows
        packer = IndexPacker(lentBy: rows)
    }

    func add(_ key: Any?, _ value: Any?) {
        precondition(!isEnded, "addIndexRow was called after the map function had returned.")
        guard failure == nil else { return }
        do {
            packer.reset()
            guard try packer.pack(untyped: key) else { return }
            let end = packer.count
            _ = try packer.pack(untyped: value)
            packer.emit(key: 0..<end, to: rows)
        } catch let error as DynamicValue.Unsupported {
            failure = error.reason
        } catch {
            failure = "a value that cannot be stored"
        }
    }

    func end() {
        isEnded = true
        packer.giveBack(to: rows)
    }
}
