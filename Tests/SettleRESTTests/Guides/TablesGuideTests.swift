import Dispatch
import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

/// The code of Docs/Guides/Tables.md, line by line, run against a table.
@Suite(.serialized) struct `Tables guide` {
    actor LoginSession {
        private(set) var token = "old"

        func refreshed() throws -> String {
            token = "new"
            return token
        }
    }

    struct Keychain: TokenProvider {
        let session: LoginSession

        func token(replacing refused: String?) async throws -> String? {
            refused == nil ? await session.token : try await session.refreshed()
        }
    }

    @Test func `shows code that works`() async throws {
        let url = try #require(URL(string: "https://example.org/tables/notes"))
        let transport = ModelTable()
        let scratch = try ScratchDirectory("guide")
        let database = try #require(
            try await Database.open(
                with: Database.OpenDatabaseConfiguration(
                    name: "db", fileLocation: scratch.url,
                    completionQueue: DispatchQueue(label: "settle.tests.completion")),
                create: true))
        let keychain = Keychain(session: LoginSession())
        try await database.save(["id": "a", "done": false])
        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        do {
            let backend = try AzureTablesBackend(
                url: url, tokenProvider: keychain, transport: transport,
                filter: .field("done") == false, safetyWindow: .seconds(30))
            try await database.replicate(with: configuration, using: backend)
        }
        #expect(transport.contents.keys.sorted() == ["a"])

        configuration.options[AzureTablesBackend.OptionName.tokenProvider] = keychain
        configuration.options[AzureTablesBackend.OptionName.dialect] = AzureTablesBackend.Dialect.v3
        let isOpen: ODataPredicate = .field("done") == false
        configuration.options[AzureTablesBackend.OptionName.filter] = isOpen
        let backend = try AzureTablesBackend(configuration)
        #expect(backend.filter == "done eq false")
        await database.close()
    }

    @Test func `shows no line that is not compiled here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Tables.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 10)
    }
}
