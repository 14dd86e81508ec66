import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Trying queued writes again` {
    /// A loop whose sending fails until it is told to succeed, and notes when it was tried.
    private final class Loop: Sendable {
        let clock = ManualClock()
        private let tries = Mutex<[Duration]>([])
        private let answer: Mutex<Duration?>
        private let loop: Cosmos.SendingLoop

        init(_ least: Duration) {
            answer = Mutex(least)
            loop = Cosmos.SendingLoop(clock: clock, wait: .seconds(1), waitMax: .seconds(8))
        }

        var times: [Duration] { tries.withLock { $0 } }

        func kick(_ occasion: Cosmos.SendingLoop.Occasion) {
            loop.kick(occasion) { [self] in
                tries.withLock { $0.append(clock.now.offset) }
                return answer.withLock { $0 }
            }
        }

        func succeed() { answer.withLock { $0 = nil } }

        func stop() { loop.stop() }
    }

    @Test func `waits its time, however much is queued meanwhile`() async {
        let loop = Loop(.zero)
        loop.kick(.queued)
        for seconds in [1, 2, 4, 8, 8] {
            await loop.clock.sleepers(reach: 1)
            for _ in 0..<20 {
                loop.kick(.queued)
                await Task.yield()
            }
            await loop.clock.sleepers(reach: 1)
            loop.clock.advance(by: .seconds(seconds))
        }
        await loop.clock.sleepers(reach: 1)
        loop.stop()
        #expect(loop.times == [0, 1, 3, 7, 15, 23].map { .seconds($0) })
    }

    @Test func `begins anew when the service is reached`() async {
        let loop = Loop(.zero)
        loop.kick(.queued)
        await loop.clock.sleepers(reach: 1)
        loop.clock.advance(by: .seconds(1))
        await loop.clock.sleepers(reach: 1)
        loop.kick(.reached)
        // The wait of two seconds ends, and the next one is the first again.
        while loop.times.count < 3 { await Task.yield() }
        await loop.clock.sleepers(reach: 1)
        loop.clock.advance(by: .seconds(1))
        while loop.times.count < 4 { await Task.yield() }
        loop.stop()
        #expect(loop.times == [0, 1, 1, 2].map { .seconds($0) })
    }

    @Test func `lets nothing shorten what the service has asked for`() async {
        let loop = Loop(.seconds(5))
        loop.kick(.queued)
        await loop.clock.sleepers(reach: 1)
        for _ in 0..<20 {
            loop.kick(.reached)
            loop.kick(.queued)
            await Task.yield()
        }
        loop.clock.advance(by: .seconds(5) - .milliseconds(1))
        for _ in 0..<20 { await Task.yield() }
        #expect(loop.times == [.zero])
        loop.succeed()
        loop.clock.advance(by: .milliseconds(1))
        while loop.times.count < 2 { await Task.yield() }
        loop.stop()
        #expect(loop.times == [.zero, .seconds(5)])
    }
}
