import SettleDocuments
import SettleIndexing
import SettleStorage

/// A map that reads the stored form of documents that pass a filter.
struct MemberMap {
    /// The map as the layer below calls it.
    let indexMap: IndexMap

    private let strings: Collator.Strings

    /// A map.
    ///
    /// - Parameters:
    ///   - name: The name of the index, for errors.
    ///   - filter: Says which documents are mapped; nil for all.
    ///   - collation: How the filter compares strings.
    ///   - rows: The rows of one live document.
    init(
        name: String, filter: Database.IndexFilter?, collation: Database.IndexCollation,
        rows: @escaping IndexMap
    ) {
        strings = collation.strings
        let filter = filter?.filter.comparing(collation.strings)
        indexMap = { id, record, collector in
            guard let place = RecordHead.members(of: record) else {
                let text = try StoredIdentifier.text(id)
                throw StorageError.corrupted(place: "record of document '\(text)'")
            }
            if place.isDeleted { return }
            if let filter {
                let body = record.extracting(place.start..<record.count)
                if try !filter.matches(body, id: id) { return }
            }
            do {
                try rows(id, record, collector)
            } catch let error as DynamicValue.Unsupported {
                throw IndexError.mapFailed(
                    index: name, documentID: try StoredIdentifier.text(id), reason: error.reason)
            }
        }
    }

    /// The same map over documents, whether they are stored or not.
    var map: Database.Map {
        let (indexMap, strings) = (indexMap, strings)
        return { document, addIndexRow in
            let facts = document.facts
            let revision =
                facts.revision ?? Revision(generation: 1, digest: .init(high: 0, low: 0))
            let created = facts.created ?? Timestamp(microseconds: 0)
            let record = DocumentRecord(
                sequence: 0, revision: revision, ancestors: [], isDeleted: facts.isDeleted,
                created: created, changed: facts.changed ?? created, origin: nil,
                body: try document.packed())
            let (id, row) = (Array(document.id.utf8), record.encoded())
            let rows = RowCollector(strings)
            rows.begin(document: id.span)
            try indexMap(id.span, row.span, rows)
            try rows.endDocument()
            for row in rows.rowsOfSoleDocument().rows {
                let value = row.tail.isEmpty ? nil : try PackedValue(stored: row.tail).value()
                addIndexRow(try PackedValue(stored: row.head).value(), value)
            }
        }
    }
}
