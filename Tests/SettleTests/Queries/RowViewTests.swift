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
            let key = try row.key.json
            // No two of the keys are equal in another form.
            #expect(row.repeatsKey == (rows.last?.key == key))
            rows.append(Row(id: try row.documentId, key: key, value: try row.value?.json))
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
            let found = try await database.readRows(of: "i", into: [[String]]()) { found, row in
                let key = row.key
                var texts: [String] = []
                texts.append(try key.elementCount?.description ?? "none")
                texts.append(try key.element(0)?.string ?? "none")
                texts.append(try key.element(1)?.integer?.description ?? "none")
                texts.append(try key.element(1)?.double?.description ?? "none")
                texts.append(try key.element(2)?.double?.description ?? "none")
                texts.append(try key.element(2)?.integer?.description ?? "none")
                texts.append(try key.element(3)?.bool?.description ?? "none")
                texts.append(try key.element(4)?.json.jsonText ?? "none")
                texts.append(try key.element(-1)?.json.jsonText ?? "none")
                texts.append(try key.string ?? "none")
                texts.append(try key.isNull.description)
                texts.append(try row.value?.member("m")?.member("n")?.string ?? "none")
                texts.append(try row.value?.member("m")?.member("o")?.string ?? "none")
                texts.append(try row.value?.elementCount?.description ?? "none")
                texts.append(try row.value?.element(0)?.string ?? "none")
                found.append(texts)
            }
            #expect(
                found == [
                    [
                        "4", "x", "7", "7.0", "2.5", "none", "true", "none", "none", "none",
                        "false", "deep", "none", "none", "none",
                    ]
                ])
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
