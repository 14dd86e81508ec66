import Dispatch
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.timeLimit(.minutes(10))) struct `Threads for long work` {
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

    @Test func `do nothing more after their end`() async {
        let threads = WorkThreads(count: 1, turns: WorkTurns(count: 1))
        await threads.end()
        let refusal = await #expect(throws: Refusal.self) {
            try await threads.run(for: .subject("ann")) { _ in 1 }
        }
        #expect(refusal?.status == .serviceUnavailable)
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
