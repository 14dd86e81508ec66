import Foundation
import Settle
import SettleEntities
import SettleSync
import Synchronization
import TestSupport

/// Devices that edit the same entities, a server, and a list of everything that was ever written.
final class SimulatedWorld: Sendable {
    private struct State {
        var random: SeededGenerator
        var isCalm = false
        /// What was written, by entity and key.
        var written: [String: [String: Set<String>]] = [:]
        /// The entries that some device had in its history, creations and deletions too, by entity.
        var seen: [String: Set<String>] = [:]
        var journal: [String] = []
        /// Edits after which something else was current on their own device.
        var overtaken: [String] = []
    }

    private static let ids = ["anna", "bob", "é"]
    private static let keys = ["name", "phone", "city"]

    private let devices: [SimulatedDevice]
    private let server = MeetingServer()
    private let state: Mutex<State>
    private let scratch: ScratchDirectory
    /// Whether properties are removed, so that values may be missing.
    private let removes: Bool
    /// What is broken; nil for nothing.
    private let mutant: Mutant?

    init(seed: UInt64, _ mutant: Mutant? = nil) async throws {
        self.mutant = mutant
        var random = SeededGenerator(seed: seed)
        scratch = try ScratchDirectory("world")
        var devices: [SimulatedDevice] = []
        for name in ["a", "b", "c"].prefix(Int.random(in: 2...3, using: &random)) {
            let offs: [Double] = [0, 0, -7_200, 0.001, 86_400]
            let off = offs.randomElement(using: &random) ?? 0
            devices.append(try await SimulatedDevice(name, clockOff: off, in: scratch))
        }
        self.devices = devices
        removes = seed % 5 == 0
        state = Mutex(State(random: random))
    }

    private func draw<Value>(_ body: (inout SeededGenerator) -> Value) -> Value {
        state.withLock { body(&$0.random) }
    }

    private func pick<Value>(_ values: [Value]) -> Value {
        values[draw { Int.random(in: values.indices, using: &$0) }]
    }

    private func note(_ line: String) {
        state.withLock { $0.journal.append(line) }
    }

    var journal: String { state.withLock { $0.journal.joined(separator: "\n") } }

    /// Lets things happen, then lets all devices meet, and tells what is wrong then.
    func run(stepCount: Int) async throws -> [String] {
        for _ in 0..<stepCount { try await step() }
        state.withLock { $0.isCalm = true }
        for round in 0..<8 {
            var isQuiet = true
            for device in devices {
                let summary = try await device.replicate(with: backend(), handler)
                note("\(device.name) comes to rest: \(summary)")
                if summary.pushed + summary.pulled + summary.conflictsResolved > 0 {
                    isQuiet = false
                }
            }
            if isQuiet { break }
            if round == 7 { return ["The devices do not come to rest."] }
        }
        return try await problems()
    }

    func close() async {
        for device in devices { await device.close() }
    }

    private func step() async throws {
        let device = pick(devices)
        switch draw({ Int.random(in: 0..<20, using: &$0) }) {
        case 0:
            note("\(device.name) restarts")
            try await device.restart()
        case 1:
            let by = pick([-3_600.0, 60, 3_600])
            note("the clock of \(device.name) jumps by \(by)")
            device.time.advance(by)
        case 2...6:
            do {
                let summary = try await device.replicate(with: backend(), handler)
                note("\(device.name) replicates: \(summary)")
            } catch let error as ReplicationError {
                note("\(device.name) cannot replicate: \(error.code)")
            }
        default:
            try await edit(device)
        }
    }

    private var handler: ConflictHandler { mutant?.handler ?? .entities }

    private func backend() -> MeetingBackend {
        MeetingBackend(server: server) { [self] in
            if state.withLock({ $0.isCalm }) { return .none }
            // Somebody may edit something while a request is under way.
            if draw({ Int.random(in: 0..<12, using: &$0) }) == 0 {
                do {
                    try await edit(pick(devices))
                } catch {
                    note("an edit failed: \(error)")
                }
            }
            return pick([.none, .none, .none, .none, .none, .none, .requestLost, .answerLost])
        }
    }

