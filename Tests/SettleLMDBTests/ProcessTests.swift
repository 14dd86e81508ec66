import Glibc
import SettlePrimitives
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Several processes` {
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

    @Test func `two processes that grow at the same moment lose nothing`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(mapSizeInitial: 256 << 10))
        defer { environment.close() }
        try environment.put([0], for: [0])
        let path = scratch.path
        let here = WorkerThread(name: "here")
        here.submit {
            #expect(throws: Never.self) { try environment.putMany(from: 1) }
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let options = EnvironmentOptions(mapSizeInitial: 256 << 10)
            let other = try Environment.open(at: path, options: options, create: false)
            try other.putMany(from: 101)
            other.close()
        }
        here.stop()
        for first in [UInt8(1), 101] {
            for number in first..<first + 60 {
                let expected = [UInt8](repeating: number, count: 50_000)
                #expect(try environment.value(for: [number]) == expected)
            }
        }
        #expect(try environment.verifyPages().findings == [])
    }

    @Test func `the first read adopts a size that came after the file was opened`() async throws {
        let scratch = Scratch()
        let options = EnvironmentOptions(mapSizeInitial: 256 << 10)
        let made = try scratch.open(options)
        try made.put([1], for: [1])
        made.close()
        let engine = try EngineEnvironment.create(path: scratch.path)
        defer { engine.close() }
        try engine.configure(readersMax: 10, tablesMax: 4, mapSize: 256 << 10)
        try engine.open(isReadOnly: false, isWithoutLocks: false, durability: .full)
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.put([UInt8](repeating: 2, count: 4 << 20), for: [2])
            other.close()
        }
        #expect(code { _ = try engine.begin(isReadOnly: true) } == .mapResized)
        let transaction = try engine.beginFirstRead()
        defer { transaction.abort() }
        #expect(try engine.info().mapSizeBytes > 4 << 20)
    }

    @Test(arguments: [64 << 10, 1 << 20])
    func `a database that another process makes larger can be opened all the time`(
        valueLength: Int
    ) async throws {
        for _ in 1...5 {
            let scratch = Scratch()
            let options = EnvironmentOptions(mapSizeInitial: 256 << 10, durability: .relaxed)
            let environment = try scratch.open(options)
            defer { environment.close() }
            try environment.put([0], for: [0])
            let path = scratch.path
            let isOver = Flag()
            let here = WorkerThread(name: "here")
            here.submit {
                #expect(throws: Never.self) {
                    // Sizes double soonest in a small file.
                    while !isOver.isRaised {
                        for number in UInt8(1)...40 where !isOver.isRaised {
                            let value = [UInt8](repeating: number, count: valueLength)
                            try environment.put(value, for: [number])
                        }
                        for number in UInt8(1)...40 where !isOver.isRaised {
                            try environment.put([number], for: [number])
                        }
                    }
                }
            }
            await #expect(processExitsWith: .success) { [path = path as String] in
                let options = EnvironmentOptions(mapSizeInitial: 256 << 10)
                for _ in 1...200 {
                    let other = try Environment.open(at: path, options: options, create: false)
                    guard try other.value(for: [0]) == [0] else { fatalError("The value is gone.") }
                    other.close()
                }
            }
            isOver.raise()
            here.stop()
            #expect(try environment.verifyPages().findings == [])
        }
    }

    @Test func `a write clears dead readers when the last look is old`() async throws {
        let scratch = Scratch()
        var options = EnvironmentOptions()
        options.readerCheckSeconds = 0
        let environment = try scratch.open(options)
        defer { environment.close() }
        try environment.put([1], for: [1])
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.read { _ in _exit(3) }
        }
        try environment.put([2], for: [2])
        #expect(try environment.clearStaleReaders() == 0)
    }

    @Test func `a process of another namespace of numbers is refused`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            var options = EnvironmentOptions()
            let own = try #require(options.processNamespace)
            for foreign in [own - 1, own + 1, 0, .max] {
                options.processNamespace = foreign
                let found = code {
                    _ = try Environment.open(at: path, options: options, create: false)
                }
                guard found == .foreignProcessNamespace else { _exit(4) }
            }
            options.allowsForeignProcessNamespace = true
            let other = try Environment.open(at: path, options: options, create: false)
            guard try other.value(for: [1]) == [1] else { _exit(5) }
            other.close()
            // The same namespace is welcome, and no mark of the others is left.
            let same = try Environment.open(at: path, create: false)
            same.close()
            _exit(3)
        }
        try environment.put([2], for: [2])
    }

    @Test func `a closed database holds no lock, which a suspended app must not`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            _exit(Locks.isHeld(path + "/lock.mdb") ? 3 : 4)
        }
        environment.close()
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            _exit(Locks.isHeld(path + "/lock.mdb") ? 4 : 3)
        }
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

extension Environment {
    fileprivate func putMany(from first: UInt8) throws {
        for number in first..<first + 60 {
            try put([UInt8](repeating: number, count: 50_000), for: [number])
        }
    }
}

private enum Locks {
    /// Whether another process has a lock on the file.
    static func isHeld(_ path: String) -> Bool {
        let file = open(path, O_RDWR)
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        return fcntl(file, F_GETLK, &range) == 0 && range.l_type != Int16(F_UNLCK)
    }
}
