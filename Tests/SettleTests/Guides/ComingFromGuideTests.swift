import Foundation
import Settle
import TestSupport
import Testing

/// The code of Docs/Guides/ComingFrom.md, run, and what it says about numbers.
@Suite(.serialized) struct `The guide for those who come from another database` {
    @Test func `sums and lists a range of an index`() async throws {
        let sales = Database.Index.keyPaths(
            name: "sales", keys: [["region"], ["day"]], value: ["amount"], reduce: .sum)
        try await withDatabase(indexes: [sales]) { database async throws in
            try await database.add(["id": "a", "region": "north", "day": "2026-03-01", "amount": 2])
            try await database.add([
                "id": "b", "region": "north", "day": "2026-04-01", "amount": 1.5,
            ])
            try await database.add(["id": "c", "region": "south", "day": "2026-04-01", "amount": 9])
            var north = QueryByKeyRange(
                startKey: ["north", "2026-01"], endKey: ["north", "2026-12"])
            let sum = try await database.runQuery(on: "sales", with: north).first?.value
            north.reduce = false
            let rows = try await database.runQuery(on: "sales", with: north).map(\.documentId)
            #expect(sum as? Double == 3.5)
            #expect(rows == ["a", "b"])
        }
    }

    @Test func `tells what a reduce gets`() async throws {
        let total = Database.Index(
            name: "total", version: "1",
            map: { document, addIndexRow in addIndexRow(document["kind"], document["weight"]) },
            reduce: { _, values, _ in
                values.compactMap { ($0 as? NSNumber)?.doubleValue }.reduce(0, +)
            })
        let missing = Database.Index(
            name: "missing", version: "1",
            map: { document, addIndexRow in addIndexRow(document["kind"], nil) },
            reduce: { _, values, _ in values.contains { $0 is NSNull } })
        try await withDatabase(indexes: [total, missing]) { database async throws in
            var parcel = try await database.add(["id": "parcel", "kind": "box", "weight": 3])
            #expect(parcel["weight"] as? Int == 3)
            #expect(parcel["weight"] as? Double == nil)
            #expect(parcel["weight", as: Double.self] == 3)
            parcel["weight"] = 3.5
            parcel = try await database.save(parcel)
            #expect(parcel["weight"] as? Int == nil)
            #expect(parcel["weight"] as? Double == 3.5)
            try await database.add(["id": "letter", "kind": "box", "weight": 2])
            let sum = try await database.runQuery(on: "total", with: QueryByKeyRange()).first?.value
            #expect(sum as? Double == 5.5)
            let null = try await database.runQuery(on: "missing", with: QueryByKeyRange()).first
            #expect(null?.value as? Bool == true)
        }
    }

    @Test func `shows no other code`() throws {
        let code = try GuideCode(of: "Docs/Guides/ComingFrom.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 10)
    }
}
