import Settle
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `The index of an observed query` {
    private struct Problem: Error, CustomStringConvertible {
        let description = "no fruit"
    }

    private static var rows: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.reduce = false
        return query
    }

    private static func ids(_ result: QueryResultEnumerator?) -> [String]? {
        result?.rows.compactMap(\.documentId)
    }

    @Test func `lists documents that its map throws at, and shows the others`() async throws {
        let index = Database.Index(name: "i", version: "1", builtInReduce: .count) {
            document, addIndexRow in
            if document["bad"] as? Bool == true { throw Problem() }
            addIndexRow(document["n"], nil)
        }
        try await withDatabase(indexes: [index]) { database async throws in
            var results = database.queryResults(on: "i", with: Self.rows).makeAsyncIterator()
            #expect(Self.ids(try await results.next()) == [])
            try await database.write { transaction in
                try transaction.add(["id": "a", "n": 1])
                try transaction.add(["id": "b", "n": 2, "bad": true])
                try transaction.add(["id": "c", "n": 3])
            }
            #expect(Self.ids(try await results.next()) == ["a", "c"])
            let errors = try database.indexErrors(of: "i")
            #expect(errors.map(\.documentId) == ["b"])
            #expect(errors.first?.reason.contains("no fruit") == true)
            // One that was shown goes, one that was refused comes, and writing goes on.
            try await database.save(["id": "a", "n": 1, "bad": true])
            #expect(Self.ids(try await results.next()) == ["c"])
            try await database.save(["id": "b", "n": 2])
            #expect(Self.ids(try await results.next()) == ["b", "c"])
            #expect(try database.indexErrors(of: "i").map(\.documentId) == ["a"])
            #expect(try await database.check() == [])
        }
    }

    @Test(arguments: [1_001, 5_000])
    func `is right after a commit of more changes than usual`(count: Int) async throws {
        let byN = Database.Index.keyPaths(name: "byN", keys: [["n"]], reduce: .count)
        try await withDatabase(indexes: [byN]) { database async throws in
            try await database.add(["id": "first", "n": -1])
            var results = database.queryResults(on: "byN", with: Self.rows).makeAsyncIterator()
            var totals = database.queryResults(on: "byN").makeAsyncIterator()
            #expect(try await results.next()?.count == 1)
            #expect(try await totals.next()?.rows.first?.value as? Int == 1)
            try await database.write { transaction in
                for number in 0..<count {
                    try transaction.add(["id": .some("d\(number)"), "n": .some(number)])
                }
            }
            let result = try await results.next()
            #expect(result?.rows.compactMap { $0.key as? Int } == Array(-1..<count))
            #expect(try await totals.next()?.rows.first?.value as? Int == count + 1)
            // And it goes on as before.
            try await database.delete(documentWithId: "first")
            #expect(try await results.next()?.count == count)
            #expect(try await totals.next()?.rows.first?.value as? Int == count)
        }
    }

    @Test func `may be replaced`() async throws {
        let index = { (version: String, member: String) in
            Database.Index(name: "i", version: version) { document, addIndexRow in
                addIndexRow(document[member], nil)
            }
        }
        try await withDatabase(indexes: [index("1", "n")]) { database async throws in
            for number in 0..<5 {
                try await database.add([
                    "id": .some("d\(number)"), "n": .some(number), "m": .some(-number),
                ])
            }
            var changes = database.queryChanges(on: "i", with: Self.rows).makeAsyncIterator()
            let first = try await changes.next()
            #expect(Self.ids(first?.result) == ["d0", "d1", "d2", "d3", "d4"])
            try await database.addIndex(index("2", "m"))
            let step = try await changes.next()
            #expect(Self.ids(step?.result) == ["d4", "d3", "d2", "d1", "d0"])
            #expect(step?.isFirst == false && step?.changes.isEmpty == false)
            try await database.add(["id": "d5", "m": -9])
            let added = try await changes.next()
            #expect(added?.changes == [.inserted(new: 0)])
        }
    }

    @Test func `may be removed, which fails, and added again`() async throws {
        let index = Database.Index(name: "i", version: "1") { document, addIndexRow in
            addIndexRow(document["n"], nil)
        }
        try await withDatabase(indexes: [index]) { database async throws in
            let inbox = Inbox<String>()
            let observer = database.observeQuery(on: "i", with: Self.rows) { result in
                let code = (result.error as? DatabaseError)?.code
                inbox.put(code.map { "\($0)" } ?? "\(result.count)")
            }
            var results = database.queryResults(on: "i", with: Self.rows).makeAsyncIterator()
            #expect(await inbox.first() == "0")
            #expect(try await results.next()?.count == 0)
            try await database.removeIndex(named: "i")
            #expect(await inbox.first() == "indexNotFound")
            do throws(DatabaseError) {
                _ = try await results.next()
                Issue.record("A sequence goes on without its index.")
            } catch {
                #expect(error.code == .indexNotFound)
            }
            #expect(try await results.next() == nil)
            try await database.add(["id": "a", "n": 1])
            try await database.addIndex(index)
            #expect(await inbox.first() == "1")
            #expect(observer != nil)
        }
    }

    @Test func `shows documents, those that are linked too, as they change`() async throws {
        let orders = Database.Index.keyPaths(
            name: "orders", keys: [["day"]], value: ["customer"], filter: ["type": "order"])
        try await withDatabase(indexes: [orders]) { database async throws in
            try await database.write { transaction in
                try transaction.add(["id": "ann", "type": "customer", "name": "Ann"])
                try transaction.add([
                    "id": "o1", "type": "order", "day": 1,
                    "customer": ["_id": "ann"] as [String: Any],
                ])
                try transaction.add([
                    "id": "o2", "type": "order", "day": 2,
                    "customer": ["_id": "bob"] as [String: Any],
                ])
                try transaction.add(["id": "o3", "type": "order", "day": 3, "name": "own"])
            }
            var query = QueryByKeyRange()
            query.includeDocuments = true
            var changes = database.queryChanges(on: "orders", with: query).makeAsyncIterator()
            func names(_ step: QueryChanges.Element?) -> [String]? {
                step?.result.rows.map { $0.document?.string("name") ?? "none" }
            }
            #expect(names(try await changes.next()) == ["Ann", "none", "own"])
            // A customer has no row, but is shown in one.
            try await database.save(["id": "ann", "type": "customer", "name": "Anna"])
            let renamed = try await changes.next()
            #expect(names(renamed) == ["Anna", "none", "own"])
            #expect(renamed?.changes == [.updated(old: 0, new: 0)])
            try await database.add(["id": "bob", "type": "customer", "name": "Bob"])
            let added = try await changes.next()
            #expect(names(added) == ["Anna", "Bob", "own"])
            #expect(added?.changes == [.updated(old: 1, new: 1)])
            // The index has nothing of this.
            try await database.save(["id": "o3", "type": "order", "day": 3, "name": "changed"])
            #expect(names(try await changes.next()) == ["Anna", "Bob", "changed"])
            // Two rows show one customer now, and then that one is gone.
            try await database.save([
                "id": "o2", "type": "order", "day": 2,
                "customer": ["_id": "ann"] as [String: Any],
            ])
            #expect(names(try await changes.next()) == ["Anna", "Anna", "changed"])
            try await database.purge(documentsWithIds: ["ann"])
            let purged = try await changes.next()
            #expect(names(purged) == ["none", "none", "changed"])
            #expect(
                purged?.changes == [.updated(old: 0, new: 0), .updated(old: 1, new: 1)])
        }
    }

    @Test func `is mapped in the commit, so that a query finds nothing left to do`()
        async throws
    {
        let calls = MapCalls()
        try await withDatabase(indexes: [calls.index()]) { database async throws in
            let observer = database.observeQuery(on: "i") { _ in }
            try await database.observersAreUpToDate(on: "i")
            try await database.add(["id": "a", "n": 1])
            #expect(calls.byDocument == ["a": 1])
            #expect(try database.indexStatus(named: "i").isCurrent)
            // Nobody observes any more: it is mapped when it is asked.
            if let observer { database.removeObserver(observer) }
            try await database.add(["id": "b", "n": 2])
            #expect(calls.byDocument == ["a": 1])
            _ = try await database.runQuery(on: "i")
            #expect(calls.byDocument == ["a": 1, "b": 1])
        }
    }

    @Test func `is followed when the file is written anew, and when documents are imported`()
        async throws
    {
        let byN = Database.Index.keyPaths(name: "byN", keys: [["n"]])
        let scratch = try ScratchDirectory("export")
        try await withDatabase(indexes: [byN]) { database async throws in
            var results = database.queryResults(on: "byN").makeAsyncIterator()
            var states = database.documentStates(of: "d7").makeAsyncIterator()
            #expect(try await results.next()?.count == 0)
            let missing = try await states.next()
            #expect(missing.flatMap { $0 } == nil)
            try await database.write { transaction in
                for number in 0..<20 {
                    try transaction.add(["id": .some("d\(number)"), "n": .some(number)])
                }
            }
            #expect(try await results.next()?.count == 20)
            let added = try await states.next()
            #expect(added.flatMap { $0 }?.integer("n") == 7)
            let file = scratch.file("all")
            try await database.exportDocuments(to: file)
            try await database.purge(documentsWithIds: ["d7", "d8"])
            #expect(try await results.next()?.count == 18)
            let purged = try await states.next()
            #expect(purged.flatMap { $0 } == nil)
            try await database.compact()
            try await database.add(["id": "new", "n": 99])
            #expect(try await results.next()?.count == 19)
            try await database.importDocuments(from: file)
            #expect(try await results.next()?.count == 21)
            let imported = try await states.next()
            #expect(imported.flatMap { $0 }?.integer("n") == 7)
        }
    }

    @Test func `is asked in every form at once`() async throws {
        let index = Database.Index.keyPaths(
            name: "i", keys: [["kind"], ["n"]], value: ["n"], reduce: .sum)
        try await withDatabase(indexes: [index]) { database async throws in
            var groups = QueryByKeyRange()
            groups.groupLevel = 1
            var list = QueryByKeyList(keys: [["b", 2] as [Any], ["a", 1] as [Any]])
            list.reduce = false
            var grouped = database.queryChanges(on: "i", with: groups).makeAsyncIterator()
            var listed = database.queryResults(on: "i", with: list).makeAsyncIterator()
            #expect(try await grouped.next()?.result.count == 0)
            #expect(try await listed.next()?.count == 0)
            try await database.write { transaction in
                try transaction.add(["id": "x", "kind": "a", "n": 1])
                try transaction.add(["id": "y", "kind": "b", "n": 2])
                try transaction.add(["id": "z", "kind": "b", "n": 3])
            }
            let step = try #require(try await grouped.next())
            #expect(step.result.rows.map { $0.value as? Int } == [1, 5])
            #expect(step.changes == [.inserted(new: 0), .inserted(new: 1)])
            #expect(Self.ids(try await listed.next()) == ["y", "x"])
            try await database.delete(documentWithId: "y")
            let less = try #require(try await grouped.next())
            #expect(less.result.rows.map { $0.value as? Int } == [1, 3])
            #expect(less.changes == [.updated(old: 1, new: 1)])
            #expect(Self.ids(try await listed.next()) == ["x"])
        }
    }
}
