import Synchronization
import Testing

@testable import SettlePrimitives

@Suite(.serialized) struct `A worker thread` {
    @Test func `runs jobs in order on one thread and drains them at the stop`() {
        let thread = WorkerThread(name: "a name longer than fifteen bytes")
        let log = Log()
        for number in 0..<1_000 { thread.submit { log.add(number) } }
        thread.stop()
        thread.stop()
        #expect(log.numbers == Array(0..<1_000))
        #expect(log.threadCount == 1)
    }

    @Test func `may lose its last reference in a job of its own`() {
        let log = Log()
        let box = Box()
        let done = Monitor(false)
        box.thread.withLock { $0 = WorkerThread(name: "worker") }
        box.thread.withLock { thread in
            thread?.submit {
                let last = box.thread.withLock { $0.take() }
                withExtendedLifetime(last) {}
                log.add(1)
                done.withLock { $0 = true }
            }
        }
        done.when { $0 ? () : nil }
        #expect(log.numbers == [1])
    }

    @Test func `traps when it gets a job after its stop`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let thread = WorkerThread(name: "worker")
            thread.stop()
            thread.submit {}
        }
        // Only debug builds say why.
        #if DEBUG
            let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
            #expect(text?.contains("after its stop") == true)
        #else
            #expect(result != nil)
        #endif
    }
}

private final class Box: Sendable {
    let thread = Lock<WorkerThread?>(nil)
}

private final class Log: Sendable {
    private let entries = Lock<[(number: Int, thread: ThreadIdentity)]>([])

    var numbers: [Int] { entries.withLock { $0.map(\.number) } }

    var threadCount: Int {
        entries.withLock { entries in
            entries.reduce(into: [ThreadIdentity]()) { seen, entry in
                if !seen.contains(entry.thread) { seen.append(entry.thread) }
            }.count
        }
    }

    func add(_ number: Int) {
        entries.withLock { $0.append((number, .current)) }
    }
}
