import Foundation
import Settle
import TestSupport
import Testing

/// The four ways to write an index, and what each makes of the same documents.
@Suite(.serialized) struct `Writing an index` {
    private struct Order: Decodable, Sendable {
        struct Address: Decodable, Sendable {
            let city: String?
        }
        let id: String
        let type: String
        let address: Address?
        let amount: Int?
    }

    private static let documents: [Document] = [
        ["id": "1", "type": "order", "address": ["city": "Rome"], "amount": 5],
        ["id": "2", "type": "order", "address": ["city": "Oslo"], "amount": 7],
        ["id": "3", "type": "order", "amount": 11],
        ["id": "4", "type": "note", "text": "no order", "amount": 13],
        ["id": "5", "type": "order", "address": ["city": "Rome"]],
    ]

    private static let orders: Database.IndexFilter = ["type": "order"]

    private static let declared = Database.Index.keyPaths(
        name: "i", keys: [["type"], ["address", "city"]], value: ["amount"], filter: orders,
        reduce: .sum)

    private static let viewed = Database.Index.views(
        name: "i", version: "1", filter: orders, builtInReduce: .sum
    ) { view, rows in
        try rows.emit(
            view.string("type"), view.string(at: "address", "city"),
            value: view.integer("amount"))
    }

    private static let typed = Database.Index.typed(
        Order.self, name: "i", version: "1", filter: orders, builtInReduce: .sum
    ) { order, rows in
        try rows.emit(order.type, order.address?.city, value: order.amount)
    }

    private static let closed = Database.Index(
        name: "i", version: "1", builtInReduce: .sum
    ) { document, addIndexRow in
        guard document.string("type") == "order" else { return }
        let city = (document["address"] as? [String: Any])?["city"]
        addIndexRow([document["type"], city] as [Any?], document["amount"])
    }

    private static let reducedBySwift = Database.Index.views(
        name: "i", version: "1", filter: orders,
        map: { view, rows in
            try rows.emit(
                view.string("type"), view.string(at: "address", "city"),
                value: view.integer("amount"))
        },
        reduce: { _, values, _ in values.compactMap { $0 as? Int }.reduce(0, +) })

    private static let typedReducedBySwift = Database.Index.typed(
        Order.self, name: "i", version: "1", filter: orders,
        map: { order, rows in
            try rows.emit(order.type, order.address?.city, value: order.amount)
        },
        reduce: { _, values, _ in values.compactMap { $0 as? Int }.reduce(0, +) })

