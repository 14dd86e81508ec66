import Foundation
import Settle
import TestSupport
import Testing

/// Reduce functions over values of a type.
@Suite struct `Typed reduces` {
    private static let sum = Database.TypedReduce(Double.self) { $0.reduce(0, +) }

    private func index(_ reduce: Database.TypedReduce) -> Database.Index {
        Database.Index(name: "i", version: "1", typedReduce: reduce) { document, addIndexRow in
            addIndexRow(document["key"], document["value"])
        }
    }

    private func fill(_ database: Database, _ values: [JSONValue?]) async throws {
        try await database.write { transaction in
            for (number, value) in values.enumerated() {
                try transaction.add(["id": "d\(number)", "key": number % 7, "value": value as Any?])
            }
        }
    }

    @Test func `of doubles see every number, also whole ones`() async throws {
        try await withDatabase(indexes: [index(Self.sum)]) { database in
            try await fill(database, [3, 3.5, 4.0, 5.0, 2, nil, .null])
            let row = try #require(try await database.runQuery(on: "i").first)
            #expect(try row.value(as: Double.self) == 17.5)
            #expect(row.value as? Double == 17.5)
        }
    }

    @Test func `as closures over numbers see them all, too`() async throws {
        let index = Database.Index(
            name: "i", version: "1",
            map: { document, addIndexRow in addIndexRow(document["key"], document["value"]) },
            reduce: { _, values, _ in
                values.compactMap { ($0 as? NSNumber)?.doubleValue }.reduce(0, +)
            })
        try await withDatabase(indexes: [index]) { database in
            try await fill(database, [3, 3.5, 4.0, 5.0, 2, nil, .null])
            #expect(try await database.runQuery(on: "i").first?.value as? Double == 17.5)
        }
    }

    struct Mean: Codable, Equatable {
        var sum: Double
        var count: Int
    }

    @Test func `of another result are reduced again by that, whatever the number of rows`()
        async throws
    {
        let mean = Database.TypedReduce(
            Double.self, into: Mean.self,
            reduce: { Mean(sum: $0.reduce(0, +), count: $0.count) },
            rereduce: { results in
                Mean(
                    sum: results.map(\.sum).reduce(0, +), count: results.map(\.count).reduce(0, +))
            })
        for count in [0, 1, 99, 100, 101, 1_000] {
            try await withDatabase(indexes: [index(mean)]) { database in
                try await fill(database, (0..<count).map { .integer(Int64($0)) })
                let row = try await database.runQuery(on: "i").first
                let expected = Mean(sum: Double(count * (count - 1) / 2), count: count)
                #expect(try row?.value(as: Mean.self) == (count == 0 ? nil : expected), "\(count)")
            }
        }
    }

    @Test func `fail where a value is of another kind, and where they throw`() async throws {
        struct No: Error {}
        for reduce in [Self.sum, Database.TypedReduce(String.self) { _ in throw No() }] {
            try await withDatabase(indexes: [index(reduce)]) { database in
                try await fill(database, [1, "two"])
                let error = await #expect(throws: DatabaseError.self) {
                    try await database.runQuery(on: "i")
                }
                #expect(error?.code == .indexFailed)
                #expect(error?.message.contains("two") == false)
            }
        }
    }

    @Test func `are shown as closures`() throws {
        let reduce = try #require(index(Self.sum).reduce)
        #expect(reduce([1, 2], [3, 4.5], false) as? Double == 7.5)
        #expect(reduce([], [3, 4], true) as? Double == 7)
        #expect(reduce([1], ["x"], false) is NSNull)
    }

    @Test func `rows give keys and values by their types`() async throws {
        try await withDatabase(indexes: [index(Self.sum)]) { database in
            try await fill(database, [4.0])
            var range = QueryByKeyRange()
            range.reduce = false
            let row = try #require(try await database.runQuery(on: "i", with: range).first)
            #expect(try row.key(as: Int.self) == 0)
            #expect(try row.value(as: Int.self) == 4)
            #expect(try row.value(as: Double?.self) == 4)
            #expect(throws: DecodingError.self) { try row.value(as: String.self) }
        }
    }
}
