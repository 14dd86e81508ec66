import Foundation
@testable import Settle
@testable import SettleIndexing
import TestSupport
import Testing

/// The example of the documentation whose users come to Settle, word for word, and one that adds up
/// the counts where that one adds 1 for each.
@Suite(.serialized) struct `Counting types as documented` {
    private static let asDocumented: Database.Reduce = { (keys, values, rereduce) in
        var result: [String: Int] = [:]
        // if this is not a rereduce
        if !rereduce {
            // count each unique key value
            if let sKeys = keys as? [String] {
                for key in sKeys {
                    var count = result[key] ?? 0
                    count += 1
                    result[key] = count
                }
            }
        } else {
            // This is a rereduce, then our value array will be an array of
            // dictionaries of unique key values and their counts from above.
            if let counts = values as? [[String: Int]] {
                // for each result array
                for count in counts {
                    // for each key in the result
                    for key in count.keys {
                        // count and compile a final result dictionary
                        var count = result[key] ?? 0
                        count += 1
                        result[key] = count
                    }
                }
            }
        }
        // Return the unique key values
        // Note that regardless of the rereduce flag the result is the same data type.
        // This must always be the case.
        return result
    }

    private static let mended: Database.Reduce = { keys, values, rereduce in
        var result: [String: Int] = [:]
        for key in keys.compactMap({ $0 as? String }) { result[key, default: 0] += 1 }
        for counts in rereduce ? values.compactMap({ $0 as? [String: Int] }) : [] {
            result.merge(counts) { $0 + $1 }
        }
        return result
    }

    private func index(_ name: String, _ reduce: @escaping Database.Reduce) -> Database.Index {
        Database.Index(
            name: name, version: "1",
            map: { document, addIndexRow in addIndexRow(document.metaData.type, nil) },
            reduce: reduce)
    }

    private static let names = ["order", "invoice", "note", "offer"]

    private func type(_ number: Int) -> String { Self.names[number % 7 % 4] }

    private func add(_ numbers: Range<Int>, to database: Database) async throws {
        try await database.write { [self] transaction in
            for number in numbers {
                try transaction.add(["id": "\(number)", "type": type(number)])
            }
        }
    }

    private func wanted(_ count: Int) -> [String: Int] {
        Dictionary((0..<count).map { (type($0), 1) }, uniquingKeysWith: +)
    }

    private func counts(
        _ name: String, _ query: QueryByKeyRange = QueryByKeyRange(), in database: Database
    ) async throws -> [[String: Int]?] {
        try await database.runQuery(on: name, with: query).rows.map { $0.value as? [String: Int] }
    }

    @Test(arguments: [1, 2, 3, 60, 99, 100, 101, 250, IndexReducer.directRowCountMax])
    func `is right for a small set`(count: Int) async throws {
        try await withDatabase(indexes: [index("types", Self.asDocumented)]) {
            database async throws in
            try await add(0..<count, to: database)
            #expect(try await counts("types", in: database) == [wanted(count)])
            var groups = QueryByKeyRange()
            groups.group = true
            for order in [QuerySortOrder.ascending, .descending] {
                groups.sortOrder = order
                let found = try await counts("types", groups, in: database)
                let sorted = wanted(count).sorted { $0.key < $1.key }.map { [$0.key: $0.value] }
                #expect(found == (order == .ascending ? sorted : sorted.reversed()))
            }
            // Whatever came first, and whatever was there before.
            try await database.write { transaction in
                for number in stride(from: 0, to: count, by: 3) {
                    try transaction.save(["id": "\(number)", "type": "other"])
                }
            }
            var left = Dictionary(
                (0..<count).filter { !$0.isMultiple(of: 3) }.map { (type($0), 1) },
                uniquingKeysWith: +)
            left["other"] = (count + 2) / 3
            #expect(try await counts("types", in: database) == [left])
            #expect(try await database.check() == [])
        }
    }

    @Test(arguments: [1_000, 10_000])
    func `is rereduced for a large set, and right where it adds the counts up`(
        count: Int
    ) async throws {
        let indexes = [index("types", Self.asDocumented), index("mended", Self.mended)]
        try await withDatabase(indexes: indexes) { database async throws in
            try await add(0..<count, to: database)
            #expect(try await counts("mended", in: database) == [wanted(count)])
            let found = try await counts("types", in: database).first ?? nil
            // It counts the parts, which are fewer than the rows.
            #expect(found.map { Set($0.keys) } == Set(Self.names))
            #expect((found?["order"] ?? .max) < (wanted(count)["order"] ?? 0))
            // Of a part that is small it is right.
            var few = QueryByKeyRange(startKey: "offer", endKey: "order")
            few.groupLevel = 1
            let parts = try await counts("types", few, in: database)
            for part in parts.compactMap(\.self) {
                for (name, number) in part where (wanted(count)[name] ?? 0) <= 500 {
                    #expect(number == wanted(count)[name])
                }
            }
        }
    }

    @Test func `is observed as it is asked, below and above the limit`() async throws {
        let limit = IndexReducer.directRowCountMax
        let indexes = [index("types", Self.asDocumented), index("mended", Self.mended)]
        try await withDatabase(indexes: indexes) { database async throws in
            try await add(0..<(limit - 6), to: database)
            for (name, isGrouped) in [("types", false), ("types", true), ("mended", false)] {
                let inbox = Inbox<[JSONValue]>()
                var query = QueryByKeyRange()
                query.group = isGrouped
                let observer = database.observeQuery(on: name, with: query) {
                    inbox.put($0.rows.map(\.valueJSON))
                }
                var types = wanted(limit - 6).mapValues { Int64($0) }
                // Over the limit and back; each step adds or removes a type.
                for step in 0..<22 {
                    if step < 12 {
                        try await database.save(["id": "new\(step)", "type": "step \(step)"])
                        types["step \(step)"] = 1
                    } else {
                        try await database.delete(documentWithId: "new\(23 - step)")
                        types["step \(23 - step)"] = nil
                    }
                    let asked = try await database.runQuery(on: name, with: query).rows
                    let seen = await inbox.first { $0 == asked.map(\.valueJSON) }
                    #expect(seen != nil, "step \(step)")
                    if types.values.reduce(0, +) <= limit || name == "mended", !isGrouped {
                        #expect(seen == [.object(types.mapValues { .integer($0) })])
                    }
                }
                for step in 0..<2 { try await database.delete(documentWithId: "new\(step)") }
                if let observer { database.removeObserver(observer) }
            }
        }
    }
}
