import SettlePrimitives
import Synchronization
import Testing

@Suite struct `A wake-up loop` {
    @Test func `takes reasons together that come while it runs`() async {
        let runs = Runs()
        let loop = WakeUpLoop { await runs.run() }
        loop.wake()
        await runs.begun(1)
        for _ in 0..<5 { loop.wake() }
        runs.letGo()
        await runs.begun(2)
        runs.letGo()
        // The next reason is one of its own, whether the run before is over or not.
        loop.wake()
        await runs.begun(3)
        runs.letGo()
        #expect(runs.count == 3)
    }

    @Test func `lets the run be the last that was under way at the end`() async {
        let runs = Runs()
        let loop = WakeUpLoop { await runs.run() }
        loop.wake()
        await runs.begun(1)
        loop.wake()
        loop.end()
        runs.letGo()
        loop.wake()
        #expect(runs.count == 1)
    }

    @Test func `never runs twice at once, and sees what came last`() async {
        let world = World()
        let (states, output) = AsyncStream.makeStream(of: Int.self)
        let loop = WakeUpLoop {
            let count = world.inside.add(1, ordering: .acquiringAndReleasing).newValue
            world.atOnce.max(count, ordering: .acquiringAndReleasing)
            let state = world.state.load(ordering: .acquiring)
            await Task.yield()
            world.inside.subtract(1, ordering: .acquiringAndReleasing)
            output.yield(state)
        }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        world.state.add(1, ordering: .acquiringAndReleasing)
                        loop.wake()
                        await Task.yield()
                    }
                }
            }
        }
        for await state in states where state == 1_600 { break }
        #expect(world.atOnce.load(ordering: .acquiring) == 1)
    }
}

/// What changes, and how many look at it.
private final class World: Sendable {
    let state = Atomic<Int>(0)
    let inside = Atomic<Int>(0)
    let atOnce = Atomic<Int>(0)
}

/// Runs that go on when they are let go.
private final class Runs: Sendable {
    private struct State {
        var count = 0
        var running: CheckedContinuation<Void, Never>?
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }
    private let state = Lock(State())

    /// How many have begun.
    var count: Int { state.withLock { $0.count } }

    func run() async {
        await withCheckedContinuation { continuation in
            let waiting = state.withLock { state in
                state.count += 1
                state.running = continuation
                guard let waiting = state.waiting, waiting.count <= state.count else {
                    return nil as CheckedContinuation<Void, Never>?
                }
                state.waiting = nil
                return waiting.continuation
            }
            waiting?.resume()
        }
    }

    /// Waits until so many have begun.
    func begun(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count < count { state.waiting = (count, continuation) }
                return state.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Ends the run that is under way.
    func letGo() {
        state.withLock { $0.running.take() }?.resume()
    }
}
