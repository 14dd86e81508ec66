import CosmosModel
import Foundation
import Settle
import SettleCosmos
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Syncing with a collection of Cosmos DB` {
    private static let key = AccountConfiguration.emulatorKey
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// A model of the service with a collection, and the collection's address.
    private func withCollection(
        _ body: (_ address: String, Cosmos.Client, ScratchDirectory) async throws -> Void
    ) async throws {
        let server = ModelServer()
        let url = try await server.start()
        let client = Cosmos.Client(cache: nil)
        try client.configure(
            forAccountAt: url, withMasterKey: Self.key, withPermissionMode: .all)
        try await client.create(databaseWithId: "crm")
        try await client.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm")
        try await withScratchDirectory("cosmos") { scratch in
            try await body("\(url)/dbs/crm/colls/people", client, scratch)
        }
        try await server.stop()
    }

    private func run(
        _ arguments: [String], input: String = "", key: String = Self.key, status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> BuiltTool.Outcome {
        let outcome = try await tool.run(
            arguments, input: input, environment: ["SETTLE_COSMOS_KEY": key])
        #expect(
            outcome.status == status, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        #expect(!(outcome.output + outcome.errors).contains(Self.key))
        return outcome
    }

    @Test func `brings two databases to the same state, deletions included`() async throws {
        try await withCollection { address, client, scratch in
            let (shop, copy) = (scratch.file("shop").path, scratch.file("copy").path)
            let items = (1...30).map { "{\"id\":\"i\($0)\",\"city\":\"c\($0 % 3)\"}\n" }
            _ = try await run(["import", shop, "-"], input: items.joined())
            #expect(
                try await run(["sync", shop, address]).output.hasPrefix("30 sent, 0 received in "))
            let keyFile = scratch.file("key")
            try (Self.key + "\n").write(to: keyFile, atomically: true, encoding: .utf8)
            let second = try await run(
                ["sync", copy, address, "--json", "--cosmos-key-file", keyFile.path], key: "")
            #expect(second.output.contains("\"pulled\":30,\"pushed\":0,"))
            _ = try await run(["delete", copy, "i7"])
            _ = try await run(["sync", copy, address])
            _ = try await run(["sync", shop, address])
            let both = try await [shop, copy].asyncMap {
                try await run(["get", $0, "--all", "--json"]).output
            }
            #expect(both[0] == both[1] && both[0].split(separator: "\n").count == 29)
            let one = scratch.file("one").path
            let some = try await run(["sync", one, address, "--channel", "c1"])
            #expect(some.output.hasPrefix("0 sent, 9 received in "))
            _ = try await run(["delete", copy, "i8"])
            _ = try await run(["sync", copy, address, "--hard-deletions"])
            _ = try await run(["sync", shop, address])
            _ = try await run(["sync", shop, address, "--reconcile", "--pull-only"])
            #expect(
                try await run(["get", shop, "--all", "--json"]).output.split(separator: "\n").count
                    == 28)
            #expect(
                try await run(["forget", shop, address]).output.hasPrefix("28 documents removed"))
        }
    }

    @Test func `keeps documents of one id in two partitions apart where it is told to`()
        async throws
    {
        try await withCollection { address, client, scratch in
            for city in ["Bern", "Rom"] {
                _ = try await client.create(
                    Cosmos.DocumentProperties(["id": "17", "city": .string(city)]),
                    inCollection: "people", inDatabase: "crm")
            }
            let shop = scratch.file("shop").path
            _ = try await run(["sync", shop, address, "--partition-identifiers"])
            let ids = try await run(["get", shop, "--all", "--json"]).output.split(separator: "\n")
            #expect(ids.count == 2)
            #expect(
                ids.contains { $0.contains("17/Bern") } && ids.contains { $0.contains("17/Rom") })
            let table = try await run(
                ["sync", shop, "http://127.0.0.1:9/tables/items", "--partition-identifiers"],
                status: 64)
            #expect(table.errors.contains("--partition-identifiers"))
        }
    }

    @Test func `says what is wrong with a key, an address or an option`() async throws {
        try await withCollection { address, client, scratch in
            let shop = scratch.file("shop").path
            _ = try await run(["import", shop, "-"], input: #"{"id":"a b","city":"Bern"}"#)
            let none = try await run(["sync", shop, address], key: "", status: 1)
            #expect(none.errors.contains("--cosmos-key-file"))
            let garbled = try await run(["sync", shop, address], key: "not base64", status: 1)
            #expect(garbled.errors.contains("Base64"))
            let wrong = try await run(
                ["sync", shop, address, "--pull-only"],
                key: "bm90IHRoZSBrZXk=", status: 1)
            #expect(wrong.errors.contains("401"))
            let other = scratch.file("other").path
            let missing = try await run(["sync", other, address + "2"], status: 1)
            #expect(missing.errors.contains("no such resource"))
            let short = try await run(
                ["sync", shop, address.replacing("/colls/people", with: "")], status: 64)
            #expect(short.errors.contains("/dbs/DATABASE/colls/COLLECTION"))
            let filtered = try await run(
                ["sync", shop, address, "--filter", "n gt 1"], status: 64)
            #expect(filtered.errors.contains("--channel"))
            let hard = try await run(
                ["sync", shop, "http://127.0.0.1:9/tables/items", "--hard-deletions"], status: 64)
            #expect(hard.errors.contains("--hard-deletions"))
            let refused = try await run(["sync", shop, address], status: 1)
            #expect(refused.errors.contains("'a b'") && refused.errors.contains("space"))
            #expect(
                try await run(["withdraw", shop, address, "--refused", "--drop-both"]).output
                    .hasPrefix("1 change withdrawn"))
        }
    }
}

extension Array where Element: Sendable {
    /// What a closure makes of each element, one after the other.
    fileprivate func asyncMap<Other>(
        _ transform: (Element) async throws -> Other
    ) async throws -> [Other] {
        var others: [Other] = []
        for element in self { others.append(try await transform(element)) }
        return others
    }
}
