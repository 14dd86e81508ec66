import Glibc
import Testing

@testable import SettleLMDB

@Suite struct `Several processes` {
    @Test func `a size grown by another process is adopted`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(mapSizeInitial: 1 << 20))
        defer { environment.close() }
        try environment.put([0], for: [0])
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            for number in 1...40 {
                let value = [UInt8](repeating: UInt8(number), count: 100_000)
                try other.put(value, for: [UInt8(number)])
            }
            other.close()
        }
        #expect(try environment.statistics().mapSizeBytes > 4_000_000)
        #expect(try environment.value(for: [40])?.count == 100_000)
        try environment.put([1], for: [99])
        #expect(try environment.value(for: [99]) == [1])
    }

    @Test func `tables made by another process are found by the next read`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        #expect(try environment.value(for: [1], in: "theirs") == nil)
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.put([1], for: [1], in: "theirs")
            try other.put([2], for: [1], in: "more")
            other.close()
        }
        #expect(try environment.value(for: [1], in: "theirs") == [1])
        try environment.put([3], for: [2], in: "more")
        #expect(try environment.value(for: [1], in: "more") == [2])
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.drop("theirs")
            other.close()
        }
        #expect(try environment.value(for: [1], in: "theirs") == nil)
        try environment.put([4], for: [4], in: "theirs")
        #expect(try environment.value(for: [4], in: "theirs") == [4])
    }

    @Test func `the reader slot of a dead process is cleared`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.read { _ in _exit(3) }
        }
        #expect(try environment.clearStaleReaders() == 1)
        #expect(try environment.clearStaleReaders() == 0)
    }

    @Test func `a writer that dies leaves nothing and no lock`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.dieWriting([2], for: [1], in: "t")
        }
        try environment.put([3], for: [3])
        #expect(try environment.value(for: [1]) == [1])
        #expect(try environment.value(for: [3]) == [3])
    }

    @Test func `after a fork the child is told to open again`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        typealias Fork = @convention(c) () -> pid_t
        let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
        let child = fork()
        if child == 0 {
            // Nothing but the call: other threads' locks may be held for ever here.
            let isRefused = code { try environment.read { _ in } } == .openedBeforeFork
            environment.close()
            _exit(isRefused ? 0 : 1)
        }
        var status: Int32 = -1
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        #expect(status == 0)
        try environment.put([1], for: [1])
    }
}
