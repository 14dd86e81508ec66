import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@testable import SettleCommand

/// An operation of an application: a contact that goes to a service.
struct PutContact: OutboxOperation {
    static let operationName = "putContact"
    var secret: String
}

/// Another one, which not every application knows.
struct SendPhoto: OutboxOperation {
    static let operationName = "sendPhoto"
    var file: String
}

/// The identifiers of operations that tests store.
enum StoredID {
    static let first = id("AAAA0000")
    static let second = id("AAAA1111")
    static let later = id("BBBB0000")
    static let photo = id("CCCC0000")

    private static func id(_ beginning: String) -> UUID {
        let text = beginning + "-0000-4000-8000-000000000001"
        guard let id = UUID(uuidString: text) else { fatalError("\(text) is no identifier.") }
        return id
    }
}

/// Databases with an outbox, as an application leaves them behind.
struct StoredOutbox {
    /// What the tool is given.
    let path: String
    let scratch: ScratchDirectory

    /// A new database whose application has two pipelines.
    static func with(_ body: (StoredOutbox) async throws -> Void) async throws {
        try await withScratchDirectory("outbox") { scratch in
            let stored = StoredOutbox(path: scratch.file("shop").path, scratch: scratch)
            try await stored.use { _, _ in }
            try await body(stored)
        }
    }

    /// Uses the database and its outbox, which only queues, and closes both.
    func use(_ body: (Database, Outbox) async throws -> Void) async throws {
        try await DatabasePath(parsing: path).withDatabase(create: true) { database in
            let outbox = try await database.openOutbox(
                OutboxConfiguration(
                    operations: [PutContact.self, SendPhoto.self],
                    pipelines: [
                        PipelineConfiguration(),
                        PipelineConfiguration("photos", algorithm: .flatGraph),
                    ], isRunning: false))
            try await body(database, outbox)
            await outbox.close()
        }
    }

    /// Stores operations in both pipelines: the second waits for the first, a third is in a
    /// graph of its own; a photo is held.
    func fill() async throws {
        try await use { database, outbox in
            try await database.write { transaction in
                try transaction.save(["id": "ann", "age": 7])
                let queue = try outbox.with(transaction)
                try queue.add(
                    PutContact(secret: "x-1"), id: StoredID.first, about: ["ann"],
                    recordsChanges: true)
                try queue.add(
                    PutContact(secret: "x-2"), id: StoredID.second, about: ["ann", "bob"],
                    dependencies: [StoredID.first], priority: 5)
                try queue.add(
                    SendPhoto(file: "x-3"), id: StoredID.photo, pipeline: "photos")
                try queue.hold(
                    StoredID.photo, until: Date(timeIntervalSince1970: 4_000_000_000),
                    context: "wifi")
            }
            try await outbox.write {
                try $0.add(PutContact(secret: "x-4"), id: StoredID.later)
            }
        }
    }

    /// The operations that are left, in order.
    func operations() async throws -> [QueuedOperation] {
        try await DatabasePath(parsing: path).withDatabase(isReadOnly: true) { database in
            try database.read { try OutboxSnapshot(in: $0).operations() }
        }
    }

    /// An operation that is there.
    func operation(_ id: UUID) async throws -> QueuedOperation {
        try #require(try await operations().first { $0.id == id })
    }
}
