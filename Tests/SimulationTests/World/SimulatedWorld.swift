import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport

/// Everything that one seed sets up: a server, some devices, and what happens to them.
final class SimulatedWorld: Sendable {
    static let ids = ["d0", "D1", "it's", "\u{FC} b"]

    let seed: UInt64
    let journal = Journal()
    let ledger = Ledger()
    let time = SimulatedTime()
    let table: any SimulatedTable
    let lateRequests: LateRequests
    let devices: [SimulatedDevice]
    let judges: [Judge]
    let habits: Habits
    private let scratch: ScratchDirectory

    /// Sets up a table and its devices.
    init(seed: UInt64, _ found: TableFounding) async throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        scratch = try ScratchDirectory("simulation")
        table = try await found(
            &random,
            Surroundings(
                seed: seed, time: time, journal: journal, ledger: ledger, scratch: scratch))
        lateRequests = LateRequests(to: table, journal: journal)
        habits = Habits(&random, deletesHard: table.deletesHard)
        journal.note("seed \(seed): \(table); \(habits)")
        let oneJudge = Judge.allCases.randomElement(using: &random) ?? .merge
        let isOneJudge = Bool.random(using: &random)
        var devices: [SimulatedDevice] = []
        var judges: [Judge] = []
        for name in ["a", "b", "c", "e"].prefix([2, 2, 3, 4][Int(random.next() % 4)]) {
            let device = try await SimulatedDevice(
                name, in: scratch, time: time,
                clockOffset: Int.random(in: -9_000...9_000, using: &random), ledger: ledger,
                journal: journal)
            if random.next() % 3 == 0 {
                await device.limit(to: SimulatedChannels.names(random.next()))
            }
            let judge = isOneJudge ? oneJudge : Judge.allCases.randomElement(using: &random)
            judges.append(judge ?? .merge)
            journal.note("\(name): \(judge ?? .merge), channels \(await device.channels)")
            devices.append(device)
        }
        self.devices = devices
        self.judges = judges
    }

    /// Lets `stepCount` things happen, then waits for quiet, then looks.
    ///
    /// - Returns: What is wrong.
    func run(stepCount: Int) async throws -> [String] {
        var random = SeededGenerator(seed: seed ^ 0x5EED)
        for _ in 0..<stepCount { try await step(&random) }
        try await comeToRest(&random)
        return try await problems()
    }

    /// Ends the devices and the server.
    func close() async throws {
        for device in devices { await device.close() }
        try await table.close()
    }

    private func step(_ random: inout SeededGenerator) async throws {
        let index = Int(random.next() % UInt64(devices.count))
        let device = devices[index]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40:
            journal.step("edit on \(device.name)")
            try await device.edit(Self.ids, random.next())
        case 40..<48:
            journal.step("edit on the server")
            try await editServer(random.next())
        case 48..<80:
            try await replicate(from: index, &random)
        case 80..<85:
            journal.step("\(device.name) is closed and opened")
            try await device.restart()
        case 85..<86:
            journal.step("the server restarts")
            try await table.restart()
        case 86..<87:
            let seconds = Int.random(in: 0...30, using: &random)
            journal.step("\(seconds) seconds pass")
            time.pass(ticks: seconds * TableTime.ticksPerSecond)
        case 87..<95:
            journal.step("clocks move")
            table.moveClock(random.next())
            // One that goes back could hide that the server's does, too.
            let back = table.needsForwardClocks ? 0 : -60_000
            device.clock.move(milliseconds: Int.random(in: back...60_000, using: &random))
        case 95..<97:
            let channels = SimulatedChannels.names(random.next())
            journal.step("\(device.name) is limited to \(channels)")
            await device.limit(to: channels)
        default:
            journal.step("\(device.name) settles what was left")
            try await device.resolve(with: .mixed, random.next())
        }
    }

    private func editServer(_ draw: UInt64) async throws {
        try await table.edit(Self.ids[Int(draw / 64 % UInt64(Self.ids.count))], draw)
    }

    /// What all replications of a seed do alike.
    struct Habits: CustomStringConvertible {
        /// Whether the devices are told what the server speaks.
        var tellsDialect: Bool
        /// Whether only the members that changed are sent.
        var sendsOnlyChanges: Bool
        /// Whether everything is listed when a replication starts.
        var reconciles: Bool

        init(_ random: inout SeededGenerator, deletesHard: Bool) {
            tellsDialect = Bool.random(using: &random)
            sendsOnlyChanges = Bool.random(using: &random)
            reconciles = deletesHard || Int.random(in: 0..<4, using: &random) == 0
        }

        var description: String {
            "\(tellsDialect ? "dialect known" : "dialect found out")"
                + (sendsOnlyChanges ? ", only changes sent" : "")
                + (reconciles ? ", reconciling" : "")
        }
    }

    /// One device replicates, or several at once.
    private func replicate(from index: Int, _ random: inout SeededGenerator) async throws {
        let count = Bool.random(using: &random) ? 1 : Int.random(in: 1...2, using: &random)
        let indices = (0..<min(count, devices.count)).map { (index + $0) % devices.count }
        let plans = indices.map { SimulatedReplication.Plan($0, &random) }
        journal.step(plans.map { "\(devices[$0.device].name) \($0)" }.joined(separator: "; "))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for plan in plans {
                group.addTask { [self] in
                    try await SimulatedReplication(plan, in: self).run()
                }
            }
            try await group.waitForAll()
        }
        for plan in plans where plan.restartsAfterwards {
            journal.note("\(devices[plan.device].name) is closed and opened")
            try await devices[plan.device].restart()
        }
    }

    /// Something that happens while a request is under way.
    func interject(_ draw: UInt64) async {
        let device = devices[Int(draw % UInt64(devices.count))]
        do {
            switch draw / 16 % 8 {
            case 0..<5: try await device.edit(Self.ids, draw / 128)
            case 5: try await table.restart()
            default: try await editServer(draw / 128)
            }
        } catch {
            ledger.complain("What came between for \(device.name) failed: \(error)")
        }
    }

    /// Replicates without faults until nothing moves any more.
    private func comeToRest(_ random: inout SeededGenerator) async throws {
        journal.step("quiet")
        try await table.calmDown()
        await lateRequests.letAllArrive()
        for _ in 0..<12 {
            var isQuiet = true
            for index in devices.indices {
                let plan = SimulatedReplication.Plan(calmFor: index)
                let replication = await SimulatedReplication(plan, in: self)
                let summary = try await replication.summary()
                let count = summary.pushed + summary.pulled + summary.conflictsResolved
                if count + summary.skipped > 0 {
                    isQuiet = false
                }
                if try await !devices[index].database.replicationConflicts().isEmpty {
                    isQuiet = false
                    try await devices[index].resolve(with: .merge, random.next())
                }
            }
            if isQuiet { return }
        }
        ledger.complain("The devices do not come to rest.")
    }

    // MARK: What must hold

    /// Members as the server can show them.
    private func shown(_ members: [String: JSONValue]?) -> [String: JSONValue]? {
        table.hasDoublesOnly ? members?.mapValues(JavaScriptText.rounded) : members
    }

    private func problems() async throws -> [String] {
        let there = try await table.contents()
        let (contents, deleted) = (there.live, there.deleted)
        var problems = ledger.complaints + ledger.lost(from: contents)
        for device in devices {
            let (name, channels) = (device.name, await device.channels)
            let (here, database) = (try await device.contents(), await device.database)
            let own = await device.own
            for (id, members) in contents where SimulatedChannels.contain(members, channels) {
                // Whoever writes a document has it as it was written.
                if id == device.ownId ? here[id] != own : shown(here[id]) != shown(members) {
                    problems.append(
                        "\(name) has \(Journal.text(here[id])) and the server "
                            + "\(Journal.text(members)) of '\(id)'.")
                }
            }
            for id in here.keys where contents[id] == nil {
                // Without a word of the server, what left the channels may stay.
                let isTold = SimulatedChannels.contain(deleted[id] ?? [:], channels)
                if isTold { problems.append("\(name) has '\(id)', which the server has not.") }
            }
            if shown(contents[device.ownId]) != shown(own) {
                problems.append(
                    "The server has \(Journal.text(contents[device.ownId])) of '\(device.ownId)', "
                        + "which must be \(Journal.text(own)).")
            }
            problems += try await device.strayNulls()
            let setAside = Set(try database.setAsideItems().compactMap(\.id))
            for (id, members) in there.wrong
            where SimulatedChannels.contain(members, channels) && !setAside.contains(id) {
                problems.append("\(name) does not tell that '\(id.prefix(9))' is set aside.")
            }
            for id in setAside where SimulatedChannels.contain(contents[id] ?? [:], channels) {
                if contents[id] != nil { problems.append("\(name) still sets '\(id)' aside.") }
            }
            for operation in try database.pendingOperations() {
                problems.append("\(name) still waits to send \(operation).")
            }
        }
        return problems
    }
}
