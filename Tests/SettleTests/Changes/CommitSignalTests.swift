import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import class Settle.CommitSignal

@Suite(.serialized) struct `The signal of commits` {
    private func signal() -> CommitSignal {
        CommitSignal(clock: ManualClock(), interval: .seconds(1))
    }

    @Test func `wakes who waits for a later sequence, and nobody else`() async {
        let signal = signal()
        signal.committed(5)
        #expect(await signal.wait(beyond: 4) == 5)
        async let waiting = signal.wait(beyond: 7)
        signal.committed(6)
        signal.committed(7)
        // What was committed before is no news to a signal that has seen a later one.
        signal.committed(3)
        signal.committed(9)
        #expect(await waiting == 9)
        #expect(await signal.wait(beyond: 8) == 9)
    }

    @Test func `lets a cancelled task go`() async {
        let signal = signal()
        let task = Task { await signal.wait(beyond: 0) }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func `lets everybody go when it is closed, and tells no more`() async {
        let signal = signal()
        let inbox = Inbox<UInt64>()
        _ = signal.addListener { inbox.put($0) }
        async let waiting = signal.wait(beyond: 10)
        signal.committed(1)
        #expect(await inbox.first() == 1)
        signal.close()
        #expect(await waiting == nil)
        #expect(await signal.wait(beyond: 0) == nil)
        _ = signal.addListener { inbox.put($0) }
        signal.committed(2)
        inbox.put(99)
        #expect(await inbox.first() == 99)
    }

    @Test func `tells listeners of each rise until they are removed`() async {
        let signal = signal()
        let heard = Lock<[UInt64]>([])
        let other = Lock<[UInt64]>([])
        let number = signal.addListener { sequence in heard.withLock { $0.append(sequence) } }
        _ = signal.addListener { sequence in other.withLock { $0.append(sequence) } }
        for sequence in [2, 2, 1, 3] as [UInt64] { signal.committed(sequence) }
        signal.removeListener(number)
        signal.removeListener(number)
        signal.committed(4)
        #expect(heard.withLock { $0 } == [2, 3])
        #expect(other.withLock { $0 } == [2, 3, 4])
    }
}