    @Test func `in any of the ways gives the same rows and sums`() async throws {
        let indexes = [
            Self.declared, Self.viewed, Self.typed, Self.closed, Self.reducedBySwift,
            Self.typedReducedBySwift,
        ]
        for (number, index) in indexes.enumerated() {
            try await withDatabase(indexes: [index]) { database async throws in
                try await database.write { transaction in
                    for document in Self.documents { try transaction.add(document) }
                }
                var query = QueryByKeyRange()
                query.reduce = false
                let rows = try await database.runQuery(on: "i", with: query).rows
                #expect(rows.map(\.documentId) == ["3", "2", "1", "5"], "way \(number)")
                #expect(
                    rows.map(\.keyJSON) == [
                        ["order", .null], ["order", "Oslo"], ["order", "Rome"], ["order", "Rome"],
                    ], "way \(number)")
                #expect(rows.map { $0.value as? Int } == [11, 7, 5, nil], "way \(number)")
                let sum = try await database.runQuery(on: "i").rows
                #expect(sum.map { $0.value as? Int } == [23], "way \(number)")
            }
        }
    }

    @Test func `leaves the closures usable on documents that are not stored`() throws {
        for index in [Self.declared, Self.viewed, Self.typed, Self.closed] {
            var rows: [String] = []
            for document in Self.documents {
                try index.map(document) { key, value in
                    rows.append("\(key ?? "none") \(value ?? "none")")
                }
            }
            #expect(rows.count == 4)
            let reduce = try #require(index.reduce)
            #expect(reduce([], [5, 7, 11] as [Any], false) as? Int == 23)
            #expect(reduce([], [23, 1] as [Any], true) as? Int == 24)
        }
    }

    @Test func `with parts of all kinds packs what JSON has for them`() throws {
        enum Kind: String, IndexKeyPart { case small }
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let uuid = UUID()
        let index = Database.Index.views(name: "i", version: "1") { view, rows in
            try rows.emit("text")
            try rows.emit(1, Int64.min, 2.5, true, value: [1, nil] as [Int?])
            try rows.emit(date, uuid, Kind.small)
            try rows.emit(JSONValue.null, value: ["a": [1]] as JSONValue)
            try rows.emit(Optional("there"), Int?.none, value: String?.none)
            // No part is there, so there is no row.
            try rows.emit(Int?.none)
            try rows.emit(Int?.none, Optional<JSONValue>.none, value: 1)
        }
        var rows: [(key: JSONValue, value: JSONValue?)] = []
        try index.map(Document(id: "x")) { key, value in
            guard let key = key as? JSONValue else { return }
            rows.append((key, value as? JSONValue))
        }
        let wanted: [(key: JSONValue, value: JSONValue?)] = [
            (.null, ["a": [1]]), ("text", nil), ([1, .integer(.min), 2.5, true], [1, .null]),
            (["2023-11-14T22:13:20.000Z", .string(uuid.uuidString), "small"], nil),
            (["there", .null], nil),
        ]
        #expect(rows.count == wanted.count)
        for row in wanted {
            #expect(rows.contains { $0.key == row.key && $0.value == row.value }, "\(row.key)")
        }
    }

    @Test func `refuses keys that JSON cannot express`() throws {
        let viewed = Database.Index.views(name: "i", version: "1") { _, rows in
            try rows.emit(1, Double.nan)
        }
        #expect(throws: (any Error).self) { try viewed.map(Document(id: "x")) { _, _ in } }
        let typed = Database.Index.typed(Order.self, name: "i", version: "1") { order, rows in
            try rows.emit(order.type, value: JSONValue.double(.infinity))
        }
        #expect(throws: (any Error).self) {
            try typed.map(["type": "order"]) { _, _ in }
        }
        // Decoding fails before the closure is called.
        #expect(throws: DecodingError.self) { try typed.map(["type": 5]) { _, _ in } }
    }

    @Test func `hands on what the closure throws`() throws {
        struct Problem: Error {}
        let index = Database.Index(name: "i", version: "1") { _, _ in throw Problem() }
        #expect(throws: Problem.self) { try index.map(Document(id: "x")) { _, _ in } }
        let viewed = Database.Index.views(name: "i", version: "1") { _, _ in throw Problem() }
        #expect(throws: Problem.self) { try viewed.map(Document(id: "x")) { _, _ in } }
    }

    @Test func `with a row added too late ends the process`() async {
        await #expect(processExitsWith: .failure) {
            // Documents of one stretch are mapped on one thread, one after the other.
            let index = Database.Index(name: "j", version: "1") { _, addIndexRow in
                if let late = Thread.current.threadDictionary["late"] as? Database.AddIndexRow {
                    late("key", nil)
                }
                Thread.current.threadDictionary["late"] = addIndexRow
            }
            try await withDatabase(indexes: [index]) { database async throws in
                for number in 0..<10 { try await database.add(["id": "x\(number)"]) }
                _ = try await database.runQuery(on: "j")
            }
        }
    }

    @Test func `by built-in functions gives their results as closures`() throws {
        func reduce(
            _ function: Database.BuiltInReduce, _ values: [Any], keys: [Any] = [],
            again: Bool = false
        ) throws -> Any {
            let index = Database.Index.keyPaths(name: "i", keys: [["a"]], reduce: function)
            let closure = try #require(index.reduce)
            return closure(keys, values, again)
        }
        #expect(try reduce(.count, ["x", NSNull(), 1] as [Any]) as? Int == 3)
        #expect(try reduce(.count, [3, 4] as [Any], again: true) as? Int == 7)
        #expect(try reduce(.min, [3, 1, 2] as [Any]) as? Int == 1)
        #expect(try reduce(.max, [3, 1, 2] as [Any]) as? Int == 3)
        let stats = try reduce(.stats, [1, 2] as [Any])
        #expect((stats as? [String: Any])?["sumsqr"] as? Int == 5)
        let both = try reduce(.stats, [stats, stats], again: true)
        #expect((both as? [String: Any])?["count"] as? Int == 4)
        #expect(
            try reduce(.approxCountDistinct, [1, 1, 1] as [Any], keys: ["a", "b", "a"]) as? Int == 2
        )
        #expect(try reduce(.approxCountDistinct, [2, 2] as [Any], again: true) is NSNull)
        #expect(try reduce(.max, []) is NSNull)
    }
}
