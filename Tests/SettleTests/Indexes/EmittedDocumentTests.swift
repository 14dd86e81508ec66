import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A document that a map emits` {
    private static let fruit: [String: JSONValue] = [
        "id": "apple", "type": "fruit", "price": 3, "tags": ["red", .null],
    ]

    private func index(
        _ map: @escaping @Sendable (Document, Database.AddIndexRow) -> Void,
        reduce: Database.Reduce? = nil
    ) -> Database.Index {
        Database.Index(
            name: "whole", version: "1",
            map: { document, addIndexRow in map(document, addIndexRow) },
            reduce: reduce)
    }

    private func rows(_ index: Database.Index) async throws -> [QueryResultRow] {
        try await withDatabase(indexes: [index]) { database async throws in
            try await database.save(Document(Self.fruit))
            return try await database.runQuery(on: "whole").rows
        }
    }

    @Test func `as a value has its identifier, as its JSON does`() async throws {
        let rows = try await rows(index { $1($0.id, $0) })
        #expect(rows.map(\.valueJSON) == [.object(Self.fruit)])
        let value = try #require(rows.first?.value as? [String: Any])
        #expect(value["id"] as? String == "apple" && value["type"] as? String == "fruit")
        let document = Document(Self.fruit)
        let json = try JSONText.value(from: [UInt8](document.toJSON()))
        #expect(rows.map(\.valueJSON) == [json])
        // And makes the document again.
        #expect(Document(value) == document)
    }

    @Test func `as a key has its identifier`() async throws {
        let rows = try await rows(index { $1($0, nil) })
        #expect(rows.map(\.keyJSON) == [.object(Self.fruit)])
    }

    @Test func `in arrays, dictionaries, and optionals has its identifier`() async throws {
        let whole = JSONValue.object(Self.fruit)
        let documents: [@Sendable (Document) -> Any?] = [
            { [$0, $0] }, { [$0, nil] as [Any?] }, { ["one": $0] },
            { ["one": [$0]] as [String: Any] },
            { Optional($0) }, { [Optional($0)] },
        ]
        let wanted: [JSONValue] = [
            [whole, whole], [whole, .null], ["one": whole], ["one": [whole]], whole, [whole],
        ]
        for (make, wanted) in zip(documents, wanted) {
            let rows = try await rows(index { $1(["k", make($0)] as [Any?], make($0)) })
            #expect(rows.map(\.valueJSON) == [wanted])
            #expect(rows.map(\.keyJSON) == [["k", wanted]])
        }
    }

    @Test func `changed in the map has the changes, and must be what JSON can express`()
        async throws
    {
        let changed = try await rows(
            index { document, addIndexRow in
                var copy = document
                copy.id = "other"
                copy["price"] = 4
                addIndexRow(document.id, copy)
            })
        #expect(changed.first?.valueJSON["id"] == "other")
        #expect(changed.first?.valueJSON["price"] == 4)
        let broken = index { document, addIndexRow in
            var copy = document
            copy["price"] = Double.nan
            addIndexRow(document.id, copy)
        }
        try await withDatabase(indexes: [broken]) { database async throws in
            try await database.save(Document(Self.fruit))
            #expect(try await database.runQuery(on: "whole").rows.isEmpty)
            let errors = try database.indexErrors(of: "whole")
            #expect(errors.first?.reason.contains("'price'") == true, "\(errors)")
        }
    }

    @Test func `is reduced and observed with its identifier`() async throws {
        let ids = index({ $1($0.id, $0) }) { _, values, rereduce in
            if rereduce { return values.flatMap { $0 as? [String] ?? [] } }
            return values.map { ($0 as? [String: Any])?["id"] as? String ?? "none" }
        }
        try await withDatabase(indexes: [ids]) { database async throws in
            let inbox = Inbox<[JSONValue]>()
            var query = QueryByKeyRange()
            query.reduce = false
            let observer = database.observeQuery(on: "whole", with: query) {
                inbox.put($0.rows.map(\.valueJSON))
            }
            try await database.save(Document(Self.fruit))
            #expect(await inbox.first { !$0.isEmpty } == [.object(Self.fruit)])
            let reduced = try await database.runQuery(on: "whole").rows
            #expect(reduced.map(\.valueJSON) == [["apple"]])
            if let observer { database.removeObserver(observer) }
        }
    }

    @Test func `in another document keeps its identifier`() async throws {
        try await withDatabase { database async throws in
            var basket: Document = ["id": "basket", "first": Document(Self.fruit)]
            basket["all"] = [Document(Self.fruit)]
            let stored = try await database.save(basket)
            #expect(stored[json: "first"] == .object(Self.fruit))
            #expect(stored[json: "all"] == [.object(Self.fruit)])
        }
    }
}
