import TestSupport
import Testing

@Suite(.serialized) struct `The queue beside a plain list` {
    @Test func `starts the same operations, and loses none, whatever is done to it`() async throws {
        var seeds = SeededGenerator()
        for _ in 0..<24 {
            var walk = try await QueueWalk(seed: seeds.next())
            try await walk.run(stepCount: 100)
        }
    }
}
