import Synchronization
import TestSupport
import Testing

@testable import Settle

/// Random commits under many observers, each compared with a query that is run afresh.
@Suite(.serialized) struct `Observed results in a random walk` {
    private static let numbers = Database.Index(
        name: "numbers", version: "1", builtInReduce: .stats,
        map: { document, addIndexRow in
            if let n = document["n"] { addIndexRow(n, document["amount"] as Any) }
        })

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `always equal those of a fresh query`(seed: UInt64) async throws {
        try await withDatabase(indexes: [Self.numbers, Self.rows]) { database async throws in
            var walk = ObservedWalk(database, seed: seed)
            try walk.observe(count: 60)
            for step in 0..<120 {
                try await walk.commit()
                try await walk.settle()
                try await walk.compare("seed \(seed), step \(step)")
            }
        }
    }

    @Test(arguments: [11, 12] as [UInt64])
    func `equal those of a fresh query when commits come together`(seed: UInt64) async throws {
        try await withDatabase(indexes: [Self.numbers, Self.rows]) { database async throws in
            var walk = ObservedWalk(database, seed: seed)
            try walk.observe(count: 60)
            for step in 0..<30 {
                for _ in 0..<20 { try await walk.commit() }
                try await walk.settle()
                try await walk.compare("seed \(seed), step \(step)")
            }
        }
    }

    /// Two rows for some documents, one of which links another document.
    private static let rows = Database.Index(
        name: "rows", version: "1", builtInReduce: .count,
        map: { document, addIndexRow in
            guard let kind = document["kind"] else { return }
            addIndexRow([kind, document["n"] as Any], document["amount"] as Any)
            if let link = document["link"] {
                addIndexRow([kind, document["n"] as Any], ["_id": link])
            }
        })
}

/// Changes documents at random and watches many queries.
private struct ObservedWalk {
    private struct Watch {
        let index: String
        let parameters: any QueryParameters
        let list: LiveList
        var rows: [QueryResultRow] = []
        var answer: ObservedResult?
    }

    private let database: Database
    private var random: SeededGenerator
    private var watches: [Watch] = []
    private static let kinds = ["a", "b", "c"]

    init(_ database: Database, seed: UInt64) {
        self.database = database
        random = SeededGenerator(seed: seed)
    }

    mutating func observe(count: Int) throws {
        for _ in 0..<count {
            let index = Bool.random(using: &random) ? "numbers" : "rows"
            let parameters = parameters(of: index)
            let list = try database.observers.observe(parameters, of: index)
            watches.append(Watch(index: index, parameters: parameters, list: list))
        }
    }

    private mutating func key(of index: String) -> Any {
        let n = Int.random(in: 0..<12, using: &random)
        if index == "numbers" { return n }
        let kind = Self.kinds.randomElement(using: &random) ?? "a"
        return [kind, n] as [Any]
    }

    private mutating func parameters(of index: String) -> any QueryParameters {
        var parameters: any QueryParameters
        if Int.random(in: 0..<4, using: &random) == 0 {
            let count = Int.random(in: 0..<6, using: &random)
            var keys: [Any] = []
            for _ in 0..<count { keys.append(key(of: index)) }
            parameters = QueryByKeyList(keys: keys)
        } else {
            var range = QueryByKeyRange()
            if Bool.random(using: &random) { range.startKey = key(of: index) }
            if Bool.random(using: &random) { range.endKey = key(of: index) }
            range.inclusiveStart = Bool.random(using: &random)
            range.inclusiveEnd = Bool.random(using: &random)
            parameters = range
        }
        if Bool.random(using: &random) { parameters.sortOrder = .descending }
        if Bool.random(using: &random) {
            parameters.rowLimit = UInt.random(in: 1..<8, using: &random)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            parameters.startRow = UInt.random(in: 0..<5, using: &random)
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: parameters.reduce = true
        case 1: parameters.group = true
        case 2 where index == "rows": parameters.groupLevel = 1
        default:
            parameters.reduce = false
            parameters.includeDocuments = Bool.random(using: &random)
        }
        return parameters
    }

    /// One commit of one to four changes.
    mutating func commit() async throws {
        var changes: [(id: String, document: Document?, isPurge: Bool)] = []
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
            let id = "d\(Int.random(in: 0..<40, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0: changes.append((id, nil, false))
            case 1: changes.append((id, nil, true))
            default: changes.append((id, document(id), false))
            }
        }
        try await database.write { [changes] transaction in
            for (id, document, isPurge) in changes {
                if let document {
                    try transaction.save(document)
                } else if isPurge {
                    _ = try transaction.purge(documentsWithIds: [id])
                } else {
                    try transaction.delete(documentWithId: id)
                }
            }
        }
    }

    private mutating func document(_ id: String) -> Document {
        var document = Document(id: id)
        document["note"] = Int.random(in: 0..<1_000, using: &random)
        if Int.random(in: 0..<8, using: &random) > 0 {
            document["kind"] = Self.kinds.randomElement(using: &random)
            document["n"] = Int.random(in: 0..<12, using: &random)
            document["amount"] = Int.random(in: 0..<3, using: &random)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            document["link"] = "d\(Int.random(in: 0..<40, using: &random))"
        }
        return document
    }

    /// Waits for the rounds that see the last commit.
    func settle() async throws {
        for index in ["numbers", "rows"] {
            // The first result of an observer comes in a round that begins after this, and that of
            // the next one in a round after that.
            for _ in 0..<2 {
                let list = try database.observers.observe(QueryByKeyRange(), of: index)
                let state = await list.buffer.take()
                guard case .answer? = state else { throw CancellationError() }
                database.observers.end(list)
            }
        }
    }

    /// Compares what was delivered with fresh answers, and the differences with the rows.
    mutating func compare(_ place: String) async throws {
        for number in watches.indices {
            let watch = watches[number]
            let fresh = try await database.runQuery(on: watch.index, with: watch.parameters)
            let context: Comment =
                "\(place), watch \(number) of \(watch.index): \(watch.parameters)"
            let delivered = try #require(watch.list.delivered, context)
            let result = QueryResultEnumerator(delivered)
            let rows = result.rows
            #expect(rows == fresh.rows, context)
            #expect(result.count == fresh.count, context)
            #expect(Array(result) == rows, context)
            if let answer = watch.answer {
                let difference = ListDifference(
                    from: answer.list, to: delivered.list, limit: delivered.limit, isSame: ==)
                let changes = QueryRowChange.changes(of: difference)
                #expect(applied(changes, to: watch.rows, with: rows) == rows, context)
                #expect(changes.isEmpty == (rows == watch.rows), context)
            }
            watches[number].rows = rows
            watches[number].answer = delivered
        }
    }

    /// Makes the new rows from the old ones as a table view would.
    private func applied(
        _ changes: [QueryRowChange], to old: [QueryResultRow], with new: [QueryResultRow]
    ) -> [QueryResultRow]? {
        var kept: [QueryResultRow?] = old
        var made: [QueryResultRow?] = Array(repeating: nil, count: new.count)
        for change in changes {
            switch change {
            case .removed(let from):
                kept[from] = nil
            case .inserted(let to):
                made[to] = new[to]
            case .updated(let from, let to), .moved(let from, let to):
                guard old[from].documentId == new[to].documentId else { return nil }
                kept[from] = nil
                made[to] = new[to]
            }
        }
        var rest = kept.compactMap(\.self)[...]
        for index in made.indices where made[index] == nil { made[index] = rest.popFirst() }
        return rest.isEmpty && !made.contains(nil) ? made.compactMap(\.self) : nil
    }
}
