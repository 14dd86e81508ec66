import SettleDocuments
import SettleStorage

/// Where the pages of a change feed come from.
struct ChangeSource: Sendable {
    /// What was asked for.
    struct Options: Sendable {
        var since: UInt64
        var isLive: Bool
        var includesDocuments: Bool
        var type: String?
        var ignoresForgottenPurges: Bool
        var filter: (@Sendable (DocumentChange, Document?) -> Bool)?
    }

    /// What one snapshot gave.
    struct Found: Sendable {
        var elements: [ChangeFeed.Element] = []
        var state: ChangeFeedStateMachine.Found
    }

    /// The most changes in a page.
    private static let countMax = 256
    /// The bytes of documents after which a page ends.
    private static let byteCountEnough = 1 << 18

    let database: Database
    let options: Options

    /// Reads a page, away from the caller's actor.
    ///
    /// - Parameters:
    ///   - start: The changes after this sequence.
    ///   - end: The last one wanted; nil for all there are.
    /// - Returns: The changes before the filter, and what the snapshot tells beside them.
    /// - Throws: ``DatabaseError`` when the database is closed, damaged, or cannot be read.
    func read(
        after start: UInt64, through end: UInt64?
    ) async throws(DatabaseError) -> Found {
        do {
            return try database.read(named: "changes") { snapshot in
                try collect(after: start, through: end, in: snapshot)
            }
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(
                .inputOutput, "The changes of the database cannot be read: \(error)", cause: error)
        }
    }

    /// Waits for a change after a sequence; false when the task was cancelled or the database
    /// closed.
    func wait(beyond sequence: UInt64) async -> Bool {
        await database.hub.signal.wait(beyond: sequence) != nil
    }

    /// Leaves out what the filter does not want.
    func page(_ found: Found) -> ChangeFeed.Page {
        var elements = found.elements
        if let filter = options.filter {
            elements = []
            for element in found.elements {
                if filter(element.change, element.document) {
                    elements.append(element)
                } else if let last = elements.indices.last {
                    elements[last].lastSequence = element.lastSequence
                }
            }
        }
        return ChangeFeed.Page(elements: elements, lastSequence: found.state.lastSequence)
    }

    private func collect(
        after start: UInt64, through end: UInt64?, in snapshot: Snapshot
    ) throws -> Found {
        let base = snapshot.base
        var found = Found(
            state: .init(
                lastSequence: max(start, min(end ?? .max, base.lastSequence)),
                databaseSequence: base.lastSequence,
                forgottenPurgeSequence: base.purgesForgotten))
        var count = 0
        var byteCount = 0
        var last = start
        try base.forEachChange(since: start) { sequence, id in
            if let end, sequence > end { return false }
            guard count < Self.countMax, byteCount < Self.byteCountEnough else {
                found.state.lastSequence = last
                return false
            }
            count += 1
            last = sequence
            let row = try base.withRow(of: Array(id.utf8)) { row in
                byteCount += row.count
                return try read(row, of: id, sequence, in: base)
            }
            if case .some(let element) = row {
                if let element { found.elements.append(element) }
            } else {
                let purge = DocumentChange(purgeOf: id, sequence: sequence)
                found.elements.append(ChangeFeed.Element(purge, nil))
            }
            return true
        }
        if let last = found.elements.indices.last {
            found.elements[last].lastSequence = found.state.lastSequence
        }
        return found
    }

    /// What a row tells; nil for a document of another type.
    private func read(
        _ row: Span<UInt8>, of id: String, _ sequence: UInt64, in snapshot: StoreSnapshot
    ) throws -> ChangeFeed.Element? {
        guard let place = RecordHead.members(of: row) else { throw damaged(id, sequence) }
        if let type = options.type, !place.isDeleted {
            let found = try PackedView(row.extracting(place.start..<row.count)).string("type")
            guard found?.utf8.elementsEqual(type.utf8) ?? false else { return nil }
        }
        let element: ChangeFeed.Element
        if options.includesDocuments, !place.isDeleted {
            let record = try snapshot.record(decoding: row, id: id)
            element = .init(
                DocumentChange(id: id, record: record),
                try Document(id: id, record: record, in: database.store))
        } else {
            guard let change = try RecordChange(id: id, row: row, in: snapshot) else {
                throw damaged(id, sequence)
            }
            element = .init(DocumentChange(change), nil)
        }
        guard element.change.sequence == sequence else { throw damaged(id, sequence) }
        return element
    }

    private func damaged(_ id: String, _ sequence: UInt64) -> StorageError {
        StorageError.corrupted(place: "change \(sequence) of document '\(id)'")
    }
}

extension ChangeFeed.Element {
    fileprivate init(_ change: DocumentChange, _ document: Document?) {
        self.change = change
        self.document = document
        lastSequence = change.sequence
    }
}
