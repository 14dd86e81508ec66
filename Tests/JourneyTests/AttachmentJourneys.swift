import Dispatch
import Foundation
import Settle
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Attachments from one database to another, by way of a real server.
@Suite(.serialized) struct `Attachments and a server` {
    private let place: JourneyPlace
    private var server: JourneyServer { place.server }

    init() throws {
        place = try JourneyPlace("attachments")
    }

    private func database(_ name: String) async throws -> Database {
        try await place.database(name)
    }

    private func configuration(_ table: URL) async throws -> ReplicationConfiguration {
        let token = try await TableServer.token(secret: JourneyServer.secret, subject: "test")
        return ReplicationConfiguration(
            url: table, isRepeating: false,
            options: [AzureTablesBackend.OptionName.token: token])
    }

    /// Content that no range begins or ends in by accident, longer than what is fetched at once.
    private static let film = Data((0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    @Test func `go there and come here, whole and in ranges, and go when they are removed`()
        async throws
    {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        var document: Document = ["id": "odd id/ü?", "n": 1]
        document.attachments = [
            DocumentAttachment(name: "a film.mp4", contentType: "video/mp4", data: Self.film),
            DocumentAttachment(name: "é/ü?.txt", contentType: "text/plain", data: Data("hi".utf8)),
            DocumentAttachment(name: "empty", contentType: "text/plain", data: Data()),
        ]
        try await a.save(document)
        let pushed = try await a.replicate(with: try await configuration(table))
        #expect(pushed.pushed == 1 && pushed.rejected == 0)
        let pulled = try await b.replicate(with: try await configuration(table))
        #expect(pulled.pulled == 1)
        let here = try #require(try await b.fetchDocument("odd id/ü?"))
        #expect(here.attachments.count == 3)
        for attachment in here.attachments {
            let original = try #require(document.attachments.first { $0 == attachment })
            let (received, sent) = (try attachment.data(), try original.data())
            #expect(received == sent, "\(attachment.name)")
        }
        #expect(try b.pendingOperations().isEmpty)

        var edited = here
        edited.attachments.removeAll { $0.name == "a film.mp4" }
        try await b.save(edited)
        #expect(try await b.replicate(with: try await configuration(table)).pushed == 1)
        try await a.replicate(with: try await configuration(table))
        let names = try await a.fetchDocument("odd id/ü?")?.attachments.map(\.name).sorted()
        #expect(names == ["empty", "é/ü?.txt"])
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `catch up when they were switched off before, on both sides`() async throws {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        var off = try await configuration(table)
        off.options[AzureTablesBackend.OptionName.carriesAttachments] = false
        for (database, name) in [(a, "left"), (b, "right")] {
            var document = try await database.fetchDocument("a") ?? ["id": "a", "n": 1]
            document.attachments.append(
                DocumentAttachment(name: name, contentType: "text/plain", data: Data(name.utf8)))
            try await database.save(document)
            try await database.replicate(with: off)
        }
        // The same document on both, each with a file that the other has not heard of.
        for database in [a, b, a] { try await database.replicate(with: configuration(table)) }
        for database in [a, b] {
            let found = try #require(try await database.fetchDocument("a")).attachments
            let texts = try found.map { String(decoding: try $0.data(), as: UTF8.self) }
            #expect(texts.sorted() == ["left", "right"])
            #expect(try database.pendingOperations().isEmpty)
            await database.close()
        }
        try await server.stop()
    }

    @Test func `come later, when they are wanted`() async throws {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        var document: Document = ["id": "a", "n": 1]
        document.attachments = [
            DocumentAttachment(name: "note", contentType: "text/plain", data: Data("hi".utf8))
        ]
        try await a.save(document)
        try await a.replicate(with: try await configuration(table))
        var later = try await configuration(table)
        later.downloadsAttachments = false
        try await b.replicate(with: later)
        let described = try #require(try await b.fetchDocument("a")?.attachments.first)
        #expect(try !described.isContentAvailable)
        #expect(described.length == 2)
        let count = try await b.downloadAttachments(ofDocumentWithId: "a", with: later)
        #expect(count == 1)
        let fetched = try #require(try await b.fetchDocument("a")?.attachments.first).data()
        #expect(fetched == Data("hi".utf8))
        await a.close()
        await b.close()
        try await server.stop()
    }
}
