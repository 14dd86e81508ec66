import SettlePrimitives
import Synchronization
import Testing

@Suite struct `A monitor` {
    private struct Failure: Error {}

    @Test func `keeps threads apart`() {
        let monitor = Monitor(0)
        let threads = (0..<4).map { number in
            DedicatedThread(name: "adder \(number)") {
                for _ in 0..<10_000 { monitor.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0 } == 40_000)
    }

    @Test func `lets a thread wait until the value allows something`() {
        let monitor = Monitor([Int]())
        let thread = DedicatedThread(name: "giver") {
            for number in 0..<1_000 {
                monitor.when { $0.isEmpty ? $0.append(number) : nil }
            }
        }
        let taken = (0..<1_000).map { _ in monitor.when { $0.popLast() } }
        thread.join()
        #expect(taken == Array(0..<1_000))
    }

    @Test func `wakes one of those that wait where one is enough`() {
        let monitor = Monitor((jobs: 0, waiting: 0, done: 0))
        let threads = (0..<4).map { number in
            DedicatedThread(name: "taker \(number)") {
                monitor.withLock(waking: .all) { $0.waiting += 1 }
                monitor.when(waking: .none) { state -> Void? in
                    guard state.jobs > 0 else { return nil }
                    state.jobs -= 1
                }
                monitor.withLock { $0.done += 1 }
            }
        }
        monitor.when { $0.waiting == 4 ? () : nil }
        for _ in 0..<4 { monitor.withLock(waking: .one) { $0.jobs += 1 } }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0.done } == 4)
    }

    @Test func `gives up after its seconds`() {
        let monitor = Monitor(0)
        let found = monitor.when(withinSeconds: 0.01) { _ -> Int? in nil }
        #expect(found == nil)
        #expect(monitor.when(withinSeconds: 0) { $0 as Int? } == 0)
    }

    @Test func `hands on what its body throws, and is free after it`() {
        let monitor = Monitor(0)
        #expect(throws: Failure.self) {
            try monitor.withLock { (value) throws(Failure) in
                value = 1
                throw Failure()
            }
        }
        #expect(throws: Failure.self) {
            try monitor.when { (_) throws(Failure) -> Int? in throw Failure() }
        }
        #expect(monitor.withLock { $0 } == 1)
    }

    @Test func `lets its value go with its last reference`() {
        weak var seen: Token?
        do {
            let monitor = Monitor(Token())
            monitor.withLock { seen = $0 }
            #expect(seen != nil)
            withExtendedLifetime(monitor) {}
        }
        #expect(seen == nil)
    }
}

private final class Token: Sendable {}
