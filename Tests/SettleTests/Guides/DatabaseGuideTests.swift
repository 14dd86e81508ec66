import Foundation
import Settle
import TestSupport
import Testing

/// The code of Docs/Guides/Database.md, run.
@Suite(.serialized) struct `The guide to documents, indexes, and queries` {
    @Test func `does what it says`() async throws {
        let directory = try ScratchDirectory("guide")
        let folder = directory.url
        let byColour = Database.Index(
            name: "byColour", version: "1",
            map: { document, addIndexRow in
                guard document.metaData.type == "fruit" else { return }
                addIndexRow([document["colour"], document.id] as [Any?], document["price"])
            },
            reduce: { _, values, _ in
                values.compactMap { ($0 as? NSNumber)?.doubleValue }.reduce(0, +)
            })
        let configuration = Database.OpenDatabaseConfiguration(
            name: "orchard", fileLocation: folder, indexes: [byColour])
        let opened = try await Database.open(with: configuration, create: true)
        guard let database = opened else { return }

        var apple: Document = [
            "id": "apple", "type": "fruit", "colour": "red", "price": 3, "picked": Date(),
        ]
        apple = try await database.add(apple)
        let stale = apple
        apple["price"] = 4
        apple = try await database.update(apple)
        let found = try await database.fetchDocument("apple")
        let price = found?["price", as: Double.self]
        let picked = found?["picked"] as? Date
        #expect(price == 4 && picked != nil)
        do {
            try await database.update(stale)
        } catch let error as DatabaseError where error.code == .conflict {
            var current = try await database.fetchDocument(stale.id) ?? Document(id: stale.id)
            current["price"] = stale["price"]
            try await database.save(current)
        }
        #expect(try await database.fetchDocument("apple")?["price"] as? Int == 3)
        try await database.write { transaction in
            for name in ["cherry", "plum"] {
                try transaction.add(["id": name, "type": "fruit", "colour": "red", "price": 2])
            }
            try transaction.delete(documentWithId: "apple")
        }
        let byPrice = Database.Index.keyPaths(
            name: "byPrice", keys: [["colour"], ["price"]], value: ["price"], reduce: .stats)
        try await database.addIndex(byPrice)
        let stats = try await database.runQuery(on: "byPrice").rows.first?.value as? [String: Any]
        #expect(stats?["sum"] as? Int == 4)

        let bundle = try directory.folder("bundle")
        try await database.backup(to: bundle, name: "cities")
        let bundled = bundle.appendingPathComponent("cities.settle", isDirectory: true)
        let shipped = Database.OpenDatabaseConfiguration(
            name: "cities", fileLocation: folder, indexes: [byColour], prebuilt: bundled)
        let cities = try await Database.open(with: shipped, create: true)
        #expect(try cities?.totalDocumentCount == 2)
        await cities?.close()
        let reference = Database.OpenDatabaseConfiguration(
            name: "cities", fileLocation: bundle, isReadOnly: true)
        let lookup = try await Database.open(with: reference)
        #expect(try await lookup?.runQuery(on: "byPrice").count == 1)
        await lookup?.close()

        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        let end: [Any] = ["red", [:] as [String: Any]]
        var query = QueryByKeyRange(startKey: ["red"], endKey: end)
        query.reduce = false
        query.includeDocuments = true
        for row in try await database.runQuery(on: "byColour", with: query) {
            print(row.key ?? "no key", row.value ?? "no value", row.document?.id ?? "no document")
        }
        #expect(printed == [#"["red", "cherry"] 2 cherry"#, #"["red", "plum"] 2 plum"#])
        printed = []
        var totals = QueryByKeyRange()
        totals.groupLevel = 1
        for row in try await database.runQuery(on: "byColour", with: totals) {
            print(row.key ?? "no key", row.value ?? 0)
        }
        #expect(printed == [#"["red"] 4.0"#])

        let (stream, results) = AsyncStream<Int>.makeStream()
        let observer = database.observeQuery(on: "byColour", with: totals) { result in
            results.yield(result.count)
        }
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        if let observer { database.removeObserver(observer) }
        await database.close()
    }

    @Test func `shows only lines that are run here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Database.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 40)
    }
}
