import Foundation
import Settle
import SettleEntities
import SettleSync
import TestSupport

/// A device with a datastore and a clock that is wrong.
actor SimulatedDevice {
    let name: String
    let time: TestTime
    private let scratch: ScratchDirectory
    private var store: Store
    private var count = 0

    init(_ name: String, clockOff seconds: Double, in scratch: ScratchDirectory) async throws {
        self.name = name
        self.scratch = scratch
        time = TestTime(later: seconds)
        store = try await Store(name, time: time, in: scratch, name: "device-\(name)")
    }

    var datastore: Datastore { store.datastore }

    func restart() async throws {
        await store.database.close()
        store = try await Store(name, time: time, in: scratch, name: "device-\(name)")
    }

    func close() async { await store.database.close() }

    /// A value that no one else writes.
    func nextValue() -> String {
        count += 1
        return "\(name)\(count)"
    }

    func replicate(
        with backend: MeetingBackend, _ handler: ConflictHandler
    ) async throws -> ReplicationSummary {
        guard let url = URL(string: "meeting:") else { preconditionFailure("A URL.") }
        var configuration = ReplicationConfiguration(url: url, isRepeating: false)
        configuration.scope = .entities
        configuration.conflictHandler = handler
        configuration.retryLimit = 0
        configuration.pageSize = 3
        return try await store.database.replicate(with: configuration, using: backend)
    }
}
