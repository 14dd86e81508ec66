import Dispatch
import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

/// The contacts of Docs/Guides/Outbox.md, on devices that share a cloud of files.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Contacts in a cloud of files` {
    private let directory: ScratchDirectory
    private let server = CloudServer()
    private let ann = "contacts/ann.json"

    init() throws {
        directory = try ScratchDirectory("contacts")
    }

    private struct Device {
        let book: ContactBook
        let outbox: Outbox
        var database: Database { book.database }

        func contact(_ id: String = "ann") throws -> [String: JSONValue]? {
            try database.read { try $0.document(id)?.json }
        }

        func set(_ name: String, _ value: String, of id: String = "ann") async throws {
            try await book.edit(id) { $0[name] = value }
        }

        func close() async {
            await outbox.close()
            await database.close()
        }
    }

    private func database(_ name: String) async throws -> Database {
        let configuration = Database.OpenDatabaseConfiguration(
            name: name, fileLocation: directory.url,
            completionQueue: DispatchQueue(label: name), durability: .relaxed)
        return try #require(try await Database.open(with: configuration, create: true))
    }

    /// A device; after a failure it waits until it is told to try again.
    private func device(_ name: String, _ url: URL) async throws -> Device {
        let book = ContactBook(
            database: try await database(name), cloud: FooBarCloud(url),
            retries: RetryPolicy(first: 36_000, longest: 36_000))
        return Device(book: book, outbox: try await book.open())
    }

    private func stored(_ id: String = "ann") throws -> [String: JSONValue] {
        let file = try #require(server.files["contacts/\(id).json"])
        return try Document(json: file.text).json
    }

    @Test func `are sent with the ETag that is known, and the new one is kept`() async throws {
        let a = try await device("a", server.start())
        try await a.set("firstName", "Robby")
        try await a.outbox.isEmptied()
        #expect(try a.outbox.read { try $0.tag("etag", of: ann) } == .string("\"1\""))
        try await a.set("firstName", "Robbie")
        try await a.outbox.isEmptied()
        #expect(try a.outbox.read { try $0.tag("etag", of: ann) } == .string("\"2\""))
        #expect(try stored() == ["firstName": "Robbie"])
        #expect(server.files.log == ["PUT \(ann) 200", "PUT \(ann) 200"])
        await a.close()
        try await server.stop()
    }

    @Test func `keep what two devices have changed in different fields`() async throws {
        let url = try await server.start()
        let (a, b) = (try await device("a", url), try await device("b", url))
        try await a.book.edit("ann") {
            $0["firstName"] = "Robby"
            $0["phone"] = "1"
        }
        try await a.outbox.isEmptied()
        try await b.book.fetch("ann")
        try await a.set("firstName", "Robbie")
        try await a.outbox.isEmptied()
        try await b.set("phone", "2")
        try await b.outbox.isEmptied()
        #expect(try stored() == ["firstName": "Robbie", "phone": "2"])
        #expect(try b.contact() == stored())
        try await a.book.fetch("ann")
        #expect(try a.contact() == stored())
        #expect(
            server.files.log.suffix(4) == [
                "PUT \(ann) 412", "GET \(ann) 200", "PUT \(ann) 200", "GET \(ann) 200",
            ])
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `have the field of the device that came first when two have changed it`()
        async throws
    {
        let url = try await server.start()
        let (a, b) = (try await device("a", url), try await device("b", url))
        try await a.book.edit("ann") {
            $0["firstName"] = "Robby"
            $0["phone"] = "1"
        }
        try await a.outbox.isEmptied()
        try await b.book.fetch("ann")
        try await a.set("firstName", "Robbie")
        try await a.outbox.isEmptied()
        try await b.book.edit("ann") {
            $0["firstName"] = "Bob"
            $0["phone"] = nil
        }
        try await b.outbox.isEmptied()
        #expect(try stored() == ["firstName": "Robbie"])
        #expect(try b.contact() == stored())
        // Nothing is left to be sent where all that was changed had been changed before.
        try await b.set("firstName", "Rob")
        try await b.outbox.isEmptied()
        try await a.set("firstName", "Rupert")
        try await a.outbox.isEmptied()
        #expect(try a.contact() == ["firstName": "Rob"])
        #expect(try stored() == ["firstName": "Rob"])
        #expect(server.files.log.last == "GET \(ann) 200")
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `made on two devices under one identifier are one contact`() async throws {
        let url = try await server.start()
        let (a, b) = (try await device("a", url), try await device("b", url))
        try await a.set("firstName", "Ann")
        try await a.outbox.isEmptied()
        try await b.set("phone", "2")
        try await b.outbox.isEmptied()
        #expect(try stored() == ["firstName": "Ann", "phone": "2"])
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `are sent when a server that could not be reached is there again`() async throws {
        let a = try await device("a", server.start())
        try await a.set("firstName", "Ann")
        try await a.outbox.isEmptied()
        try await server.stop()
        var failures = a.outbox.failures.makeAsyncIterator()
        try await a.set("firstName", "Anna")
        let failure = await failures.next()
        #expect(failure?.error is URLError)
        #expect(failure?.retryDate != nil)
        // The next edit waits behind the one that failed.
        try await a.set("phone", "1")
        #expect(try a.outbox.read { try $0.operations().map(\.startCount) } == [1, 0])
        _ = try await server.start()
        try await a.book.retryNow()
        try await a.outbox.isEmptied()
        #expect(try stored() == ["firstName": "Anna", "phone": "1"])
        await a.close()
        try await server.stop()
    }

    @Test func `that were stored are recognised when the answer is lost`() async throws {
        let a = try await device("a", server.start())
        try await a.set("firstName", "Ann")
        try await a.outbox.isEmptied()
        server.files.loseAnswer(of: ann)
        var failures = a.outbox.failures.makeAsyncIterator()
        try await a.set("firstName", "Anna")
        #expect(await failures.next() != nil)
        // Edited once more before it is known what has become of the first.
        try await a.set("firstName", "Annabel")
        try await a.book.retryNow()
        try await a.outbox.isEmptied()
        #expect(try stored() == ["firstName": "Annabel"])
        #expect(try a.contact() == stored())
        let etag = server.files[ann]?.etag
        #expect(try a.outbox.read { try $0.tag("etag", of: ann) } == etag.map { .string($0) })
        // Found, merged with the second edit and stored; and stored for the second edit.
        #expect(
            server.files.log.dropFirst(2) == [
                "PUT \(ann) 412", "GET \(ann) 200", "PUT \(ann) 200", "PUT \(ann) 200",
            ])
        await a.close()
        try await server.stop()
    }

    @Test func `that were stored are recognised when the app has ended before it knew`()
        async throws
    {
        let url = try await server.start()
        var a = try await device("a", url)
        try await a.set("firstName", "Ann")
        try await a.outbox.isEmptied()
        let gate = server.files.slowAnswers(of: ann)
        try await a.set("firstName", "Anna")
        await gate.arrival()
        // Nothing that the app could still say about the operation is stored.
        await a.database.close()
        await a.outbox.close()
        gate.open()
        let log = server.files.log
        #expect(log.last == "PUT \(ann) 200")
        let left = try await database("a")
        let operations = try left.read { try OutboxSnapshot(in: $0).operations() }
        #expect(operations.map(\.status) == [.active])
        #expect(operations.map(\.startCount) == [1])
        await left.close()
        a = try await device("a", url)
        try await a.outbox.isEmptied()
        #expect(server.files.log.dropFirst(log.count) == ["PUT \(ann) 412", "GET \(ann) 200"])
        #expect(try a.outbox.read { try $0.tag("etag", of: ann) } == .string("\"2\""))
        #expect(try a.contact() == ["firstName": "Anna"])
        await a.close()
        try await server.stop()
    }

    @Test func `keep their attachments, which the cloud does not have`() async throws {
        let url = try await server.start()
        let (a, b) = (try await device("a", url), try await device("b", url))
        try await a.set("firstName", "Robby")
        try await a.outbox.isEmptied()
        try await b.book.fetch("ann")
        try await b.book.edit("ann") {
            $0.attachments = [
                DocumentAttachment(
                    name: "photo", contentType: "image/jpeg", data: Data([1, 2, 3]))
            ]
        }
        try await b.outbox.isEmptied()
        func photos() throws -> [String]? {
            try b.database.read { try $0.document("ann")?.attachments.map(\.name) }
        }
        // A merge, and a fetch.
        try await a.set("phone", "1")
        try await a.outbox.isEmptied()
        try await b.set("lastName", "Smith")
        try await b.outbox.isEmptied()
        #expect(server.files.log.contains("PUT \(ann) 412"))
        #expect(try photos() == ["photo"])
        try await a.set("phone", "2")
        try await a.outbox.isEmptied()
        try await b.book.fetch("ann")
        #expect(try b.contact() == stored())
        #expect(try photos() == ["photo"])
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `lose no edit of two devices that both edit all the time`() async throws {
        let url = try await server.start()
        let (a, b) = (try await device("a", url), try await device("b", url))
        for id in ["ann", "bob"] {
            try await a.set("made", "a", of: id)
            try await a.outbox.isEmptied()
            try await b.book.fetch(id)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (name, device) in [("a", a), ("b", b)] {
                group.addTask {
                    for number in 1...10 {
                        let id = number % 2 == 0 ? "ann" : "bob"
                        try await device.set("\(name)\(number)", "\(number)", of: id)
                        if number % 3 == 0 { try await device.outbox.isEmptied() }
                    }
                    try await device.outbox.isEmptied()
                }
            }
            try await group.waitForAll()
        }
        for id in ["ann", "bob"] {
            var all: [String: JSONValue] = ["made": "a"]
            for number in 1...10 where (number % 2 == 0) == (id == "ann") {
                for name in ["a", "b"] { all["\(name)\(number)"] = .string("\(number)") }
            }
            #expect(try stored(id) == all)
            for device in [a, b] {
                try await device.book.fetch(id)
                #expect(try device.contact(id) == all)
            }
        }
        await a.close()
        await b.close()
        try await server.stop()
    }
}
