import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

/// How many walks there are, and the seed of the first; the next ones have the numbers after it.
///
/// `SETTLE_WALKS` is the number of walks (24 without it), `SETTLE_SEED` a seed that a failure named.
enum QueueWalkSettings {
    static let count = number("SETTLE_WALKS") ?? 24
    static let firstSeed = number("SETTLE_SEED") ?? UInt64.random(in: 0..<UInt64(UInt32.max))

    /// What a failure says, so that the walk of one seed can be had again.
    static func repeating(_ seed: UInt64) -> String { "SETTLE_WALKS=1 SETTLE_SEED=\(seed)" }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}

@Suite(.serialized) struct `The queue beside a plain list` {
    @Test func `starts the same operations, and loses none, whatever is done to it`() async throws {
        for number in 0..<QueueWalkSettings.count {
            let seed = QueueWalkSettings.firstSeed &+ number
            do {
                var walk = try await QueueWalk(seed: seed)
                try await walk.run(stepCount: 100)
            } catch {
                Issue.record("\(QueueWalkSettings.repeating(seed)) threw \(error)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `starts the same operations after an insertion into a graph of two pipelines`(
        byNumber: Bool
    ) async throws {
        let pipelines = [idle(algorithm: .flatGraph), idle("second")]
        var (queue, model) = (try await QueueFixture(pipelines), QueueModel())
        model.reopen(pipelines)
        func run(_ actions: [QueueAction]) async throws {
            try await queue.outbox.write { queue in
                var answers: [Bool] = []
                for action in actions { try action.apply(queue, &answers) }
            }
            _ = try model.run(actions, now: queue.date.value)
        }
        func add(_ id: UUID, to pipeline: String) -> QueueAction {
            .add(id, isParcel: false, pipeline: pipeline, after: [], priority: 0)
        }
        let (earlier, flat, strict, inserted) = (UUID(), UUID(), UUID(), UUID())
        try await run([add(earlier, to: "second")])
        try await run([add(flat, to: "default"), add(strict, to: "second")])
        queue = try await queue.reopened([pipelines[0]])
        model.reopen([pipelines[0]])
        try await run([
            .insert(inserted, intoGraphOf: flat, byNumber: byNumber, after: [], priority: 0)
        ])
        let started = try await queue.start()
        let expected = model.start(.max, in: "default", now: queue.date.value, parcels: true)
        #expect(started == expected)
        #expect(started == (byNumber ? [earlier, flat] : [earlier, flat, inserted]))
        await queue.close()
    }
}
