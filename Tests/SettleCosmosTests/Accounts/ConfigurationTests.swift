import Foundation
import Settle
import SettleREST
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Configuration` {
    @Test func `is asked for before the first call`() async throws {
        let client = Cosmos.Client(cache: nil)
        #expect(!client.isConfigured)
        await #expect {
            try await client.get(databaseWithId: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .configureError }
        try client.configure(
            forAccountNamed: "contoso", withMasterKey: emulatorKey, withPermissionMode: .all)
        #expect(client.isConfigured)
        #expect(client.account?.description == "https://contoso.documents.azure.com")
        client.reset()
        #expect(!client.isConfigured)
    }

    @Test func `comes from a property list`() throws {
        let scratch = try ScratchDirectory("plist")
        let url = scratch.url.appendingPathComponent("Cosmos.plist")
        func write(_ entries: [String: String]) throws {
            try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
                .write(to: url)
        }
        let client = Cosmos.Client(cache: nil)
        try write(["CosmosAccountName": "contoso", "CosmosMasterKey": emulatorKey])
        try client.configure(withPlistAt: url, withPermissionMode: .read)
        #expect(client.account?.description == "https://contoso.documents.azure.com")
        try write([
            "ADDatabaseAccountUrl": "https://localhost:8081/", "ADDatabaseAccountKey": emulatorKey,
        ])
        try client.configure(withPlistAt: url, withPermissionMode: .read)
        #expect(client.account?.description == "https://localhost:8081")
        for entries in [[:], ["CosmosMasterKey": emulatorKey], ["CosmosAccountName": "contoso"]] {
            try write(entries)
            #expect {
                try client.configure(withPlistAt: url, withPermissionMode: .read)
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .configureError }
        }
        #expect {
            try client.configure(withPlistNamed: "None", withPermissionMode: .read)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .configureError }
    }

    @Test(arguments: ["", "ab", "Contoso", "con.toso", "a/b", String(repeating: "a", count: 45)])
    func `refuses names that no account has`(name: String) {
        #expect {
            try Cosmos.Account(named: name)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .configureError }
    }

    @Test(arguments: [
        "ftp://a", "https://", "https://a/path", "https://user:secret@a", "https://a?q", "relative",
    ])
    func `refuses addresses that are none, and shows no secret`(address: String) throws {
        let url = try #require(URL(string: address))
        #expect {
            try Cosmos.Account(at: url)
        } throws: {
            let error = $0 as? Cosmos.ClientError
            return error?.kind == .configureError && error?.message.contains("secret") == false
        }
    }

    @Test func `for reading only sends no write`() async throws {
        let transport = StubTransport { _, _ in FullHTTPResponse(200) }
        let client = try Cosmos.Client.stubbed(
            by: transport,
            credentials: .masterKey(try Cosmos.MasterKey(emulatorKey), mode: .read))
        await #expect {
            try await client.create(databaseWithId: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .permissionError }
        #expect(transport.sent.isEmpty)
    }

    struct Tokens: TokenProvider {
        func token(replacing refused: String?) async throws -> String? {
            refused == nil ? "old" : "new"
        }
    }

    @Test func `with tokens of Microsoft Entra hands them in, and a fresh one after a refusal`()
        async throws
    {
        let transport = StubTransport { sent, number in
            number == 0 ? FullHTTPResponse(401) : FullHTTPResponse(200, ["id": "d"])
        }
        let client = try Cosmos.Client.stubbed(by: transport, credentials: .bearer(Tokens()))
        _ = try await client.get(databaseWithId: "d")
        #expect(
            transport.sent.map { $0.header("authorization") } == [
                "type%3Daad%26ver%3D1.0%26sig%3Dold", "type%3Daad%26ver%3D1.0%26sig%3Dnew",
            ])
    }
}
