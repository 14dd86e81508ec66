import Foundation
import Settle
import TestSupport
import Testing

/// The code of Docs/Guides/Indexes.md, run.
@Suite(.serialized) struct `The guide to indexes` {
    /// Takes what the guide prints.
    private final class Lines {
        var all: [String] = []
    }

    struct Order: Decodable, Sendable {
        let id: String
        let day: String
        let amount: Int
    }

    private static let documents: [Document] = [
        [
            "id": "1", "type": "order", "day": "2026-01-05", "amount": 5,
            "address": ["city": "Rome"],
        ],
        [
            "id": "2", "type": "order", "day": "2026-01-09", "amount": 7,
            "address": ["city": "Oslo"],
        ],
        [
            "id": "3", "type": "order", "day": "2026-02-01", "amount": 9,
            "address": ["city": "Riga"],
        ],
        [
            "id": "4", "type": "offer", "day": "2026-02-02", "amount": 1,
            "address": ["city": "Rome"],
        ],
        ["id": "5", "type": "note", "text": "to be or not to be"],
        ["id": "6", "type": "order", "day": "2026-02-03"],
    ]

    @Test func `defines indexes that do what it says`() async throws {
        try await withDatabase { database async throws in
            try await database.write { transaction in
                for document in Self.documents { try transaction.add(document) }
            }
            try await define(in: database)
            try await query(database)
        }
    }