    private func edit(_ device: SimulatedDevice) async throws {
        if draw({ Bool.random(using: &$0) }) { device.time.advance(pick([0.001, 1, 30])) }
        let (id, key) = (pick(Self.ids), pick(Self.keys))
        let datastore = await device.datastore
        let reference = Entity.identifiedBy(id, createAs: pick(["person", "robot"]))
        switch draw({ Int.random(in: 0..<12, using: &$0) }) {
        case 0:
            note("\(device.name) deletes \(id)")
            try await datastore.delete(entities: [reference])
        case 1 where removes:
            note("\(device.name) removes \(id).\(key)")
            try await datastore.remove(properties: [PropertyKey(key)], of: [reference])
        case 2:
            let entries = try await datastore.history(
                of: PropertyKey(key), in: Entity.identifiedBy(id))
            guard let entry = entries.first(where: { $0.value != nil }) else { return }
            note("\(device.name) puts \(id).\(key) back")
            try await datastore.putBack([entry])
        default:
            let value = await device.nextValue()
            let isDated = draw { Int.random(in: 0..<6, using: &$0) } == 0
            let datestamp =
                isDated
                ? device.time.date.addingTimeInterval(pick([-500, 0, 500]))
                : mutant == .clockOnly ? device.time.date : nil
            reference.addUpdates([
                PropertyKey(key): PropertyValue(.string(value), datestamp: datestamp)
            ])
            let shown = try await datastore.add(properties: [reference])[0][PropertyKey(key)]
            state.withLock { state in
                if !isDated, shown != .string(value) {
                    state.overtaken.append("\(device.name) sets \(id).\(key) to \(value)")
                }
                state.written[id, default: [:]][key, default: []].insert(value)
                state.journal.append("\(device.name) sets \(id).\(key) to \(value)")
            }
        }
        let entries = try await Self.entries(of: id, on: datastore)
        state.withLock { $0.seen[id, default: []].formUnion(entries) }
    }

    /// What all entries of an entity say, and when and where they were made.
    private static func entries(of id: String, on datastore: Datastore) async throws -> Set<String>
    {
        let history = try await datastore.history(of: Entity.identifiedBy(id))
        return Set(
            history.map { "\($0.key) \($0.change) \($0.datestamp) \($0.counter) \($0.device)" })
    }

    /// The properties whose current entry is not the latest of all, by what the entries say of themselves.
    private func wrongCurrents(of device: SimulatedDevice) async throws -> [String] {
        let datastore = await device.datastore
        var wrong: [String] = []
        for id in Self.ids {
            for key in Self.keys {
                let history = try await datastore.history(
                    of: PropertyKey(key), in: Entity.identifiedBy(id))
                let latest = history.max { Self.isBefore($0, $1) }
                guard let latest, let current = history.first(where: \.isCurrent) else { continue }
                if Self.isBefore(current, latest) {
                    wrong.append("\(device.name) has not the latest of \(id).\(key).")
                }
            }
        }
        return wrong
    }

    private static func isBefore(_ left: PropertyEntry, _ right: PropertyEntry) -> Bool {
        if left.datestamp != right.datestamp { return left.datestamp < right.datestamp }
        if left.counter != right.counter { return left.counter < right.counter }
        return left.device < right.device
    }

    private func problems() async throws -> [String] {
        var problems = state.withLock { $0.overtaken }.map { "It has no effect that \($0)." }
        let (written, seen) = state.withLock { ($0.written, $0.seen) }
        let first = await devices[0].datastore
        let (contents, text) = (try first.database.contents(), try await first.encodeJSON())
        if contents != server.contents {
            problems.append("The server has something else than \(devices[0].name).")
        }
        for device in devices {
            let datastore = await device.datastore
            let itsText = try await datastore.encodeJSON()
            if try datastore.database.contents() != contents || itsText != text {
                problems.append("\(device.name) has something else than \(devices[0].name).")
            }
            let pending = try datastore.database.pendingOperations()
            if !pending.isEmpty { problems.append("\(device.name) has pending operations.") }
            problems += try await wrongCurrents(of: device)
            if removes { continue }
            for (id, entries) in seen {
                let missing = entries.subtracting(try await Self.entries(of: id, on: datastore))
                if !missing.isEmpty {
                    problems.append("\(device.name) lost of \(id): \(missing.sorted()).")
                }
            }
            for (id, keys) in written {
                for (key, values) in keys {
                    let history = try await datastore.history(
                        of: PropertyKey(key), in: Entity.identifiedBy(id))
                    let missing = values.subtracting(history.compactMap { $0.value?.value?.string })
                    if !missing.isEmpty {
                        problems.append("\(device.name) lost of \(id).\(key): \(missing.sorted()).")
                    }
                }
            }
        }
        return problems
    }
}
