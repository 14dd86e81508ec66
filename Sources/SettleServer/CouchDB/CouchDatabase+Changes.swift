import Settle

/// Rows of a feed of changes, and where it stands after them.
struct CouchChanges: Sendable {
    var rows: [[UInt8]] = []
    /// The sequences of the rows.
    var places: [UInt64] = []
    /// The last change that was looked at.
    var last: UInt64 = 0
    /// Whether there are more up to the end that was asked for.
    var hasMore = false
}

extension CouchDatabase {
    /// How many changes are looked at in one snapshot.
    static let pageCount = 500
    /// How many bytes of rows are made in one.
    private static let pageBytesMax = 1 << 20
    /// How many changes are looked at to count what a limit leaves over; of all changes, and of those that a filter shows.
    private static let (pendingCountMax, filteredCountMax) = (1_000, 10_000)

    /// The changes after a sequence, as rows of text: some, read from one state.
    ///
    /// - Parameters:
    ///   - query: What is wanted.
    ///   - sequence: Where to begin; this change is not included.
    ///   - end: The last change that counts.
    ///   - limit: The most rows.
    /// - Returns: A page; it may have no rows and more to come.
    /// - Throws: ``DatabaseError``.
    func changes(
        _ query: CouchChangesQuery, after sequence: UInt64, upTo end: UInt64, limit: Int
    ) throws -> CouchChanges {
        try database.read { snapshot in
            let batch = try snapshot.changes(since: sequence, limit: Self.pageCount)
            var found = CouchChanges(last: sequence)
            var bytes = 0
            for change in batch.changes {
                if change.sequence > end {
                    found.last = end
                    return found
                }
                guard found.rows.count < limit, bytes < Self.pageBytesMax else {
                    found.hasMore = true
                    return found
                }
                found.last = change.sequence
                guard let row = try row(change, query, in: snapshot) else { continue }
                found.rows.append(row)
                found.places.append(change.sequence)
                bytes += row.count
            }
            found.hasMore = batch.changes.count == Self.pageCount
            if !found.hasMore, found.rows.count < limit {
                found.last = max(found.last, min(end, snapshot.sequence))
            }
            return found
        }
    }

    /// Some changes as rows of text, from their end to their beginning.
    func reversedChanges(
        _ query: CouchChangesQuery, _ changes: ArraySlice<DocumentChange>, limit: Int
    ) throws -> CouchChanges {
        try database.read { snapshot in
            var found = CouchChanges()
            for change in changes.reversed() {
                guard found.rows.count < limit else { break }
                guard let now = try snapshot.lastChange(of: change.documentId),
                    let row = try row(now, query, in: snapshot)
                else { continue }
                found.rows.append(row)
                found.places.append(now.sequence)
                found.last = now.sequence
            }
            return found
        }
    }

    /// How many changes a limit leaves over: exactly when they are few, and none only when there is none.
    ///
    /// Of many it is the distance of the sequences, which counts documents that changed in between as often; of many that a
    /// filter looks at, a part.
    func pending(
        _ query: CouchChangesQuery, after sequence: UInt64, upTo end: UInt64
    ) throws -> Int {
        var (place, looked, count) = (sequence, 0, 0)
        let isFiltered = isLimited || query.filter.hidesSome
        let countMax = isFiltered ? Self.filteredCountMax : Self.pendingCountMax
        while true {
            let isDone = try database.read { snapshot in
                let batch = try snapshot.changes(since: place, limit: Self.pageCount)
                for change in batch.changes {
                    guard change.sequence <= end else { return true }
                    place = change.sequence
                    looked += 1
                    if try shows(change, query, in: snapshot) { count += 1 }
                    guard looked >= countMax, count > 0 else { continue }
                    if !isFiltered { count += Int(clamping: min(end, snapshot.sequence) - place) }
                    return true
                }
                return batch.changes.count < Self.pageCount
            }
            if isDone { return count }
        }
    }

    private func shows(
        _ change: DocumentChange, _ query: CouchChangesQuery, in snapshot: Snapshot
    ) throws -> Bool {
        guard !change.isPurged, query.filter.mayShow(change.documentId) else { return false }
        if case .selector = query.filter {
            let tree = try tree(of: change.documentId, in: snapshot)
            return try !shown(tree, of: change.documentId, query, in: snapshot).isEmpty
        }
        return try !isLimited || tree(of: change.documentId, in: snapshot) != nil
    }

    /// The leaves of a document that a feed shows.
    private func shown(
        _ tree: RevisionTree?, of id: String, _ query: CouchChangesQuery, in snapshot: Snapshot
    ) throws -> [RevisionTree.Leaf] {
        guard let tree, let winner = tree.winner else { return [] }
        let leaves = query.showsAllLeaves ? tree.sortedLeaves : [winner]
        guard case .selector(let selector) = query.filter else { return leaves }
        return try leaves.filter { leaf in
            let document = try snapshot.document(id, atRevision: leaf.name.description)
            return try document.map { selector.matches(try Self.value(of: $0, leaf)) } ?? false
        }
    }

    /// Nil for a change that is not shown.
    private func row(
        _ change: DocumentChange, _ query: CouchChangesQuery, in snapshot: Snapshot
    ) throws -> [UInt8]? {
        let id = change.documentId
        guard !change.isPurged, query.filter.mayShow(id), let tree = try tree(of: id, in: snapshot),
            let winner = tree.winner
        else { return nil }
        let leaves = try shown(tree, of: id, query, in: snapshot)
        guard !leaves.isEmpty else { return nil }
        var text = Array("{\"seq\":\"\(Self.text(ofSequence: change.sequence))\",\"id\":".utf8)
        JSONText.append(id, to: &text)
        for (place, leaf) in leaves.enumerated() {
            text += Array((place == 0 ? ",\"changes\":[{\"rev\":" : ",{\"rev\":").utf8)
            JSONText.append(leaf.name.description, to: &text)
            text.append(UInt8(ascii: "}"))
        }
        text.append(UInt8(ascii: "]"))
        if winner.isDeleted { text += Array(",\"deleted\":true".utf8) }
        if query.includesDocuments {
            text += Array(",\"doc\":".utf8)
            text += try Self.text(of: id, winner, tree, query.options, in: snapshot)
        }
        return text + Array("}".utf8)
    }
}
