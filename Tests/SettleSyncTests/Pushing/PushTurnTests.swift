import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized, .timeLimit(.minutes(60))) struct `A push turn` {
    private final class Counts: Sendable {
        let inside = Atomic(0)
        let total = Atomic(0)
    }

    @Test func `is one task's at a time, and everyone's in the end`() async throws {
        let turn = PushTurn()
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    for _ in 0..<20 {
                        try await turn.run {
                            let count = counts.inside.add(1, ordering: .relaxed).newValue
                            #expect(count == 1)
                            await Task.yield()
                            counts.inside.subtract(1, ordering: .relaxed)
                            counts.total.add(1, ordering: .relaxed)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counts.total.load(ordering: .relaxed) == 1_000)
    }

    @Test func `is not waited for by a task that was cancelled, and not lost with it`() async throws
    {
        let turn = PushTurn()
        let (isTaken, isToEnd) = (Gate(), Gate())
        let first = Task {
            try await turn.run {
                isTaken.open()
                await isToEnd.wait()
            }
        }
        await isTaken.wait()
        let second = Task { try await turn.run { Issue.record("It was cancelled.") } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        isToEnd.open()
        try await first.value
        let answer = try await turn.run { 3 }
        #expect(answer == 3)
    }

    @Test func `passes on when what it is taken for fails`() async throws {
        struct Failure: Error {}
        let turn = PushTurn()
        await #expect(throws: Failure.self) { try await turn.run { throw Failure() } }
        let answer = try await turn.run { 3 }
        #expect(answer == 3)
    }
}
