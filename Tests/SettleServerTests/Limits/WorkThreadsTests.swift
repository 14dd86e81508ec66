import Dispatch
import Foundation
import HTTPTypes
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

@Suite(.timeLimit(.minutes(10))) struct `Threads for long work` {
    private final class Flag: Sendable {
        private let state = Atomic(false)
        var isSet: Bool { state.load(ordering: .relaxed) }
        func set() { state.store(true, ordering: .relaxed) }
    }

    /// Notes what was done, in its order.
    private final class Notes: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test func `keep the tasks of everybody else going`() async throws {
        let threads = WorkThreads(count: 128, turns: WorkTurns(count: 2))
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            // More than there are threads for tasks: on those nothing else would go on.
            for number in 0..<64 {
                group.addTask {
                    try await threads.run(for: .subject("ann")) { _ in
                        gate.wait()
                        return number
                    }
                }
            }
            for _ in 0..<100 { await Task.detached {}.value }
            for _ in 0..<64 { gate.signal() }
            var numbers: Set<Int> = []
            for try await number in group { numbers.insert(number) }
            #expect(numbers == Set(0..<64))
        }
        await threads.end()
    }

    @Test func `do what is short at once, however much long work its sender has`() async throws {
        let turns = WorkTurns(count: 1, slice: .zero)
        // No wait is too long here.
        let threads = WorkThreads(count: 2, trialCount: 2, turns: turns, clock: ManualClock())
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Int.self) { group in
            // Far more than there are threads.
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<16 {
                group.addTask {
                    try await threads.runTrying(for: .subject("ann")) { turn in
                        begin.yield()
                        while !isOver.isSet { try turn.check() }
                        return 1
                    }
                }
            }
            var count = 0
            for await _ in begun {
                count += 1
                if count == 4 { break }
            }
            for _ in 0..<10 {
                #expect(try await threads.runTrying(for: .subject("ann")) { _ in 2 } == 2)
                #expect(try await threads.runTrying(for: .subject("bob")) { _ in 3 } == 3)
            }
            isOver.set()
            var sum = 0
            for try await number in group { sum += number }
            #expect(sum == 16)
        }
        await threads.end()
    }

    @Test func `begin long work anew only to let others by`() async throws {
        let threads = WorkThreads(
            count: 1, trialCount: 1, turns: WorkTurns(count: 1, slice: .zero),
            clock: ManualClock())
        let (isOver, notes) = (Flag(), Notes())
        func long(_ name: String) -> Task<Void, any Error> {
            Task {
                try await threads.runTrying(for: .subject("ann")) { turn in
                    notes.add(name)
                    while !isOver.isSet { try turn.check() }
                }
            }
        }
        var works: [Task<Void, any Error>] = []
        for name in ["a", "b"] {
            works.append(long(name))
            while !notes.all.contains(name) { await Task.yield() }
        }
        try await threads.runTrying(for: .subject("ann")) { _ in notes.add("c") }
        #expect(notes.all == ["a", "b", "c"])
        isOver.set()
        for work in works { try await work.value }
        #expect(notes.all == ["a", "b", "c", "b"])
        await threads.end()
    }

    @Test func `tell a read that its reader has gone`() async throws {
        let threads = WorkThreads(count: 1, turns: WorkTurns(count: 1))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let read = Task {
            try await threads.run(for: .subject("ann")) { turn in
                begin.yield()
                while true { try turn.check() }
            }
        }
        for await _ in begun { break }
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        await threads.end()
    }

    @Test func `are not started before there is work`() {
        // As threads they would be more than a Linux process may have.
        let idle = (0..<1_500).map { _ in WorkThreads(turns: WorkTurns(count: 1)) }
        #expect(idle.count == 1_500)
    }

    #if os(Linux)
        @Test func `end when nobody needs them any more, with or without being told`() async throws
        {
            for isTold in [true, false] {
                var threads: WorkThreads? = WorkThreads(count: 4, turns: WorkTurns(count: 1))
                let thread = try await threads?.run(for: .subject("ann")) { _ in
                    try FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/thread-self")
                }
                let folder = "/proc/\(try #require(thread))"
                #expect(FileManager.default.fileExists(atPath: folder))
                if isTold { await threads?.end() }
                threads = nil
                while FileManager.default.fileExists(atPath: folder) {
                    await Task.detached {}.value
                }
            }
        }
    #endif

    @Test func `do nothing more after their end`() async {
        let threads = WorkThreads(count: 1, turns: WorkTurns(count: 1))
        await threads.end()
        let problem = await #expect(throws: Problem.self) {
            try await threads.run(for: .subject("ann")) { _ in 1 }
        }
        #expect(problem?.status == .serviceUnavailable)
    }

    @Test func `a list is given up when nobody waits for it`() async throws {
        try await withScratchDirectory("server") { scratch in
            let store = try await ServerStore.directory(scratch.url).open(
                ServerStore.Settings(tableCountMax: 1))
            let stored = try #require(
                try await store.table(try TableName("t"), isCreated: true))
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let list = Task {
                try await stored.read(.long(.subject("ann"))) { snapshot in
                    begin.yield()
                    while true { try snapshot.checkCancellation() }
                }
            }
            for await _ in begun { break }
            list.cancel()
            await #expect(throws: CancellationError.self) { try await list.value }
            await store.close()
        }
    }
}
