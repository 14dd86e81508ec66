import Foundation
import Settle
import SettleSync

/// The whole road once: two clients and a server in one process, on real documents.
struct Demo {
    let story: DemoStory
    let folder: DemoFolder
    let citiesPath: String

    /// Client B's share of the world, and what its token lets it write.
    static let continent = "EU"
    static let country = "FR"
    static let channels = ["continent-EU"]
    static let writableChannels = ["continent-EU", "country-FR"]

    /// Tells the story and closes everything, whatever happens.
    ///
    /// - Throws: ``DemoStory/UnmetExpectation`` when an expectation does not come true, and what the
    ///   parts throw.
    func run() async throws {
        try story.say("Two clients, a server, and the cities of the world.")
        var server: DemoServer?
        do {
            server = try await startServer()
            if let server { try await tell(with: server) }
        } catch {
            await Database.prepareForShutdown()
            try? await server?.end()
            throw error
        }
        await Database.prepareForShutdown()
        try await server?.end()
        try story.end()
    }

    private func tell(with server: DemoServer) async throws {
        let a = try await openClientA()
        let census = try await importCities(into: a)
        try await showContinents(of: a, census)
        try await showCountries(of: a, census)
        let watch = QueryWatch()
        let observer = try await observeCountry(of: a, census, with: watch)
        let everything = ReplicationConfiguration(
            url: server.table, isRepeating: false,
            options: TableRemote.options(token: try await server.token(for: "client A")))
        try await pushEverything(of: a, everything, census)

        let token = try await server.token(for: "client B", channels: Self.writableChannels)
        let continent = ReplicationConfiguration(
            url: server.table, isRepeating: false, options: TableRemote.options(token: token),
            limitToChannels: Self.channels)
        let b = try await pullContinent(continent, census)
        let edits = try await edit(b, continent)
        let people = try await settleConflict(at: a, everything, edits, census)
        try await seeObservedChange(of: people, in: watch, byWayOf: a, observer)
        try await compare(a, b, continent)
        try await mergePerson(with: server)
    }

    private func startServer() async throws -> DemoServer {
        var started: DemoServer?
        try await story.step("A table server starts in this process, on a free port.") {
            let server = try await DemoServer.start(in: folder)
            started = server
            try story.expect(server.port > 0, "The server listens on no port.")
            try story.note("\(server.table.absoluteString), tokens signed with a fresh secret")
            return "1 server listens,"
        }
        guard let started else { preconditionFailure("A step that does not throw was done.") }
        return started
    }

    /// The configuration of a client: its database is called after it.
    func configuration(_ name: String) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(
            name: name, fileLocation: folder.url, indexes: [Census.index],
            completionQueue: DispatchQueue(label: "settle.demo.\(name)"))
    }
}
