import Foundation
import TestSupport
import Testing

@Suite struct `Test support` {
    @Test func `removes a scratch directory when its scope ends`() throws {
        var url: URL?
        try withScratchDirectory { scratch in
            url = try scratch.write("text", to: "file")
            #expect(try String(contentsOf: scratch.file("file"), encoding: .utf8) == "text")
        }
        let path = try #require(url).path
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `repeats random numbers from their seed`() {
        var first = SeededGenerator(seed: 7)
        var second = SeededGenerator(seed: 7)
        var other = SeededGenerator(seed: 8)
        let numbers = (0..<100).map { _ in first.next() }
        #expect(numbers == (0..<100).map { _ in second.next() })
        #expect(numbers != (0..<100).map { _ in other.next() })
        #expect(SeededGenerator(seed: 0xFEED).description == "seed 0xfeed")
        // The first output for seed 0 as published with the algorithm.
        var zero = SeededGenerator(seed: 0)
        #expect(zero.next() == 0xE220_A839_7B1D_CDAF)
    }

    @Test func `finds fixtures`() throws {
        #expect(try Fixture.lines("Documents/cities.ndjson").count == 34_006)
    }

    @Test func `wakes sleepers when their time has come and not before`() async throws {
        let clock = ManualClock()
        let start = clock.now
        let short = Task { try await clock.sleep(for: .seconds(1)) }
        let long = Task { try await clock.sleep(for: .seconds(3)) }
        await clock.sleepers(reach: 2)
        clock.advance(by: .seconds(2))
        try await short.value
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await long.value
        #expect(start.duration(to: clock.now) == .seconds(3))
        try await clock.sleep(until: start)
    }

    @Test func `ends a sleep that is cancelled`() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(reach: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }
}
