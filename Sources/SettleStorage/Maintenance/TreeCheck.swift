import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Compares revision trees with the records and leaves that they are of.
struct TreeCheck {
    private let snapshot: StoreSnapshot
    private let log: CheckLog
    /// What the leaves that were looked at name.
    private(set) var references: [ContentDigest: Int] = [:]

    init(of snapshot: StoreSnapshot, _ log: CheckLog) {
        self.snapshot = snapshot
        self.log = log
    }

    /// Looks at the tree of one document, and at its leaves that lost.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    mutating func run(_ record: DocumentRecord, _ id: String, key: [UInt8]) throws {
        guard record.hasTree else { return }
        func find(_ problem: String) { log.find("document '\(id)'", problem) }
        guard let tables = try snapshot.treeTables else {
            return find("It has a revision tree, and the store has none.")
        }
        let row = try snapshot.reader.value(for: key, in: tables.trees)
        guard let row, let tree = RevisionTree(stored: row.span), let winner = tree.winner else {
            return find("Its revision tree is missing or cannot be read.")
        }
        if winner.name.standIn != record.revision || winner.isDeleted != record.isDeleted {
            find("Its revision is not the one that wins in its revision tree.")
        }
        if !tree.hasAncestry(record.ancestors, of: winner.name) {
            find("Its ancestors are not those of its revision tree.")
        }
        if !tree.needsRow { find("Its revision tree says no more than its record.") }
        for leaf in tree.sortedLeaves.dropFirst() {
            guard let stored = try self.leaf(leaf.name, id, key, tables) else {
                find("Its leaf \(leaf.name) is missing or cannot be read.")
                continue
            }
            if stored.isDeleted != leaf.isDeleted {
                find("Its leaf \(leaf.name) is deleted in one place and not in the other.")
            }
            check(stored, "leaf \(leaf.name) of document '\(id)'")
        }
        try checkConflict(tree.leaves.values.count { !$0 } - 1, key, tables, find)
    }

    private func leaf(
        _ name: RevisionName, _ id: String, _ key: [UInt8], _ tables: TreeTables
    ) throws -> DocumentRecord? {
        let found = try snapshot.reader.withValue(
            for: TreeTables.leafKey(key, name.standIn), in: tables.leaves
        ) { row in
            try? snapshot.record(decoding: row, id: id)
        }
        guard case .some(.some(let record)) = found, record.revision == name.standIn else {
            return nil
        }
        return record
    }

    private mutating func check(_ leaf: DocumentRecord, _ place: String) {
        for attachment in leaf.attachments { references[attachment.digest, default: 0] += 1 }
        do {
            try leaf.body.check()
            if let problem = DocumentCheck.revisionProblem(of: leaf) { log.find(place, problem) }
        } catch {
            log.find(place, "The members are damaged.")
        }
        if leaf.sequence > snapshot.lastSequence || leaf.sequence == 0 {
            log.find(place, "Its sequence \(leaf.sequence) lies outside the store's.")
        }
        if leaf.hasTree || leaf.isHeld || leaf.expiration != nil {
            log.find(place, "It has what only a record has.")
        }
    }

    private func checkConflict(
        _ lostCount: Int, _ key: [UInt8], _ tables: TreeTables, _ find: (String) -> Void
    ) throws {
        let listed = try snapshot.reader.withValue(for: key, in: tables.conflicts) { row in
            var position = 0
            return row.variable(at: &position).map { Int(clamping: $0) }
        }
        if (listed ?? nil) ?? 0 != max(0, lostCount) {
            find("The table 'conflicts' does not have its number of conflicts.")
        }
    }

    /// Looks for rows of trees, leaves, and conflicts that belong to no document.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    static func findStrays(in snapshot: StoreSnapshot, _ log: CheckLog) throws {
        guard let tables = try snapshot.treeTables else { return }
        let steps = log.steps()
        func hasTree(_ key: [UInt8]) throws -> Bool {
            try snapshot.withRow(of: key) { RecordHead($0)?.hasTree ?? false } ?? false
        }
        for (name, table) in [("trees", tables.trees), ("conflicts", tables.conflicts)] {
            try snapshot.reader.forEach(in: table) { key, _ in
                try steps.advance()
                if try !hasTree(key.rest(from: 0)) {
                    log.find(name, "A row belongs to no document with a revision tree.")
                }
                return true
            }
        }
        try snapshot.reader.forEach(in: tables.leaves) { key, _ in
            try steps.advance()
            guard let leaf = TreeTables.parse(leafKey: key), try hasTree(leaf.id),
                let row = try snapshot.reader.value(for: leaf.id, in: tables.trees),
                let tree = RevisionTree(stored: row.span)
            else {
                log.find("leaves", "A row belongs to no document with a revision tree.")
                return true
            }
            let isLost = tree.sortedLeaves.dropFirst().contains {
                $0.name.standIn == leaf.revision
            }
            if !isLost {
                log.find("leaves", "A row is of no leaf that lost.")
            }
            return true
        }
        try steps.finish()
    }
}

extension RevisionTree {
    /// Whether each of these digests is of what the revision before it came from.
    fileprivate func hasAncestry(_ digests: [Revision.Digest], of name: RevisionName) -> Bool {
        var child: RevisionName? = name
        return digests.allSatisfy { digest in
            child = child.flatMap { parents[$0]?.first { $0.digest.standIn == digest } }
            return child != nil
        }
    }
}
