import Settle
import SettleDocuments
import TestSupport
import Testing

@Suite(.serialized) struct `Reading rows in place` {
    /// What is compared of a row.
    private struct Row: Equatable, Sendable {
        let id: String?
        let key: JSONValue
        let value: JSONValue?
    }

    private static let keys: [JSONValue] = [
        .null, true, 1, 2.5, "a", "b", ["a", 1], ["a", 2], ["b", [1, .null]], ["k": "v"],
    ]

    private static let index = Database.Index(name: "i", version: "1") { document, addIndexRow in
        guard let rows = document["rows"] as? [[Any]] else { return }
        for row in rows { addIndexRow(row[0], row.count > 1 ? row[1] : nil) }
    }

    private static func fill(
        _ database: Database, _ random: inout SeededGenerator
    ) async throws {
        var documents: [Document] = []
        for number in 0..<60 {
            var rows: [JSONValue] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let key = keys.randomElement(using: &random) ?? .null
                let value: [JSONValue] = [1, "text", [1, ["m": 2]], .null]
                let count = Int.random(in: 0...1, using: &random)
                rows.append(.array([key] + value.shuffled(using: &random).prefix(count)))
            }
            documents.append(Document(["id": .string("d\(100 + number)"), "rows": .array(rows)]))
        }
        let all = documents
        try await database.write { transaction in
            for document in all { try transaction.save(document) }
        }
    }

    private static func range(_ random: inout SeededGenerator) -> QueryByKeyRange {
        var query = QueryByKeyRange(
            startKey: Bool.random(using: &random) ? keys.randomElement(using: &random) : nil,
            endKey: Bool.random(using: &random) ? keys.randomElement(using: &random) : nil)
        query.inclusiveEnd = Bool.random(using: &random)
        query.sortOrder = Bool.random(using: &random) ? .descending : .ascending
        query.startRow = UInt.random(in: 0...9, using: &random)
        query.rowLimit = UInt.random(in: 0...20, using: &random)
        return query
    }

    private static func list(_ random: inout SeededGenerator) -> QueryByKeyList {
        let count = Int.random(in: 0...4, using: &random)
        var query = QueryByKeyList(
            keys: (0..<count).map { _ in keys.randomElement(using: &random) ?? .null })
        query.startRow = UInt.random(in: 0...9, using: &random)
        query.rowLimit = UInt.random(in: 0...20, using: &random)
        return query
    }

    private static func inPlace(
        _ database: Database, _ query: any QueryParameters
    ) async throws -> [Row] {
        try await database.readRows(of: "i", with: query, into: []) { rows, row in
            rows.append(
                Row(id: try row.documentId, key: try row.key.json, value: try row.value?.json))
        }
    }

    @Test func `gives what a query for them gives`() async throws {
        var random = SeededGenerator()
        let seed = random.description
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await Self.fill(database, &random)
            for _ in 0..<150 {
                let query: any QueryParameters =
                    Bool.random(using: &random) ? Self.range(&random) : Self.list(&random)
                let expected = try await database.runQuery(on: "i", with: query).map { row in
                    // A row without a value shows null there.
                    Row(id: row.documentId, key: row.keyJSON, value: row.valueJSON)
                }
                let found = try await Self.inPlace(database, query).map { row in
                    Row(id: row.id, key: row.key, value: row.value ?? .null)
                }
                #expect(found == expected, "\(seed), \(query)")
            }
        }
    }

    @Test func `brings the index up to date first, unless stale rows will do`() async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            var stale = QueryByKeyRange()
            stale.freshness = .stale
            let document = Document(["id": "a", "rows": [["k", 1]]])
            try await database.save(document)
            try await database.buildIndex(named: "i")
            try await database.save(Document(["id": "b", "rows": [["l", 2]]]))
            #expect(try await Self.inPlace(database, stale).count == 1)
            #expect(try await Self.inPlace(database, QueryByKeyRange()).count == 2)
            #expect(try await Self.inPlace(database, stale).count == 2)
        }
    }

    @Test func `reads elements and members where they lie, and only what is asked for`()
        async throws
    {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await database.save(
                Document(["id": "a", "rows": [[["x", 7, 2.5, true], ["m": ["n": "deep"]]]]]))
            let count = try await database.readRows(of: "i", into: 0) { count, row in
                count += 1
                let key = row.key
                #expect(try key.elementCount == 4)
                #expect(try key.element(0)?.string == "x")
                #expect(try key.element(1)?.integer == 7)
                #expect(try key.element(1)?.double == 7)
                #expect(try key.element(2)?.double == 2.5)
                #expect(try key.element(2)?.integer == nil)
                #expect(try key.element(3)?.bool == true)
                #expect(try key.element(4)?.json == nil)
                #expect(try key.element(-1)?.json == nil)
                #expect(try key.string == nil && !key.isNull)
                #expect(try row.value?.member("m")?.member("n")?.string == "deep")
                #expect(try row.value?.member("m")?.member("o")?.json == nil)
                #expect(try row.value?.elementCount == nil)
                #expect(try row.value?.element(0)?.json == nil)
            }
            #expect(count == 1)
        }
    }

    @Test func `refuses groups, documents, and indexes that are not there`() async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            var grouped = QueryByKeyRange()
            grouped.group = true
            var withDocuments = QueryByKeyRange()
            withDocuments.includeDocuments = true
            for query in [grouped, withDocuments] {
                let error = await #expect(throws: DatabaseError.self) {
                    _ = try await Self.inPlace(database, query)
                }
                #expect(error?.code == .unsupportedQuery)
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await database.readRows(of: "none", into: 0) { count, _ in count += 1 }
            }
            #expect(error?.code == .indexNotFound)
        }
    }
}
