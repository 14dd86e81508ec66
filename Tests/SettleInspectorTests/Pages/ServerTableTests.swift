import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

/// Databases as a server makes them of tables: Docs/Formats/ServerTables.md.
@Suite struct `The pages of a table of a server` {
    static func table() async throws -> TestDatabase {
        let test = try await TestDatabase.open("t-items")
        let items: [(String, JSONValue, Bool)] = [
            ("paris", ["type": "city", "country": "FR", "channels": ["east"]], false),
            ("oslo", ["type": "city", "country": "NO", "channels": ["north"]], false),
            ("seine", ["type": "river", "country": "FR"], true),
        ]
        try await test.database.write { transaction in
            for (number, (id, item, isDeleted)) in items.enumerated() {
                var document = Document(id: id)
                document[json: "item"] = item
                document[json: "createdAt"] = .integer(Int64(number))
                document[json: "updatedAt"] = .integer(Int64(number))
                document[json: "deleted"] = .bool(isDeleted)
                document[json: "left"] = ["gone": 1]
                _ = try transaction.save(document)
            }
            try transaction.sideTable(named: "server.clock")
                .set([0, 0, 0, 0, 0, 0, 0, 2], for: Array("updatedAt".utf8))
        }
        return test
    }

    private func found(_ page: TestInspector.Page, _ inspector: TestInspector) -> [String] {
        let start = inspector.path("document?id=")
        return page.links.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    @Test func `list and search items by what is in them`() async throws {
        let test = try await Self.table()
        let inspector = try await TestInspector(test.database)
        let list = try await inspector.page("documents")
        #expect(list.text.contains("<bdi>city</bdi>") && list.text.contains("<bdi>river</bdi>"))
        for (condition, expected) in [
            ("{\"country\": \"FR\"}", ["paris", "seine"]),
            ("{\"country\": \"FR\", \"deleted\": false}", ["paris"]), ("{\"left.gone\": 1}", []),
        ] {
            let page = try await inspector.page("documents", ["where": condition])
            #expect(found(page, inspector) == expected, "\(condition)")
        }
        let cities = try await inspector.page("documents", ["type": "city"])
        #expect(found(cities, inspector) == ["oslo", "paris"])
        let paris = try await inspector.page("document", ["id": "paris"]).text
        #expect(paris.contains("<dt>Type</dt>") && paris.contains("<bdi>east</bdi>"))
        let seine = try await inspector.page("document", ["id": "seine"]).text
        #expect(seine.contains("The item was deleted") && !paris.contains("The item was deleted"))
        await test.close()
    }
}
