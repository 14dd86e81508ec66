import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Links of documents and cloud URIs` {
    private func fixture(documents: [String]) async throws -> QueueFixture {
        let queue = try await QueueFixture()
        try await queue.database.write { transaction in
            for id in documents { try transaction.save(Document(id: id)) }
        }
        return queue
    }

    private func links(_ queue: QueueFixture, of ids: [String]) throws -> [[String]] {
        try queue.outbox.read { snapshot in try ids.map { try snapshot.cloudURIs(of: $0) } }
    }

    private func documents(_ queue: QueueFixture, _ uris: [String]) throws -> [[String]] {
        try queue.outbox.read { snapshot in
            try uris.map { try snapshot.documentIds(attachedTo: $0) }
        }
    }

    @Test func `are many to many, and outlast a restart`() async throws {
        var queue = try await fixture(documents: ["a", "b", "ab"])
        try await queue.outbox.write { queue in
            for (uri, id) in [
                ("u:2", "a"), ("u:1", "a"), ("u:1", "b"), ("u:1", "ab"), ("u:1", "a"),
            ] {
                try queue.attach(uri, to: id)
            }
        }
        queue = try await queue.reopened()
        var found = try links(queue, of: ["a", "b", "ab", "none"])
        #expect(found == [["u:1", "u:2"], ["u:1"], ["u:1"], []])
        var others = try documents(queue, ["u:1", "u:2", "u:"])
        #expect(others == [["a", "ab", "b"], ["a"], []])
        let answers = try await queue.outbox.write { queue in
            [try queue.detach("u:1", from: "a"), try queue.detach("u:1", from: "a")]
        }
        #expect(answers == [true, false])
        found = try links(queue, of: ["a", "b"])
        #expect(found == [["u:2"], ["u:1"]])
        others = try documents(queue, ["u:1"])
        #expect(others == [["ab", "b"]])
    }

    @Test func `need a document of those very bytes`() async throws {
        let queue = try await fixture(documents: ["caf\u{E9}"])
        let thrown = try await code {
            try await queue.outbox.write { queue in
                for id in ["caf\u{E9}", "cafe\u{301}"] { try queue.attach("u:1", to: id) }
            }
        }
        #expect(thrown == .documentNotFound)
    }

    @Test func `end when the document is deleted or purged, whoever does it`() async throws {
        let queue = try await fixture(documents: ["a", "b", "c"])
        try await queue.outbox.write { queue in
            for id in ["a", "b", "c"] {
                try queue.attach("u:1", to: id)
                try queue.attach("u:2", to: id)
            }
        }
        try await queue.database.delete(documentWithId: "a")
        try await queue.database.purge(documentsWithIds: ["b"])
        let found = try links(queue, of: ["a", "b", "c"])
        #expect(found == [[], [], ["u:1", "u:2"]])
        let others = try documents(queue, ["u:1", "u:2"])
        #expect(others == [["c"], ["c"]])
    }

    @Test func `stay when the document is deleted and saved again in one closure`() async throws {
        let queue = try await fixture(documents: ["a"])
        try await queue.outbox.write { try $0.attach("u:1", to: "a") }
        try await queue.database.write { transaction in
            try transaction.delete(documentWithId: "a")
            try transaction.save(Document(id: "a"))
        }
        let found = try links(queue, of: ["a"])
        #expect(found == [["u:1"]])
    }

    @Test func `may come before their document, which has to come in the same closure`()
        async throws
    {
        let queue = try await fixture(documents: [])
        let outbox = queue.outbox
        try await queue.database.write { transaction in
            let queue = try outbox.with(transaction)
            try queue.attach("u:1", to: "new")
            let (pending, back) = (
                try queue.cloudURIs(of: "new"), try queue.documentIds(attachedTo: "u:1")
            )
            #expect(pending == ["u:1"] && back == ["new"])
            try transaction.save(Document(id: "new"))
        }
        var found = try links(queue, of: ["new"])
        #expect(found == [["u:1"]])
        let thrown = try await code {
            try await queue.database.write { transaction in
                try transaction.save(Document(id: "other"))
                try outbox.with(transaction).attach("u:2", to: "never")
            }
        }
        #expect(thrown == .documentNotFound)
        let gone = try await code {
            try await queue.database.write { transaction in
                try outbox.with(transaction).attach("u:3", to: "new")
                try transaction.delete(documentWithId: "new")
            }
        }
        #expect(gone == .documentNotFound)
        let document = try await queue.database.fetchDocument("other")
        #expect(document == nil)
        found = try links(queue, of: ["never", "other", "new"])
        #expect(found == [[], [], ["u:1"]])
        // Attached by mistake and detached again.
        try await outbox.write { queue in
            try queue.attach("u:4", to: "never")
            try queue.detach("u:4", from: "never")
        }
    }

    @Test func `are pending until the upload is known, and outlast a restart so`() async throws {
        var queue = try await fixture(documents: ["a", "b", "c"])
        try await queue.outbox.write { queue in
            try queue.attach("u:1", to: "a", isPending: true)
            try queue.attach("u:1", to: "b")
            try queue.attach("u:2", to: "c", isPending: true)
        }
        queue = try await queue.reopened()
        let (to, of, pending) = try queue.outbox.read { snapshot in
            (
                try snapshot.links(to: "u:1"), try snapshot.links(of: "a"),
                try snapshot.pendingLinks()
            )
        }
        #expect(to.map(\.documentId) == ["a", "b"] && to.map(\.isPending) == [true, false])
        #expect(to.map(\.uri) == ["u:1", "u:1"] && to.allSatisfy(\.hasDocument))
        #expect(of == [to[0]])
        #expect(pending.map(\.documentId) == ["a", "c"])
        // Saved again before the upload, then uploaded, then saved again.
        try await queue.outbox.write { try $0.attach("u:1", to: "a", isPending: true) }
        var links = try queue.outbox.read { try $0.links(of: "a") }
        #expect(links.map(\.isPending) == [true])
        try await queue.outbox.write { try $0.attach("u:1", to: "a") }
        try await queue.outbox.write { queue in
            try queue.attach("u:1", to: "a", isPending: true)
            let left = try queue.pendingLinks().map(\.documentId)
            #expect(left == ["c"])
        }
        links = try queue.outbox.read { try $0.links(of: "a") }
        #expect(links.map(\.isPending) == [false])
        // Detached, nothing of it is left.
        try await queue.outbox.write { queue in
            try queue.detach("u:1", from: "a")
            try queue.attach("u:1", to: "a", isPending: true)
        }
        try await queue.database.delete(documentWithId: "c")
        links = try queue.outbox.read { try $0.pendingLinks() }
        #expect(links.map(\.documentId) == ["a"])
    }

    @Test func `say in the closure whether their document is there`() async throws {
        let queue = try await fixture(documents: [])
        let outbox = queue.outbox
        try await queue.database.write { transaction in
            let queue = try outbox.with(transaction)
            try queue.attach("u:1", to: "new")
            let before = try queue.links(to: "u:1")
            #expect(before.map(\.hasDocument) == [false] && before.map(\.isPending) == [false])
            try transaction.save(Document(id: "new"))
            let after = try queue.links(of: "new")
            #expect(after.map(\.hasDocument) == [true])
        }
    }

    @Test func `of long URIs are those of no other, and those that are none are refused`()
        async throws
    {
        let queue = try await fixture(documents: ["a", "b"])
        let outbox = queue.outbox
        let long = String(repeating: "u", count: 8_191)
        try await outbox.write { queue in
            try queue.attach(long + "1", to: "a")
            try queue.attach(long + "2", to: "b")
        }
        let found = try documents(queue, [long + "1", long + "2", long])
        #expect(found == [["a"], ["b"], []])
        for (uri, id) in [
            ("", "a"), (long + "12", "a"), ("u", ""), ("u", String(long.prefix(256))),
        ] {
            let thrown = try await code { try await outbox.write { try $0.attach(uri, to: id) } }
            #expect(thrown == .invalidLink)
        }
    }
}
