import Foundation
import TestSupport
import Testing

@testable import SettleCommand

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite(.timeLimit(.minutes(60))) struct `The source of an import` {
    /// Without a program at its other end, the system lets nobody open a pipe.
    @Test func `is given up at once while it waits for the other end of a named pipe`()
        async throws
    {
        let scratch = try ScratchDirectory("import-source")
        let pipe = scratch.file("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let source = try ImportSource(path: pipe)
        let reading = Task { try await source.next() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        // Lets the thread go that waits.
        try await onThread { try FileHandle(forWritingTo: URL(fileURLWithPath: pipe)).close() }
        withExtendedLifetime(scratch) {}
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `gives all bytes, and the end as often as it is asked`(count: Int) async throws {
        let scratch = try ScratchDirectory("import-source")
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Data(bytes).write(to: scratch.file("bytes"))
        let source = try ImportSource(path: scratch.file("bytes").path)
        #expect(try await source.all() == bytes)
        #expect(try await source.next() == nil)
        withExtendedLifetime(scratch) {}
    }
}
