import Glibc
import SettlePrimitives
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Removing an environment` {
    /// How the files of an open environment go, but by a removal, which refuses.
    enum Manner: String, CaseIterable {
        case removed
        case moved
        case restored
    }

    @Test func `takes all files and the directory, and leaves files of others`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/a"
        let environment = try Environment.open(at: path, options: .logged(), create: true)
        try environment.put([1], for: [1])
        environment.close()
        let other = path + "/notes"
        run("/bin/touch", other, path + "/log.mdb", path + "/data.mdb.copying", path + "/guard")
        try Environment.remove(at: path, with: [path + "/guard"])
        #expect(try FileSystem.status(other) != nil)
        for name in ["data.mdb", "lock.mdb", "log.mdb", "data.mdb.copying", "guard"] {
            #expect(try FileSystem.status(path + "/" + name) == nil, "\(name)")
        }
        FileSystem.remove(other)
        try Environment.remove(at: path)
        #expect(try FileSystem.status(path) == nil)
        try Environment.remove(at: path)
    }

    @Test(arguments: [false, true])
    func `is refused while another process has it open, which loses nothing`(
        isReadOnly: Bool
    ) async throws {
        let scratch = Scratch()
        try scratch.open(.logged()).close()
        var options = EnvironmentOptions.logged()
        options.isReadOnly = isReadOnly
        let environment = try Environment.open(at: scratch.path, options: options, create: false)
        if !isReadOnly { try environment.put([0], for: [0]) }
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            _exit(code { try Environment.remove(at: path) } == .inUse ? 3 : 4)
        }
        if !isReadOnly {
            for number in UInt8(1)...30 { try environment.put([number], for: [number]) }
        }
        environment.close()
        let again = try scratch.open()
        if !isReadOnly { #expect(try again.value(for: [30]) == [30]) }
        #expect(try again.verifyPages().findings == [])
        again.close()
        try Environment.remove(at: path)
        #expect(try FileSystem.status(path) == nil)
    }

    @Test func `is not kept from it by a process that was forked`() async throws {
        let scratch = Scratch()
        let path = scratch.path
        // Swift has no fork; what it does to the lock is that a descriptor more refers to it.
        let environment = try scratch.open()
        let lock = try #require(environment.holder.fileLock)
        let inherited = dup(lock.descriptor)
        defer { close(inherited) }
        environment.close()
        try Environment.remove(at: path)
        #expect(try FileSystem.status(path) == nil)
    }

    @Test(arguments: Manner.allCases, [400, 20])
    func `by hand, while it is open, stops its writes and leaves the next one alone`(
        manner: Manner, count: Int
    ) async throws {
        let scratch = Scratch()
        let orphan = try scratch.open(.logged())
        for number in UInt8(1)...30 { try orphan.put([number], for: [number]) }
        try orphan.endLog()
        let backup = scratch.copied()
        try await exchange(scratch, backup, manner, count: count)
        let head = try scratch.logHead()
        for _ in 1...50 {
            #expect(code { try orphan.put([1], for: [1]) } == .panic)
        }
        #expect(throws: LMDBError.self) { try orphan.compact() }
        orphan.close()
        #expect(try scratch.logHead() == head)
        let next = try scratch.open(.logged())
        defer { next.close() }
        #expect(try next.statistics(of: "next") == count)
        #expect(try next.value(for: [30]) == (manner == .restored ? [30] : nil))
        #expect(try next.verifyPages().findings == [])
    }

    @Test func `by hand, while it is open, leaves the log of the next one where it is closed`()
        async throws
    {
        let scratch = Scratch()
        let orphan = try scratch.open(.logged())
        for number in UInt8(1)...30 { try orphan.put([number], for: [number]) }
        try await exchange(scratch, scratch.copied(), .moved, count: 20)
        let head = try scratch.logHead()
        orphan.close()
        #expect(try scratch.logHead() == head)
    }

    @Test func `by hand, while it is open, keeps its compaction from the name of the next one`()
        async throws
    {
        let scratch = Scratch()
        let orphan = try scratch.open(.logged())
        defer { orphan.close() }
        for number in UInt8(1)...3 { try orphan.put([number], for: [number]) }
        try await exchange(scratch, scratch.copied(), .moved, count: 20)
        let found = try FileSystem.status(scratch.path + "/data.mdb")?.identity
        #expect(code { try orphan.compact() } == .panic)
        #expect(try FileSystem.status(scratch.path + "/data.mdb")?.identity == found)
    }

    @Test func `by hand leaves a log in use alone that stands for another process' mark`()
        async throws
    {
        let scratch = Scratch()
        let orphan = try scratch.open(.logged())
        defer { orphan.close() }
        try orphan.put([1], for: [1])
        try orphan.endLog()
        let path = scratch.path
        // Has the log in use when it ends, so that the file has its mark.
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let owner = try Environment.open(at: path, options: .logged(), create: false)
            for number in UInt8(1)...5 { try owner.put([number], for: [number]) }
            _exit(owner.log?.session == nil ? 4 : 3)
        }
        run("/bin/sh", "-c", "cd \(path) && mkdir away && mv data.mdb lock.mdb log.mdb away")
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let next = try Environment.open(at: path, options: .logged(), create: true)
            for number in UInt8(1)...5 { try next.put([number], for: [number], in: "next") }
            _exit(next.log?.session == nil ? 4 : 3)
        }
        let head = try scratch.logHead()
        #expect(head?.state == .live)
        #expect(code { try orphan.put([2], for: [2]) } == .panic)
        #expect(try scratch.logHead() == head)
        let next = try scratch.open(.logged())
        defer { next.close() }
        #expect(try next.statistics(of: "next") == 5)
    }

    /// Puts another environment in the place of one that this process has open; its process is killed while nothing goes on.
    private func exchange(
        _ scratch: Scratch, _ backup: Scratch, _ manner: Manner, count: Int
    ) async throws {
        let path = scratch.path
        let commands =
            switch manner {
            case .removed: "rm data.mdb lock.mdb log.mdb"
            case .moved: "mkdir away && mv data.mdb lock.mdb log.mdb away"
            case .restored: "rm data.mdb lock.mdb log.mdb && cp \(backup.path)/* ."
            }
        #expect(run("/bin/sh", "-c", "cd \(path) && \(commands)") == 0)
        await #expect(processExitsWith: .exitCode(3)) {
            [path = path as String, count = count as Int] in
            let next = try Environment.open(at: path, options: .logged(), create: true)
            for number in 1...count {
                let key = [UInt8(number >> 8), UInt8(number & 255)]
                try next.put([1, 2, 3], for: key, in: "next")
            }
            try next.endLog()
            _exit(3)
        }
    }

    @Test(arguments: [false, true])
    func `that was broken off leaves a log that the next one does without`(
        isCopied: Bool
    ) async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let environment = try Environment.open(at: path, options: .logged(), create: true)
            for number in UInt8(1)...8 { try environment.put([number], for: [number]) }
            _exit(3)
        }
        #expect(try scratch.logHead()?.state == .live)
        FileSystem.remove(path + "/data.mdb")
        #expect(code { _ = try Environment.open(at: path, create: false) } == .notFound)
        if isCopied {
            let source = Scratch()
            let environment = try source.open()
            try environment.put([9], for: [9])
            try environment.copy(to: path, compacting: true)
            environment.close()
        }
        let next = try scratch.open(.logged())
        #expect(try next.value(for: [1]) == nil)
        #expect(try next.value(for: [9]) == (isCopied ? [9] : nil))
        try next.put([2], for: [2])
        next.close()
        let again = try scratch.open(.logged())
        defer { again.close() }
        #expect(try again.value(for: [2]) == [2])
    }

    @Test func `while others make it anew and use it harms none of them`() async throws {
        let scratch = Scratch()
        let path = scratch.path + "/a"
        let isOver = Flag()
        let here = WorkerThread(name: "here")
        here.submit {
            while !isOver.isRaised {
                let found = code { try Environment.remove(at: path) }
                #expect(found == nil || found == .inUse)
            }
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            for round in 1...60 {
                do {
                    let environment = try Environment.open(
                        at: path, options: .logged(), create: true)
                    for number in UInt8(1)...4 { try environment.put([number], for: [number]) }
                    guard try environment.value(for: [4]) == [4] else { fatalError("It is gone.") }
                    guard try FileSystem.status(path + "/data.mdb") != nil else {
                        fatalError("The file is gone in round \(round).")
                    }
                    environment.close()
                } catch let error as LMDBError {
                    // The directory went before it was looked at.
                    guard error.code == .noSuchDirectory else { throw error }
                }
            }
        }
        isOver.raise()
        here.stop()
    }
}

extension Environment {
    /// Ends the use of the log, as when nothing was committed for a while.
    fileprivate func endLog() throws {
        try enterWriter("end log")
        defer { leaveWriter() }
        try log?.end(engine, isPlainForLong: false)
    }

    /// How many entries a table has; 0 when it is not there.
    fileprivate func statistics(of name: String) throws -> Int {
        try contents()[name]?.count ?? 0
    }
}