    private func define(in database: Database) async throws {
        let byPlace = Database.Index.keyPaths(
            name: "byPlace", keys: [["type"], ["address", "city"]], value: ["amount"],
            filter: ["amount": ["$gt": 0]], reduce: .sum)
        let declared = try Database.IndexDeclaration(
            parsing: #"{"name": "byDay", "keys": [["day"]], "filter": {"type": "order"}}"#)
        try await database.addIndex(declared.index)
        let byMonth = Database.Index.views(
            name: "byMonth", version: "1", filter: ["type": "order"], builtInReduce: .sum
        ) { view, rows in
            guard let day = try view.string("day") else { return }
            try rows.emit(String(day.prefix(7)), value: view.integer("amount"))
        }
        let byAmount = Database.Index.typed(
            Order.self, name: "byAmount", version: "1", filter: ["type": "order"],
            builtInReduce: .stats
        ) { order, rows in
            try rows.emit(order.amount, order.day, value: order.amount)
        }
        let words = Database.Index(
            name: "words", version: "1", builtInReduce: .count
        ) { document, addIndexRow in
            guard let text = document["text"] as? String else { return }
            for word in text.split(separator: " ") { addIndexRow(String(word), nil) }
        }
        let filter: Database.IndexFilter = [
            "type": ["$in": ["order", "offer"]], "amount": ["$gte": 10, "$lt": 100],
            "address.city": ["$exists": true],
        ]
        let types = Database.Index(
            name: "types", version: "1",
            map: { document, addIndexRow in addIndexRow(document["type"], nil) },
            reduce: { keys, values, rereduce in
                var counts: [String: Int] = [:]
                if rereduce {
                    for partial in values.compactMap({ $0 as? [String: Int] }) {
                        counts.merge(partial) { $0 + $1 }
                    }
                } else {
                    for key in keys.compactMap({ $0 as? String }) { counts[key, default: 0] += 1 }
                }
                return counts
            })
        let (stream, reports) = AsyncStream<MaintenanceProgress>.makeStream()
        try await database.addIndex(byMonth) { progress in
            reports.yield(progress)
        }
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.total == 6)
        for index in [byPlace, byAmount, words, types] { try await database.addIndex(index) }
        #expect(filter.json["type"] == ["$in": ["order", "offer"]])
        #expect(try database.storedIndexes().map(\.name) == ["byDay", "byPlace"])
        let counts = try await database.runQuery(on: "types").rows.first?.value
        #expect(counts as? [String: Int] == ["order": 4, "offer": 1, "note": 1])
        var grouped = QueryByKeyRange()
        grouped.group = true
        let months = try await database.runQuery(on: "byMonth", with: grouped).rows
        #expect(months.map { $0.value as? Int } == [12, 9])
        let found = try await database.runQuery(on: "words", with: grouped).rows
        #expect(found.map { $0.key as? String } == ["be", "not", "or", "to"])
        #expect(found.map { $0.value as? Int } == [2, 1, 1, 2])
        #expect(
            try await database.runQuery(on: "byDay").rows.map(\.documentId)
                == ["1", "2", "3", "6"])
    }

    private func query(_ database: Database) async throws {
        let lines = Lines()
        func print(_ items: Any...) {
            lines.all.append(items.map { "\($0)" }.joined(separator: " "))
        }
        func printed() -> [String] {
            defer { lines.all = [] }
            return lines.all
        }
        for status in try database.indexStatuses() {
            print(status.name, status.version, status.rowCount, status.isCurrent, status.errorCount)
        }
        #expect(
            printed() == [
                "byAmount 1 3 true 1", "byDay 1 4 true 0", "byMonth 1 4 true 0",
                "byPlace 1 4 true 0", "types 1 6 true 0", "words 1 6 true 0",
            ])
        for error in try database.indexErrors(of: "byAmount") {
            print(error.documentId, error.reason)
        }
        #expect(printed().map { $0.prefix(2) } == ["6 "])

        var query = QueryByKeyRange(startKey: ["order", "Oslo"], endKey: ["order", "Rome"])
        query.reduce = false
        query.includeDocuments = true
        for row in try await database.runQuery(on: "byPlace", with: query) {
            print(row.key ?? "no key", row.value ?? "no value", row.document?.id ?? "no document")
        }
        #expect(
            printed() == [
                #"["order", "Oslo"] 7 2"#, #"["order", "Riga"] 9 3"#, #"["order", "Rome"] 5 1"#,
            ])
        let inRo = QueryByKeyRange(prefix: ["order", "ro"], level: 2)
        let roman = try await database.runQuery(on: "byPlace", with: inRo).rows
        #expect(roman.map { $0.value as? Int } == [5])
        var totals = QueryByKeyRange()
        totals.groupLevel = 1
        for row in try await database.runQuery(on: "byPlace", with: totals) {
            print(row.keyJSON.jsonText, row.value ?? 0)
        }
        #expect(printed() == [#"["offer"] 1"#, #"["order"] 21"#])
        var page = QueryByKeyRange()
        page.reduce = false
        page.startRow = 2
        page.rowLimit = 2
        let answer = try await database.runQuery(on: "byPlace", with: page)
        print(answer.offset ?? 0, answer.totalRows ?? 0)
        #expect(printed() == ["2 4"] && answer.count == 2)
        let sum = try await database.readRows(of: "byPlace", with: page, into: 0) { sum, row in
            sum += Int(try row.value?.integer ?? 0)
        }
        print(sum)
        #expect(printed() == ["14"])
        var quick = QueryByKeyRange()
        quick.freshness = .staleThenUpdate
        let first = try await database.runQuery(on: "byPlace", with: quick)
        print(first.sequence)
        #expect(printed() == ["6"])
    }

    struct Mean: Codable, Equatable {
        var sum: Double
        var count: Int
    }

    @Test func `has a reduce function with a result of its own`() async throws {
        let mean = Database.TypedReduce(
            Double.self, into: Mean.self,
            reduce: { Mean(sum: $0.reduce(0, +), count: $0.count) },
            rereduce: { results in
                Mean(
                    sum: results.map(\.sum).reduce(0, +), count: results.map(\.count).reduce(0, +))
            })
        let index = Database.Index(
            name: "mean", version: "1", typedReduce: mean
        ) { document, addIndexRow in
            addIndexRow(document.id, document["n"])
        }
        try await withDatabase(indexes: [index]) { database in
            for (id, n) in [("a", 1), ("b", 2)] {
                try await database.add(["id": .some(id), "n": .some(n)])
            }
            let row = try #require(try await database.runQuery(on: "mean").first)
            #expect(try row.value(as: Mean.self) == Mean(sum: 3, count: 2))
        }
    }

    @Test func `shows only lines that are run here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Indexes.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 70)
    }
}
