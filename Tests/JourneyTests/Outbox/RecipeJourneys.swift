import Dispatch
import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

/// The recipes of Docs/Guides/Outbox.md.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Recipes with a large photo` {
    private let directory: ScratchDirectory
    private let server = CloudServer()
    private let recipes = ["recipes/appetizer.json", "recipes/cookies.json"]
    private let photo = "photos/soup/soup.jpg"

    init() throws {
        directory = try ScratchDirectory("recipes")
    }

    /// A book in which a photo was added and then two recipes, and the photo is on its way.
    private func book(photoPipeline: String) async throws -> (book: RecipeBook, Outbox, Gate) {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "recipes", fileLocation: directory.url,
            completionQueue: DispatchQueue(label: "recipes"), durability: .relaxed)
        let database = try #require(
            try await Database.open(with: configuration, create: true))
        let gate = server.files.slowUploads(of: photo)
        let book = RecipeBook(
            database: database, cloud: FooBarCloud(try await server.start()),
            photoPipeline: photoPipeline)
        let outbox = try await book.open()
        try await book.save(["id": "soup"])
        try await outbox.isEmptied()
        let picture = DocumentAttachment(
            name: "soup.jpg", contentType: "image/jpeg", data: Data(repeating: 7, count: 100_000))
        try await book.addPhoto(picture, to: "soup")
        await gate.arrival()
        try await book.save(["id": "appetizer"])
        try await book.save(["id": "cookies"])
        return (book, outbox, gate)
    }

    private func end(_ book: RecipeBook, _ outbox: Outbox) async throws {
        await outbox.close()
        await book.database.close()
        try await server.stop()
    }

    @Test func `are stored while the photo is on its way through a pipeline of its own`()
        async throws
    {
        let (book, outbox, gate) = try await book(photoPipeline: "photos")
        var changes = outbox.queueChanges.makeAsyncIterator()
        while try !outbox.read({ try $0.operations(in: "default").isEmpty }) {
            _ = await changes.next()
        }
        #expect(recipes.allSatisfy { server.files[$0] != nil })
        #expect(server.files[photo] == nil)
        // The photo's: on its way, or about to be.
        #expect(try outbox.read { try $0.operations().count } == 1)
        gate.open()
        try await outbox.isEmptied()
        #expect(server.files[photo]?.text.utf8.count == 100_000)
        try await end(book, outbox)
    }

    @Test func `wait for the photo where there is one pipeline`() async throws {
        let (book, outbox, gate) = try await book(photoPipeline: Outbox.defaultPipeline)
        let statuses = try outbox.read { try $0.operations().map(\.status) }
        #expect(statuses == [.active, .pending, .pending])
        #expect(recipes.allSatisfy { server.files[$0] == nil })
        gate.open()
        try await outbox.isEmptied()
        let order = server.files.log.suffix(3)
        #expect(Array(order) == ([photo] + recipes).map { "PUT \($0) 200" })
        try await end(book, outbox)
    }
}
