import Dispatch
import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Querying an index` {
    private static let fruits: [Document] = [
        ["id": "1", "type": "fruit", "name": "apple", "colour": "red", "price": 3],
        ["id": "2", "type": "fruit", "name": "cherry", "colour": "red", "price": 5],
        ["id": "3", "type": "fruit", "name": "banana", "colour": "yellow", "price": 2],
        ["id": "4", "type": "fruit", "name": "lemon", "colour": "yellow", "price": 4],
        ["id": "5", "type": "fruit", "name": "water", "price": 1],
        ["id": "6", "type": "tool", "name": "knife", "colour": "grey"],
    ]

    private static let byColour = Database.Index(
        name: "byColour", version: "1",
        map: { document, addIndexRow in
            if document.metaData.type == "fruit" {
                addIndexRow(document["colour"], document["price"])
            }
        },
        reduce: { _, values, _ in values.compactMap { $0 as? Int }.reduce(0, +) })

    private func withFruits<Value>(
        _ indexes: [any Indexer] = [byColour], _ body: (Database) async throws -> Value
    ) async throws -> Value {
        try await withDatabase(indexes: indexes) { database async throws in
            try await database.write { transaction in
                for fruit in Self.fruits { try transaction.add(fruit) }
            }
            return try await body(database)
        }
    }

    @Test func `by a range gives the rows in order, both ends included`() async throws {
        try await withFruits { database async throws in
            var query = QueryByKeyRange(startKey: "red", endKey: "yellow")
            query.reduce = false
            let rows = try await database.runQuery(on: "byColour", with: query)
            #expect(rows.map { $0.documentId ?? "" } == ["1", "2", "3", "4"])
            #expect(rows.rows.map { $0.key as? String } == ["red", "red", "yellow", "yellow"])
            #expect(rows.rows.map { $0.value as? Int } == [3, 5, 2, 4])
            query.sortOrder = .descending
            #expect(try await database.runQuery(on: "byColour", with: query).count == 0)
            (query.startKey, query.endKey) = ("yellow", "red")
            query.startRow = 1
            query.rowLimit = 2
            let turned = try await database.runQuery(on: "byColour", with: query)
            #expect(turned.rows.map(\.documentId) == ["3", "2"] && turned.startRow == 1)
        }
    }

    @Test func `is measured when somebody asks, with the same answer`() async throws {
        try await withDatabase(indexes: [Self.byColour]) { database async throws in
            try await database.write { transaction in
                for number in 0..<3_000 {
                    let fruit: Document = [
                        "type": "fruit", "colour": ["red", "green", "blue"][number % 3],
                        "price": 1,
                    ]
                    try transaction.add(fruit)
                }
            }
            var red = QueryByKeyRange(startKey: "red", endKey: "red")
            red.reduce = false
            let (rows, cost) = try await database.measureQuery(on: "byColour", with: red)
            let plain = try await database.runQuery(on: "byColour", with: red)
            #expect(rows.rows == plain.rows && rows.count == 1_000)
            #expect(rows.offset == plain.offset && rows.totalRows == plain.totalRows)
            #expect(cost.rowsRead >= 1_000 && cost.rowsRead < 2_000)
            #expect(cost.leavesRead > 1 && cost.elapsed > .zero)
            // A reduction of everything is in one summary.
            let (sum, sumCost) = try await database.measureQuery(on: "byColour")
            #expect(sum.first?.value as? Int == 3_000)
            #expect(sumCost.rowsRead == 0 && sumCost.summariesRead > 0)
            var list = QueryByKeyList(keys: ["none"])
            list.reduce = false
            let (none, noCost) = try await database.measureQuery(on: "byColour", with: list)
            #expect(none.isEmpty && noCost.rowsRead <= cost.rowsRead)
        }
    }

    @Test func `by a list gives the rows of each key in the order of the list`() async throws {
        try await withFruits { database async throws in
            var query = QueryByKeyList(keys: ["yellow", "none", "red", "yellow"])
            query.reduce = false
            let rows = try await database.runQuery(on: "byColour", with: query).rows
            #expect(rows.map(\.documentId) == ["3", "4", "1", "2", "3", "4"])
            query.keys = []
            #expect(try await database.runQuery(on: "byColour", with: query).count == 0)
        }
    }

    @Test func `reduces everything, or by group`() async throws {
        try await withFruits { database async throws in
            let all = try await database.runQuery(on: "byColour").rows
            #expect(all.map { $0.value as? Int } == [14] && all[0].key == nil)
            #expect(all[0].documentId == nil)
            var query = QueryByKeyRange()
            query.group = true
            let groups = try await database.runQuery(on: "byColour", with: query).rows
            #expect(groups.map { $0.key as? String } == ["red", "yellow"])
            #expect(groups.map { $0.value as? Int } == [8, 6])
            query.startKey = "zebra"
            #expect(try await database.runQuery(on: "byColour", with: query).count == 0)
        }
    }

    @Test func `with the documents brings each row's, or the one that its value links`()
        async throws
    {
        let links = Database.Index(
            name: "links", version: "1",
            map: { document, addIndexRow in
                addIndexRow(document.id, document.id == "1" ? ["_id": "6"] : nil)
            })
        try await withFruits([links]) { database async throws in
            var query = QueryByKeyRange(startKey: "1", endKey: "2")
            query.includeDocuments = true
            let rows = try await database.runQuery(on: "links", with: query).rows
            #expect(rows.map { $0.document?.id } == ["6", "2"])
            #expect(rows[1].value == nil && rows[0].value != nil)
        }
    }

    @Test func `an absent key gives no row, null gives one, absent values stay absent`()
        async throws
    {
        let index = Database.Index(
            name: "odd", version: "1",
            map: { document, addIndexRow in
                addIndexRow(document["colour"], nil)
                addIndexRow(NSNull(), NSNull())
                addIndexRow([document["colour"], document.id] as [Any?], 1)
            })
        try await withDatabase(indexes: [index]) { database async throws in
            try await database.add(["id": "a"])
            let rows = try await database.runQuery(on: "odd").rows
            #expect(rows.map(\.keyJSON) == [.null, [.null, "a"]])
            #expect(rows[0].value is NSNull && rows[1].value as? Int == 1)
        }
    }

    @Test func `counts the types of the documents, reduced and reduced again`() async throws {
        // The example of the Predix documentation. Its second half adds 1 for each partial count;
        // it has to add the counts.
        let reduce: Database.Reduce = { keys, values, rereduce in
            var result: [String: Int] = [:]
            if rereduce {
                for counts in values.compactMap({ $0 as? [String: Int] }) {
                    for (key, count) in counts { result[key, default: 0] += count }
                }
            } else {
                for key in keys.compactMap({ $0 as? String }) { result[key, default: 0] += 1 }
            }
            return result
        }
        let types = Database.Index(
            name: "types", version: "1",
            map: { document, addIndexRow in addIndexRow(document["type"], nil) }, reduce: reduce)
        try await withDatabase(indexes: [types]) { database async throws in
            try await database.write { transaction in
                for number in 0..<1_234 {
                    try transaction.add(["type": ["order", "invoice", "note"][number % 3]])
                }
            }
            let row = try await database.runQuery(on: "types").rows.first
            #expect(
                row?.value as? [String: Int] == ["order": 412, "invoice": 411, "note": 411])
        }
    }

    @Test func `by key paths groups by the first elements`() async throws {
        let index = Database.Index.keyPaths(
            name: "paths", keys: [["type"], ["place", "city"]], value: ["price"], reduce: .sum)
        try await withDatabase(indexes: [index]) { database async throws in
            try await database.write { transaction in
                for (number, city) in ["Riga", "Rome", "Riga", "Oslo"].enumerated() {
                    try transaction.add([
                        "type": number < 3 ? "order" : "note", "place": ["city": city],
                        "price": number + 1,
                    ])
                }
                try transaction.add(["other": 1])
                try transaction.add(["type": "order", "price": NSNull()])
                try transaction.add(["type": "order"])
            }
            var query = QueryByKeyRange()
            query.groupLevel = 1
            let rows = try await database.runQuery(on: "paths", with: query).rows
            #expect(rows.map(\.keyJSON) == [["note"], ["order"]])
            #expect(rows.map { $0.value as? Int } == [4, 6])
            query.groupLevel = 2
            #expect(
                try await database.runQuery(on: "paths", with: query).rows.map(\.valueJSON)
                    == [4, 0, 4, 2])
        }
    }

    @Test func `a key that stands twice in a list has two groups`() async throws {
        try await withFruits { database async throws in
            var query = QueryByKeyList(keys: ["red", "red", "yellow", "red"])
            query.group = true
            let rows = try await database.runQuery(on: "byColour", with: query).rows
            #expect(rows.map { $0.key as? String } == ["red", "red", "yellow", "red"])
            #expect(rows.map { $0.value as? Int } == [8, 8, 6, 8])
        }
    }

    @Test func `two versions of an index do not fight: the later one is built`() async throws {
        try await withDatabase { database async throws in
            try await database.write { transaction in
                for number in 0..<6_000 { try transaction.add(["x": number, "y": 1]) }
            }
            await withThrowingTaskGroup(of: Void.self) { group in
                for version in 0..<4 {
                    group.addTask {
                        try await database.addIndex(
                            Database.Index.keyPaths(
                                name: "i", version: "\(version)", keys: [["x"]], reduce: .count))
                    }
                    group.addTask { _ = try await database.runQuery(on: "i") }
                }
            }
            let counts = try await database.runQuery(on: "i").rows.map { $0.value as? Int }
            #expect(counts == [6_000])
        }
    }

    @Test func `is answered while a bulk import goes on`() async throws {
        let index = Database.Index.keyPaths(name: "n", keys: [["n"]], reduce: .count)
        try await withDatabase(indexes: [index]) { database async throws in
            let importing = Task {
                var batch = 0
                while !Task.isCancelled {
                    let start = batch * 6_000
                    try await database.write { transaction in
                        for number in 0..<6_000 { try transaction.add(["n": start + number]) }
                    }
                    batch += 1
                }
            }
            while try database.totalDocumentCount == 0 { await Task.yield() }
            let before = try database.totalDocumentCount
            let answer = try await database.runQuery(on: "n")
            importing.cancel()
            #expect((answer.rows.first?.value as? Int ?? 0) >= before)
            _ = await importing.result
        }
    }

    @Test func `of an up-to-date index does not wait for a writer`() async throws {
        try await withFruits { database async throws in
            _ = try await database.runQuery(on: "byColour")
            let isWriting = AsyncStream<Void>.makeStream()
            let isAnswered = DispatchSemaphore(value: 0)
            async let write: Void = database.write { _ in
                isWriting.continuation.yield()
                isAnswered.wait()
            }
            var started = isWriting.stream.makeAsyncIterator()
            await started.next()
            #expect(try await database.runQuery(on: "byColour").count == 1)
            isAnswered.signal()
            try await write
        }
    }

    @Test func `a changed version or declaration is rebuilt`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a", "x": 1, "y": 2])
            for (version, member, expected) in [("1", "x", 1), ("1", "y", 2), ("2", "y", 2)] {
                try await database.addIndex(
                    Database.Index.keyPaths(name: "i", version: version, keys: [[member]]))
                let rows = try await database.runQuery(on: "i").rows
                #expect(rows.map { $0.key as? Int } == [expected])
            }
            try await database.removeIndex(named: "i")
            #expect(database.indexNames == [])
        }
    }

    private func code(
        _ database: Database, _ index: String, _ parameters: any QueryParameters
    ) async -> DatabaseError.Code? {
        do {
            _ = try await database.runQuery(on: index, with: parameters)
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    @Test func `that cannot be answered says why`() async throws {
        struct Foreign: QueryParameters {
            var sortOrder = QuerySortOrder.ascending
            var rowLimit: UInt = 0
            var startRow: UInt = 0
            var includeDocuments = false
            var reduce = true
            var group = false
            var groupLevel: UInt = 0
            var freshness = QueryFreshness.current
        }
        let plain = Database.Index.keyPaths(name: "plain", keys: [["a"]])
        try await withFruits([Self.byColour, plain]) { database async throws in
            #expect(await code(database, "none", QueryByKeyRange()) == .indexNotFound)
            #expect(await code(database, "plain", Foreign()) == .unsupportedQuery)
            #expect(
                await code(database, "plain", QueryByKeyRange(startKey: Double.nan))
                    == .unsupportedQuery)
            for key: JSONValue in [
                .double(.nan), .double(.infinity), [1, .double(-.infinity)], ["a": [.double(.nan)]],
            ] {
                var range = QueryByKeyRange()
                range.endKeyJSON = key
                #expect(await code(database, "plain", range) == .unsupportedQuery)
                (range.startKeyJSON, range.endKeyJSON) = (key, nil)
                #expect(await code(database, "plain", range) == .unsupportedQuery)
                var list = QueryByKeyList()
                list.keysJSON = [1, key]
                #expect(await code(database, "plain", list) == .unsupportedQuery)
            }
            var grouped = QueryByKeyRange()
            grouped.group = true
            #expect(await code(database, "plain", grouped) == .unsupportedQuery)
            grouped.reduce = false
            #expect(await code(database, "byColour", grouped) == .unsupportedQuery)
            var documents = QueryByKeyRange()
            documents.includeDocuments = true
            #expect(await code(database, "byColour", documents) == .unsupportedQuery)
            let answer = await withCheckedContinuation { continuation in
                database.runQuery(on: "none", with: QueryByKeyRange()) {
                    continuation.resume(returning: $0)
                }
            }
            #expect(answer.count == 0 && answer.error is DatabaseError)
        }
    }

    @Test func `a sort order is read from its name`() {
        #expect(QuerySortOrder(from: "Descending") == .descending)
        #expect(QuerySortOrder(from: "ascending") == .ascending)
        #expect(QuerySortOrder(from: "sideways") == nil)
    }
}
