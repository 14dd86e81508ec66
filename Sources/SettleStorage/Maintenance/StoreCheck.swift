import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Walks every table of a store in one snapshot and says what is not as it must be.
///
/// Every row is read, every number is counted again, every pointer is followed from both ends, every
/// revision and every digest of content is worked out anew. Nothing is changed.
package struct StoreCheck {
    let snapshot: StoreSnapshot
    private let report: (StoreFinding) -> Void
    private let advance: (Int) -> Void

    /// The contents that records name, and how often.
    private var references: [ContentDigest: Int] = [:]
    private var liveCount = 0
    private var deletedCount = 0
    private var expirationCount = 0

    /// A check of one state of a store.
    ///
    /// - Parameters:
    ///   - snapshot: The state.
    ///   - report: Called with each finding.
    ///   - advance: Called with how many rows more have been looked at.
    package init(
        of snapshot: StoreSnapshot, report: @escaping (StoreFinding) -> Void,
        advance: @escaping (Int) -> Void
    ) {
        self.snapshot = snapshot
        self.report = report
        self.advance = advance
    }

    /// How many rows there are to look at.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package static func rowCount(of snapshot: StoreSnapshot) throws -> Int {
        let tables = snapshot.tables
        return try [
            tables.documents, tables.sequences, tables.purges.table, tables.expirations.table,
            tables.contents.contents, tables.contents.chunks, tables.contents.uploads,
            try snapshot.holdTable?.table,
        ].reduce(0) { try $0 + ($1.map { try snapshot.reader.count(of: $0) } ?? 0) }
    }

    /// Looks at everything.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read at all.
    package mutating func run() throws {
        try checkDocuments()
        try checkSequences()
        try checkExpirations()
        try checkPurges()
        try HoldCheck(of: snapshot).run(report: report, advance: advance)
        checkCounters()
        var contents = ContentCheck(of: snapshot, references: references)
        try contents.run(report: report, advance: advance)
    }

    private mutating func checkDocuments() throws {
        try snapshot.forEachRow { key, row in
            advance(1)
            guard let id = String(validating: key.rest(from: 0), as: UTF8.self),
                (try? DocumentIdentifier.check(id)) != nil
            else {
                report(StoreFinding("documents", "A key is no identifier of a document."))
                return true
            }
            do {
                try check(try snapshot.record(decoding: row, id: id), id, key: key.rest(from: 0))
            } catch let error as LMDBError {
                throw error
            } catch {
                report(StoreFinding("document '\(id)'", "The record cannot be read."))
            }
            return true
        }
    }

    private mutating func check(_ record: DocumentRecord, _ id: String, key: [UInt8]) throws {
        func find(_ problem: String) { report(StoreFinding("document '\(id)'", problem)) }
        if record.isDeleted { deletedCount += 1 } else { liveCount += 1 }
        for attachment in record.attachments { references[attachment.digest, default: 0] += 1 }
        do {
            try record.body.check()
            if let problem = Self.revisionProblem(of: record) { find(problem) }
        } catch {
            find("The members are damaged.")
        }
        if record.sequence > snapshot.lastSequence || record.sequence == 0 {
            find("Its sequence \(record.sequence) lies outside the store's.")
        }
        if try snapshot.id(atSequence: record.sequence) != key {
            find("The table 'sequences' does not have it at its sequence \(record.sequence).")
        }
        if let expiration = record.expiration {
            expirationCount += 1
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

    private func checkSequences() throws {
        var count = 0
        try snapshot.reader.forEach(in: snapshot.tables.sequences) { key, value in
            advance(1)
            count += 1
            var position = 0
            let id = value.rest(from: 0)
            guard key.count == 8, let sequence = key.fixed64(at: &position), !id.isEmpty,
                id.count <= DocumentIdentifier.byteCountMax
            else {
                report(StoreFinding("sequences", "A row cannot be read."))
                return true
            }
            let found = try snapshot.reader.withValue(for: id, in: snapshot.tables.documents) {
                RecordHead($0)?.sequence
            }
            if found != .some(sequence) {
                report(
                    StoreFinding(
                        "sequences, \(sequence)",
                        "The document '\(String(decoding: id, as: UTF8.self))' is not at this "
                            + "sequence."))
            }
            return true
        }
        let documents = try snapshot.reader.count(of: snapshot.tables.documents)
        if count != documents {
            report(
                StoreFinding(
                    "sequences", "There are \(count) rows for \(documents) documents."))
        }
    }

    private func checkExpirations() throws {
        var count = 0
        do {
            try snapshot.tables.expirations.forEach(in: snapshot.reader) { date, id in
                advance(1)
                count += 1
                let row = try snapshot.withRow(of: Array(id.utf8)) { RecordHead($0)?.expiration }
                if row != .some(date) {
                    report(
                        StoreFinding(
                            "expirations", "The document '\(id)' has another date, or none."))
                }
                return true
            }
        } catch is StorageError {
            report(StoreFinding("expirations", "A key cannot be read."))
        }
        if count != expirationCount {
            report(
                StoreFinding(
                    "expirations", "There are \(count) rows for \(expirationCount) documents."))
        }
    }

    private func checkPurges() throws {
        try snapshot.reader.forEach(in: snapshot.tables.purges.table) { key, value in
            advance(1)
            var position = 0
            guard key.count == 8, let sequence = key.fixed64(at: &position),
                String(validating: value.rest(from: 0), as: UTF8.self) != nil
            else {
                report(StoreFinding("purges", "A row cannot be read."))
                return true
            }
            if sequence <= snapshot.purgesForgotten || sequence > snapshot.lastSequence {
                report(StoreFinding("purges, \(sequence)", "The sequence is out of range."))
            }
            return true
        }
    }

    private func checkCounters() {
        for (name, counted, stored) in [
            ("documents", liveCount, snapshot.liveCount),
            ("tombstones", deletedCount, snapshot.deletedCount),
        ] where counted != stored {
            report(
                StoreFinding("meta", "It counts \(stored) \(name), and there are \(counted)."))
        }
    }
}
