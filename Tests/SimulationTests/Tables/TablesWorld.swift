import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport

/// Devices that each have the documents of two tables in one database, and what happens to them.
///
/// A document's type says which table it belongs to, and changes now and then; some documents have
/// none.
final class TablesWorld: Sendable {
    static let types = ["todo", "note"]
    static let ids = ["d0", "d1", "d2", "d3", "d4"]

    let seed: UInt64
    let journal = Journal()
    let ledger = Ledger()
    private let time = SimulatedTime()
    /// By type.
    private let tables: [String: TableModel]
    private let devices: [TablesDevice]
    private let scratch: ScratchDirectory

    init(seed: UInt64) async throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        scratch = try ScratchDirectory("tables")
        var tables: [String: TableModel] = [:]
        for type in Self.types {
            var style = TableStyle(&random)
            // Clocks, and rows that vanish or are wrong, are the business of the simulation of one
            // table.
            (style.clock, style.deletesHard, style.latenessMax) = (.steady, false, 0)
            (style.hidesRows, style.hasWrongRows, style.topMax) = (false, false, nil)
            tables[type] = TableModel(
                style: style, seed: random.next(), time: time, journal: journal, ledger: ledger)
            journal.note("\(type): \(style)")
        }
        self.tables = tables
        var devices: [TablesDevice] = []
        for name in ["a", "b", "c"].prefix(2 + Int(seed % 2)) {
            devices.append(
                try await TablesDevice(name, in: scratch, ledger: ledger, journal: journal))
        }
        self.devices = devices
    }

    /// Lets `stepCount` things happen, waits for quiet, and looks.
    ///
    /// - Returns: What is wrong.
    func run(stepCount: Int) async throws -> [String] {
        var random = SeededGenerator(seed: seed ^ 0x7AB1E5)
        for _ in 0..<stepCount {
            let device = devices[Int(random.next() % UInt64(devices.count))]
            switch random.next() % 100 {
            case 0..<50: try await device.edit(Self.ids, random.next())
            case 50..<58:
                let type = Self.types[Int(random.next() % 2)]
                tables[type]?.edit(Self.ids[Int(random.next() % 5)], random.next())
            case 58..<82: try await replicate(device, &random)
            case 82..<92: try await purge(device, &random)
            default:
                journal.step("\(device.name) is closed and opened")
                try await device.restart()
            }
        }
        try await comeToRest()
        return try await problems()
    }

    func close() async {
        for device in devices { await device.close() }
    }

    private func remote(_ type: String) -> String { "http://h/tables/\(type)" }

    // MARK: Replicating

    private func targets(
        _ device: TablesDevice, _ types: [String], seed: UInt64, faultsPercent: UInt64,
        requestCountMax: Int = .max
    ) async throws -> (targets: [ReplicationTarget], ways: [FaultyTransport]) {
        var targets: [ReplicationTarget] = []
        var ways: [FaultyTransport] = []
        for (index, type) in types.enumerated() {
            guard let table = tables[type], let url = URL(string: remote(type)) else { continue }
            let way = FaultyTransport(
                to: table, seed: seed &+ UInt64(index), faultsPercent: faultsPercent,
                requestCountMax: requestCountMax
            ) { [self] draw in
                do {
                    try await device.edit(Self.ids, draw)
                } catch {
                    ledger.complain("An edit under way failed: \(error)")
                }
            }
            ways.append(way)
            var configuration = ReplicationConfiguration(url: url, isRepeating: false)
            configuration.scope = .documents(ofType: type)
            configuration.conflictHandler = .merge
            configuration.retryLimit = 1
            configuration.clock = LeapingClock()
            configuration.pageSize = Int(seed % 4) + 1
            configuration.sendsOnlyChanges = seed % 3 == 0
            var backend = try AzureTablesBackend(
                url: url, transport: way, dialect: table.dialect(ofDevice: 0))
            let time = time
            backend.now = { time.date(offBy: 0) }
            targets.append(ReplicationTarget(configuration, using: backend))
        }
        return (targets, ways)
    }

    /// One table, or both in one call, in the order of commits or not.
    private func replicate(_ device: TablesDevice, _ random: inout SeededGenerator) async throws {
        let draw = random.next()
        let types = [Self.types, ["todo"], ["note"], ["note", "todo"]][Int(draw % 4)]
        let keepsOrder = draw % 8 < 4
        let faults: UInt64 = [0, 15, 40][Int(draw / 8 % 3)]
        journal.step(
            "\(device.name) replicates \(types), \(faults) % faults\(keepsOrder ? ", in order" : "")"
        )
        await device.follow(types)
        let (targets, ways) = try await targets(
            device, types, seed: random.next(), faultsPercent: faults,
            requestCountMax: draw % 5 == 0 ? Int(draw / 64 % 9) + 1 : .max)
        let database = await device.database
        let task = Task { [ledger, journal] in
            do {
                for result in try await database.replicate(
                    with: targets, keepingCommitOrder: keepsOrder)
                {
                    journal.note("\(result.remote): \(result.result)")
                    guard let error = result.error else { continue }
                    let isOfTheWorld = [
                        .unreachable, .heldBack, .busy, .serverFailed, .protocolViolation,
                    ].contains(error.code)
                    if !isOfTheWorld {
                        ledger.complain("A replication failed: \(error)")
                    }
                }
            } catch is CancellationError {
                journal.note("cut short")
            } catch {
                ledger.complain("The replications failed: \(error)")
            }
        }
        for way in ways { way.cuts(task) }
        await task.value
    }

    // MARK: Purging

    /// One table is purged: nothing of the other may change.
    private func purge(_ device: TablesDevice, _ random: inout SeededGenerator) async throws {
        let type = Self.types[Int(random.next() % 2)]
        let isForced = random.next() % 2 == 0
        let database = await device.database
        let before = try await device.contents()
        let others = try database.pendingOperations().filter { $0.remote != remote(type) }
        journal.step(
            "\(device.name) purges \(type)\(isForced ? " by force" : ""), "
                + "\(others.count) pending of others")
        var isRefused = false
        do {
            try await database.purgeReplicatedDocuments(
                of: remote(type), discardingPendingOperations: isForced)
        } catch let error as ReplicationError where error.code == .pendingOperations {
            isRefused = true
            // Only now what was changed since the database was opened is sure to be known.
            let own = try database.pendingOperations(with: remote(type))
            if isForced || own.isEmpty { ledger.complain("A purge was refused: \(error)") }
        }
        let after = try await device.contents()
        let rows = tables[type]?.contents().live ?? [:]
        for (id, members) in before where members["type"] == .string(type) {
            if isRefused, after[id] != members { ledger.complain("A refused purge took '\(id)'.") }
            guard isForced, after[id] == nil else { continue }
            // What was sent is there; what was not is given up.
            let sent = Ledger.marks(in: rows[id])
            ledger.gaveUp(Ledger.marks(in: members).subtracting(sent), of: id)
        }
        for (id, members) in before where members["type"] != .string(type) {
            if after[id] != members {
                ledger.complain(
                    "A purge of \(type) made \(Journal.text(after[id])) of '\(id)', which was "
                        + "\(Journal.text(members)).")
            }
        }
        let still = try database.pendingOperations().filter { $0.remote != remote(type) }
        if await device.isFollowed, still != others {
            ledger.complain("A purge of \(type) made \(still) of \(others).")
        }
    }

    // MARK: The end

    private func comeToRest() async throws {
        journal.step("quiet")
        for table in tables.values { table.calmDown() }
        for round in 0..<15 {
            var isQuiet = true
            for device in devices {
                let (targets, _) = try await targets(
                    device, Self.types, seed: UInt64(round), faultsPercent: 0)
                let database = await device.database
                for result in try await database.replicate(with: targets) {
                    let summary = try result.summary()
                    journal.note("\(device.name) \(result.remote): \(summary)")
                    if summary.pushed + summary.pulled + summary.conflictsResolved > 0 {
                        isQuiet = false
                    }
                }
            }
            if isQuiet { return }
        }
        ledger.complain("The devices do not come to rest.")
    }

    private func problems() async throws -> [String] {
        var problems = ledger.complaints
        let rows = tables.mapValues { $0.contents().live }
        // What is anywhere, by document.
        var all: [String: [String: JSONValue]] = [:]
        for (type, contents) in rows {
            for (id, members) in contents {
                if members["type"] != nil {
                    problems.append("The type was sent to \(type): \(Journal.text(members)).")
                }
                all[id, default: [:]].merge(members) { first, _ in first }
            }
        }
        for device in devices {
            let (name, here, database) = (
                device.name, try await device.contents(), await device.database
            )
            for id in Self.ids {
                let there = rows.compactMapValues { $0[id] }
                guard let members = here[id] else {
                    if !there.isEmpty { problems.append("\(name) lacks '\(id)' of \(there.keys).") }
                    continue
                }
                guard case .string(let type)? = members["type"] else {
                    all[id, default: [:]].merge(members) { first, _ in first }
                    continue
                }
                var row = members
                row["type"] = nil
                if there[type] != row {
                    problems.append(
                        "\(name) has \(Journal.text(members)) of '\(id)', and its table "
                            + "\(Journal.text(there[type])).")
                }
            }
            for operation in try database.pendingOperations() {
                problems.append("\(name) still waits to send \(operation).")
            }
        }
        return problems + ledger.lost(from: all)
    }
}
