import Foundation
import Settle
import SettleOutbox
import Synchronization
import TestSupport
import Testing

/// Random operations through pipelines that work, with failures, suspensions, and restarts, until
/// nothing is left.
@Suite(.serialized) struct `Random schedules of pipelines` {
    private struct Refused: Error {}

    /// What is known of every operation, and whether a start was allowed.
    private final class Ledger: Sendable {
        struct Known {
            let pipeline: String
            let graph: Int
            let isStrict: Bool
            let dependencies: Set<UUID>
        }
        struct State {
            var known: [UUID: Known] = [:]
            var ended: Set<UUID> = []
            var active: [String: Set<UUID>] = [:]
            var limits: [String: Int] = [:]
            var faults: [String] = []
            var random: SeededGenerator
        }
        let state: Mutex<State>

        init(_ random: SeededGenerator) { state = Mutex(State(random: random)) }

        func began(_ id: UUID) {
            state.withLock { state in
                guard let own = state.known[id] else {
                    return state.faults.append("An operation that was never added has begun.")
                }
                if state.ended.contains(id) { state.faults.append("One began after its end.") }
                for dependency in own.dependencies where !state.ended.contains(dependency) {
                    state.faults.append("One began before what it depends on.")
                }
                let earlier = state.known.filter {
                    $0.value.pipeline == own.pipeline && $0.value.graph < own.graph
                }
                if own.isStrict, !state.ended.isSuperset(of: earlier.keys) {
                    state.faults.append("One began before an earlier graph had ended.")
                }
                state.active[own.pipeline, default: []].insert(id)
                let limit = state.limits[own.pipeline] ?? 0
                if limit > 0, state.active[own.pipeline, default: []].count > limit {
                    state.faults.append("More were active than may be.")
                }
            }
        }

        func stopped(_ id: UUID) {
            state.withLock { state in
                for pipeline in state.active.keys { state.active[pipeline]?.remove(id) }
            }
        }

        func ended(_ id: UUID) {
            _ = state.withLock { $0.ended.insert(id) }
        }

        func choose(_ range: Range<Int>) -> Int {
            state.withLock { Int.random(in: range, using: &$0.random) }
        }
    }

    private func pipelines(_ ledger: Ledger, _ database: Database) -> [PipelineConfiguration] {
        [
            ("default", PipelineAlgorithm.commitGraph, 3), ("flat", .flatGraph, 2),
            ("wide", .flatGraph, 0),
        ]
        .map { name, algorithm, limit in
            ledger.state.withLock { $0.limits[name] = limit }
            return PipelineConfiguration(
                name, algorithm: algorithm, maxConcurrentOperationCount: limit,
                retries: RetryPolicy(first: 0, longest: 0)
            ) { operation in
                ledger.began(operation.id)
                defer { ledger.stopped(operation.id) }
                for _ in 0..<ledger.choose(0..<4) { await Task.yield() }
                try Task.checkCancellation()
                let id = operation.id
                let done: @Sendable (Transaction) throws -> Void = { transaction in
                    let name = "done-\(id)"
                    let count = try transaction.document(name)?.integer("n") ?? 0
                    try transaction.save(["id": name, "n": count + 1])
                    transaction.afterCommit { ledger.ended(id) }
                }
                switch ledger.choose(0..<10) {
                case 0: throw Refused()
                case 1: return .retry()
                case 2: return .skipped(done)
                case 3: return .held(until: database.configuration.now(), context: "x")
                default: return .completed(done)
                }
            }
        }
    }

    private func add(_ outbox: Outbox, _ ledger: Ledger, graph: Int) async throws {
        let count = ledger.choose(1..<5)
        let ids = (0..<count).map { _ in UUID() }
        let names = ["default", "flat", "wide"]
        let pipelines = ids.map { _ in names[ledger.choose(0..<3)] }
        var dependencies: [Set<UUID>] = []
        for index in ids.indices {
            // On those that come earlier in a random order, so that there is no cycle.
            let before = ledger.state.withLock { state in
                state.known.filter { $0.value.pipeline == pipelines[index] }.keys.sorted {
                    $0.uuidString < $1.uuidString
                }
            }
            let same = ids[..<index].indices.filter { pipelines[$0] == pipelines[index] }
            var chosen: Set<UUID> = []
            if let other = same.last, ledger.choose(0..<2) == 0 { chosen.insert(ids[other]) }
            if !before.isEmpty, ledger.choose(0..<3) == 0 {
                chosen.insert(before[ledger.choose(0..<before.count)])
            }
            dependencies.append(chosen)
        }
        ledger.state.withLock { state in
            for index in ids.indices {
                state.known[ids[index]] = Ledger.Known(
                    pipeline: pipelines[index], graph: graph,
                    isStrict: pipelines[index] == "default",
                    dependencies: dependencies[index])
            }
        }
        let priorities = ids.map { _ in Int32(ledger.choose(-2..<3)) }
        let (all, waits) = (ids, dependencies)
        try await outbox.write { queue in
            for index in all.indices {
                try queue.add(
                    Step(title: "\(graph)"), id: all[index], pipeline: pipelines[index],
                    dependencies: waits[index], priority: priorities[index])
            }
        }
    }

    @Test func `end with everything done once, in an order that is allowed`() async throws {
        for seed in 0..<12 {
            let random = SeededGenerator(seed: UInt64(seed) &+ 20_261_121)
            let directory = try ScratchDirectory("walk")
            let bench = try await OutboxBench(in: directory)
            let ledger = Ledger(random)
            let configuration = pipelines(ledger, bench.database)
            var outbox = try await bench.open(configuration)
            for graph in 0..<30 {
                try await add(outbox, ledger, graph: graph)
                switch ledger.choose(0..<8) {
                case 0: outbox.suspend()
                case 1: while outbox.isSuspended { outbox.resume() }
                case 2:
                    await outbox.close()
                    outbox = try await bench.open(configuration)
                default: break
                }
            }
            while outbox.isSuspended { outbox.resume() }
            var changes = outbox.queueChanges.makeAsyncIterator()
            while try outbox.read({ try !$0.operations().isEmpty }) { _ = await changes.next() }
            await outbox.close()
            let (known, faults) = ledger.state.withLock { ($0.known, $0.faults) }
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
            for id in known.keys {
                let count = try bench.database.read { try $0.document("done-\(id)")?.integer("n") }
                #expect(count == 1, "seed \(seed)")
            }
            await bench.database.close()
        }
    }
}
