import Foundation
import Settle
import SettleREST
import SettleSync
import Synchronization
import TestSupport

/// One replication of one device, from its start to its end or to where it is cut short.
struct SimulatedReplication: Sendable {
    /// What is decided by chance beforehand.
    struct Plan: CustomStringConvertible, Sendable {
        /// The device's index.
        var device: Int
        var seed: UInt64 = 0
        var weather = SimulatedNetwork.Weather()
        var isRepeating = false
        var isBidirectional = true
        var concurrentRequestsMax = 4
        var pageSize = 100
        var retryLimit = 0
        var restartsAfterwards = false

        init(_ device: Int, _ random: inout SeededGenerator) {
            self.device = device
            seed = random.next()
            weather.faultsPercent = [0, 10, 30, 60][Int(random.next() % 4)]
            weather.interjectionsPercent = [0, 15, 40][Int(random.next() % 3)]
            isRepeating = random.next() % 5 == 0
            isBidirectional = random.next() % 8 != 0
            concurrentRequestsMax = Bool.random(using: &random) ? 1 : 4
            pageSize = Int.random(in: 1...5, using: &random)
            retryLimit = Int.random(in: 0...3, using: &random)
            if isRepeating || random.next() % 3 == 0 {
                weather.requestCountMax = Int.random(in: 1...12, using: &random)
            }
            restartsAfterwards = random.next() % 5 == 0
        }

        /// One in which nothing goes wrong.
        init(calmFor device: Int) {
            self.device = device
        }

        var description: String {
            "replicates\(isRepeating ? " repeatedly" : "")\(isBidirectional ? "" : ", only pulling")"
                + ", \(concurrentRequestsMax) in flight, pages of \(pageSize)"
                + ", \(retryLimit) retries, \(weather.faultsPercent) % faults"
                + (weather.requestCountMax.map { ", cut short after \($0) requests" } ?? "")
        }
    }

    private let plan: Plan
    private let name: String
    private let database: Database
    private let ledger: Ledger
    private let journal: Journal
    private let configuration: ReplicationConfiguration
    private let network: SimulatedNetwork
    private let dialect: AzureTablesBackend.Dialect?
    private let now: @Sendable () -> Date

    init(_ plan: Plan, in world: SimulatedWorld) async {
        let device = world.devices[plan.device]
        self.plan = plan
        (ledger, journal) = (world.ledger, world.journal)
        dialect =
            world.habits.tellsDialect ? world.table.dialect(ofDevice: plan.device) : nil
        (name, database) = (device.name, await device.database)
        let clock = LeapingClock()
        let thoughts = Thoughts(plan)
        var configuration = ReplicationConfiguration(
            url: world.table.url, isRepeating: plan.isRepeating,
            isBidirectional: plan.isBidirectional, limitToChannels: await device.channels)
        configuration.conflictHandler = world.judges[plan.device]
            .handler(for: device, ledger, journal) {
                guard let draw = thoughts.next() else { return }
                await world.interject(draw)
            }
        configuration.concurrentRequestsMax = plan.concurrentRequestsMax
        configuration.pageSize = min(
            plan.pageSize, world.table.pageSizeMax(ofDevice: plan.device))
        configuration.retryLimit = plan.retryLimit
        configuration.clock = clock
        configuration.sendsOnlyChanges = world.habits.sendsOnlyChanges
        configuration.reconciling = world.habits.reconciles ? .atStart : .never
        let wall = device.clock
        configuration.now = { wall.now }
        now = { wall.now }
        configuration.random = { 0.5 }
        self.configuration = configuration
        network = SimulatedNetwork(
            in: world, from: name, seed: plan.seed, weather: plan.weather, clock: clock,
            isSequential: plan.concurrentRequestsMax == 1)
    }

    /// Replicates, whatever comes of it.
    func run() async throws {
        if plan.isRepeating { return try await repeatUntilCut() }
        let task = Task {
            do {
                let summary = try await summary()
                journal.note("\(name) is done: \(summary)")
            } catch is CancellationError {
                journal.note("\(name) was cut short")
            } catch let error as ReplicationError {
                note(error)
            }
        }
        network.cuts { task.cancel() }
        try await task.value
    }

    /// Replicates once.
    func summary() async throws -> ReplicationSummary {
        try await database.replicate(with: configuration, using: try backend())
    }

    /// Replicates again and again until the network has had enough.
    private func repeatUntilCut() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        network.cuts { end.finish() }
        let events = database.replicationEvents
        let watch = Task {
            for await event in events {
                guard case .failed(let error) = event else { continue }
                note(error)
                // Only these two end a repeating replication.
                if error.code == .localFailure || error.code == .stoppedByConflictHandler {
                    end.finish()
                }
            }
        }
        try await database.startReplication(with: configuration, using: try backend())
        for await _ in ends {}
        await database.stopReplication()
        watch.cancel()
        journal.note("\(name) was stopped")
    }

    private func backend() throws -> AzureTablesBackend {
        var backend = try AzureTablesBackend(
            url: configuration.url, transport: network, dialect: dialect)
        backend.now = now
        return backend
    }

    private func note(_ error: ReplicationError) {
        journal.note("\(name) failed: \(error)")
        let isOfTheWorld =
            [.unreachable, .busy, .serverFailed, .protocolViolation].contains(error.code)
        if !isOfTheWorld { ledger.complain("\(name) failed: \(error)") }
    }
}

/// What happens while a conflict handler thinks.
private final class Thoughts: Sendable {
    private let percent: Int
    private let random: Mutex<SeededGenerator>

    init(_ plan: SimulatedReplication.Plan) {
        percent = plan.weather.interjectionsPercent
        random = Mutex(SeededGenerator(seed: plan.seed ^ 0x7_4047))
    }

    /// What to do in the meantime; nil for nothing.
    func next() -> UInt64? {
        random.withLock { random in
            random.next() % 100 < UInt64(percent) ? random.next() : nil
        }
    }
}
