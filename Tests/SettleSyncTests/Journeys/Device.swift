import Foundation
import Settle
import SettlePrimitives
import SettleSync
import Synchronization
import TestSupport
import Testing

/// A database in a directory of its own, with short words for what the tests do to it.
struct Device {
    let scratch: ScratchDirectory
    let database: Database
    private let ending: Ending

    /// Closes a database when the last copy of its device is gone: of so many, open files and threads
    /// would else add up.
    private final class Ending: Sendable {
        private let database: Database
        private let scratch: ScratchDirectory

        init(_ database: Database, in scratch: ScratchDirectory) {
            self.database = database
            self.scratch = scratch
        }

        deinit {
            Task { [database, scratch] in
                await database.close()
                withExtendedLifetime(scratch) {}
            }
        }
    }

    private init(in scratch: ScratchDirectory) async throws {
        self.scratch = scratch
        database = try await openDatabase(in: scratch.url)
        ending = Ending(database, in: scratch)
    }

    init() async throws {
        try await self.init(in: ScratchDirectory("device"))
    }

    /// The same directory, opened again.
    init(reopening device: Device) async throws {
        await device.database.close()
        try await self.init(in: device.scratch)
    }

    func put(_ id: String, _ members: [String: JSONValue]) async throws {
        var document = Document(id: id)
        for (name, value) in members { document[json: name] = value }
        try await database.save(document)
    }

    func members(_ id: String) async throws -> [String: JSONValue]? {
        try await database.fetchDocument(id)?.json
    }

    @discardableResult
    func replicate(
        _ server: ModelServer, _ handler: ConflictHandler = .leave
    ) async throws -> ReplicationSummary {
        try await replicate(ModelBackend(server: server)) { $0.conflictHandler = handler }
    }

    @discardableResult
    func replicate(
        _ backend: ModelBackend, _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) async throws -> ReplicationSummary {
        try await database.replicate(with: configuration(change), using: backend)
    }

    func configuration(
        isRepeating: Bool = false, _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) throws -> ReplicationConfiguration {
        let url = try #require(URL(string: "model:"))
        var configuration = ReplicationConfiguration(url: url, isRepeating: isRepeating)
        configuration.retryLimit = 0
        change(&configuration)
        return configuration
    }
}

/// Gives its elements one after the other, and the last one for ever.
final class Script<Element: Sendable>: Sendable {
    private let rest: Lock<[Element]>
    private let last: Element

    init(_ elements: [Element], then last: Element) {
        rest = Lock(elements)
        self.last = last
    }

    func next() -> Element {
        rest.withLock { $0.isEmpty ? last : $0.removeFirst() }
    }
}
