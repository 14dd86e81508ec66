import Foundation
import Settle
import SettleEntities
import Synchronization
import TestSupport

/// A wall clock that stands still until it is moved.
final class TestTime: Sendable {
    private let seconds: Mutex<Double>

    /// 2026-01-01T00:00:00Z, later by some seconds.
    init(later: Double = 0) {
        seconds = Mutex(1_767_225_600 + later)
    }

    var date: Date { seconds.withLock { Date(timeIntervalSince1970: $0) } }

    func advance(_ by: Double = 1) {
        seconds.withLock { $0 += by }
    }
}

/// A datastore in a directory of its own, with a clock that is moved by hand.
struct Store {
    let scratch: ScratchDirectory
    let time: TestTime
    let datastore: Datastore

    var database: Database { datastore.database }

    init(
        _ device: String = "here", time: TestTime = TestTime(), in scratch: ScratchDirectory? = nil,
        name: String = "store"
    ) async throws {
        let scratch = try scratch ?? ScratchDirectory("entities")
        self.scratch = scratch
        self.time = time
        datastore = try await Datastore.load(
            Database.OpenDatabaseConfiguration(
                name: name, fileLocation: scratch.url, durability: .relaxed, now: { time.date }),
            device: device)
    }

    /// The same directory, opened again.
    func reopened() async throws -> Store {
        await database.close()
        return try await Store(datastore.device, time: time, in: scratch)
    }

    /// Runs a closure with a store and closes it.
    static func with(
        _ device: String = "here", _ body: (Store) async throws -> Void
    ) async throws {
        let store = try await Store(device)
        try await body(store)
        await store.database.close()
        withExtendedLifetime(store.scratch) {}
    }

    /// Writes properties of an entity, which is created when it is missing.
    func update(_ id: String, _ properties: PropertyDictionary) async throws {
        let reference = Entity.identifiedBy(id, createAs: "person")
        reference.addUpdates(properties)
        try await datastore.update(properties: [reference])
    }

    /// All properties of an entity.
    func read(_ id: String) async throws -> EntityReference {
        try await datastore.get(allPropertiesOf: [Entity.identifiedBy(id)])[0]
    }

    /// The values of a property, the earliest first.
    func values(of key: PropertyKey, in id: String) async throws -> [Primitive?] {
        try await datastore.history(of: key, in: Entity.identifiedBy(id)).map { $0.value?.value }
    }
}
