import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Looks at records, and follows their pointers.
struct DocumentCheck {
    private let snapshot: StoreSnapshot
    private let log: CheckLog
    /// What the records that were looked at add up to.
    private(set) var totals = DocumentTotals()

    init(of snapshot: StoreSnapshot, _ log: CheckLog) {
        self.snapshot = snapshot
        self.log = log
    }

    /// Looks at a stretch of the documents.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    mutating func run(over stretch: RowStretch) throws {
        let steps = log.steps()
        try stretch.forEachRow(in: snapshot) { key, row in
            try steps.advance()
            let bytes = key.rest(from: 0)
            guard let id = String(validating: bytes, as: UTF8.self),
                (try? DocumentIdentifier.check(id)) != nil
            else { return log.find("documents", "A key is no identifier of a document.") }
            do {
                try check(try snapshot.record(decoding: row, id: id), id, key: bytes)
            } catch let error as LMDBError {
                throw error
            } catch {
                log.find("document '\(id)'", "The record cannot be read.")
            }
        }
        try steps.finish()
    }

    private mutating func check(_ record: DocumentRecord, _ id: String, key: [UInt8]) throws {
        func find(_ problem: String) { log.find("document '\(id)'", problem) }
        if record.isDeleted { totals.deletedCount += 1 } else { totals.liveCount += 1 }
        for attachment in record.attachments {
            totals.references[attachment.digest, default: 0] += 1
        }
        do {
            try record.body.check()
            if let problem = Self.revisionProblem(of: record) { find(problem) }
        } catch {
            find("The members are damaged.")
        }
        var trees = TreeCheck(of: snapshot, log)
        try trees.run(record, id, key: key)
        totals.references.merge(trees.references) { $0 + $1 }
        if record.sequence > snapshot.lastSequence || record.sequence == 0 {
            find("Its sequence \(record.sequence) lies outside the store's.")
        }
        if try snapshot.id(atSequence: record.sequence) != key {
            find("The table 'sequences' does not have it at its sequence \(record.sequence).")
        }
        if let expiration = record.expiration {
            totals.expirationCount += 1
            if try !snapshot.tables.expirations.contains(key, at: expiration, in: snapshot.reader) {
                find("The table 'expirations' does not have its date.")
            }
        }
    }

    /// What is wrong with a record's revision and ancestors; nil when nothing is.
    static func revisionProblem(of record: DocumentRecord) -> String? {
        let generation = record.revision.generation
        guard record.ancestors.count < generation,
            record.ancestors.count <= DocumentRecord.ancestorCountMax
        else { return "It has more ancestors than its revision allows." }
        if record.isGiven { return nil }
        // At the last generation there is no telling what the parent's was.
        guard generation < .max, generation == 1 || !record.ancestors.isEmpty else { return nil }
        let digest = Revision.digest(
            parentGeneration: generation - 1, parent: record.ancestors.first,
            isDeleted: record.isDeleted, body: record.body,
            attachments: record.attachments.isEmpty
                ? [] : AttachmentRecord.encode(record.attachments))
        return digest == record.revision.digest
            ? nil : "Its revision is not the one that its members and parent give."
    }
}
