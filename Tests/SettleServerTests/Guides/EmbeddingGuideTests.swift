import Configuration
import Foundation
import SettlePostgreSQL
import SettleServer
import TestSupport
import Testing

/// The Swift of the guides to running a server.
@Suite struct `Guides to embedding the server` {
    @Test func `a server with tokens and rules starts and tells its port`() async throws {
        try await withScratchDirectory("embedded") { scratch in
            let directory = scratch.file("tables")
            let rulesFile = try scratch.write(#"{"tables":{}}"#, to: "r.json")
            // Nobody answers there, and the server starts all the same.
            let url = try #require(URL(string: "http://127.0.0.1:9/keys"))
            var configuration = ServerConfiguration(
                directory: directory,
                authentication: .jwt(keySetURL: url).expecting(audience: "tables"))
            configuration.rules = try AccessRules(contentsOf: rulesFile)
            configuration.port = 0
            let server = try TableServer(configuration: configuration)
            let (ports, found) = AsyncStream.makeStream(of: Int.self)
            let running = Task {
                func print(_ text: String) { found.yield(text.count) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await server.run() }
                    let port = try await server.boundPort()
                    print("http://127.0.0.1:\(port)/tables/NAME")
                    try await group.waitForAll()
                }
            }
            var lengths = ports.makeAsyncIterator()
            #expect(await lengths.next() ?? 0 > "http://127.0.0.1:/tables/NAME".count)
            running.cancel()
            _ = await running.result
        }
    }

    @Test func `settings of any reader make a configuration`() async throws {
        let file = InMemoryProvider(values: [
            "settle.directory": "/nowhere", "settle.anonymous": true, "settle.pageMax": 10,
        ])
        let settings = ConfigReader(providers: [EnvironmentVariablesProvider(), file])
        let configuration = try await ServerConfiguration(reader: settings.scoped(to: "settle"))
        #expect(configuration.topMax == 10)
    }

    @Test func `pages of an origin may be let in`() {
        var configuration = ServerConfiguration(directory: URL(fileURLWithPath: "/nowhere"))
        configuration.crossOriginSharing = .origins(["https://app.example.com"])
        #expect(configuration.crossOriginSharing != nil)
    }

    @Test func `a server over PostgreSQL is made without asking it`() throws {
        let store = ServerStore.postgreSQL(
            url: "postgresql://settle@db.example.com/settle?sslmode=verify-full")
        let server = try TableServer(configuration: ServerConfiguration(store: store))
        withExtendedLifetime(server) {}
    }
}
