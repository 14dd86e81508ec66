import Glibc
import Synchronization
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `A writer thread` {
    @Test func `runs jobs in order on one thread and drains them at the stop`() {
        let thread = WriterThread(name: "a name longer than fifteen bytes")
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
        box.thread.withLock { $0 = WriterThread(name: "writer") }
        box.thread.withLock { thread in
            thread?.submit {
                let last = box.thread.withLock { $0.take() }
                withExtendedLifetime(last) {}
                log.add(1)
            }
        }
        while log.numbers.isEmpty { sched_yield() }
        #expect(log.numbers == [1])
    }

    @Test func `writes a database`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        let thread = WriterThread(name: "writer")
        for number in UInt8(1)...5 {
            thread.submit {
                #expect(throws: Never.self) { try environment.put([number], for: [number]) }
            }
        }
        thread.stop()
        #expect(try environment.value(for: [5]) == [5])
    }
}

private final class Box: Sendable {
    let thread = Mutex<WriterThread?>(nil)
}

private final class Log: Sendable {
    private let entries = Mutex<[(number: Int, thread: ThreadIdentity)]>([])

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
