import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

@Suite(.timeLimit(.minutes(10))) struct `Turns` {
    /// A clock that goes on at each look.
    private final class Steps: Sendable {
        private let start = ContinuousClock.now
        private let count = Mutex(0)

        func now() -> ContinuousClock.Instant {
            count.withLock {
                $0 += 1
                return start + .seconds($0)
            }
        }
    }

    /// Notes what was done, in its order.
    private final class Notes: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test func `short work comes in between long work of another sender`() async throws {
        let steps = Steps()
        // Every look at the clock is behind the end of the slice.
        let turns = WorkTurns(count: 1, slice: .zero, now: { steps.now() })
        let notes = Notes()
        let begun = AsyncStream.makeStream(of: Void.self)
        let long = Task {
            try await onThread {
                try turns.perform(for: .subject("ann")) { turn in
                    begun.continuation.yield()
                    while !notes.all.contains("short") { try turn.check() }
                    notes.add("long")
                }
            }
        }
        for await _ in begun.stream { break }
        try await onThread {
            try turns.perform(for: .subject("bob")) { _ in notes.add("short") }
        }
        try await long.value
        #expect(notes.all == ["short", "long"])
    }

    @Test func `a sender with much work has no more turns than one with little`() async throws {
        let steps = Steps()
        let turns = WorkTurns(count: 1, slice: .zero, now: { steps.now() })
        let notes = Notes()
        let gate = DispatchSemaphore(value: 0)
        // Holds the turn until all others wait for it.
        let begun = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await onThread {
                try turns.perform(for: .subject("root")) { _ in
                    begun.continuation.yield()
                    gate.wait()
                }
            }
        }
        // Otherwise another may have it, and be done, before this one comes.
        for await _ in begun.stream { break }
        func work(_ sender: String) -> Task<Void, any Error> {
            Task {
                try await onThread {
                    try turns.perform(for: .subject(sender)) { turn in
                        for _ in 0..<8 {
                            notes.add(sender)
                            try turn.check()
                        }
                    }
                }
            }
        }
        let tasks = ["ann", "ann", "ann", "ann", "bob"].map(work)
        while turns.waitingCount < 5 { await Task.yield() }
        gate.signal()
        for task in tasks + [first] { try await task.value }
        // Bob is done when each had about as many turns.
        let last = try #require(notes.all.lastIndex(of: "bob"))
        #expect(notes.all.count == 40)
        #expect(last < 24, "\(notes.all)")
    }

    @Test func `work that is given up ends at its next look`() async throws {
        let turns = WorkTurns(count: 1)
        let cancellation = ReadCancellation()
        cancellation.begin()
        #expect(throws: CancellationError.self) {
            try turns.perform(for: .subject("ann"), until: cancellation) { _ in }
        }
        // The turn is free again.
        try turns.perform(for: .subject("ann")) { try $0.check() }
    }
}
