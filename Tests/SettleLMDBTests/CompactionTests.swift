import Glibc
import SettlePrimitives
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Compacting while in use` {
    @Test func `keeps mode and owner of the file`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let file = scratch.path + "/data.mdb"
        #expect(chmod(file, 0o644) == 0)
        // Only root may give a file away.
        let owner: uid_t = geteuid() == 0 ? 65_534 : geteuid()
        #expect(chown(file, owner, getegid()) == 0)
        try environment.compact()
        var found = stat()
        #expect(stat(file, &found) == 0)
        #expect(found.st_mode & 0o7777 == 0o644 && found.st_uid == owner)
    }

    @Test func `makes the lock file with mode and owner of the data file`() throws {
        let scratch = Scratch()
        let first = try scratch.open()
        try first.put([1], for: [1])
        first.close()
        let (file, lock) = (scratch.path + "/data.mdb", scratch.path + "/lock.mdb")
        let owner: uid_t = geteuid() == 0 ? 65_534 : geteuid()
        #expect(unlink(lock) == 0 && chmod(file, 0o640) == 0)
        #expect(chown(file, owner, getegid()) == 0)
        let second = try scratch.open()
        defer { second.close() }
        var found = stat()
        #expect(stat(lock, &found) == 0)
        #expect(found.st_mode & 0o7777 == 0o640 && found.st_uid == owner)
    }

    @Test func `refuses damaged pages before the engine follows them`() throws {
        let scratch = Scratch()
        let made = try scratch.open()
        try made.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in UInt8(0)..<250 {
                try transaction.put([UInt8](repeating: 7, count: 1_500), for: [number], in: table)
            }
        }
        made.close()
        var bytes = try scratch.readDataFile()
        let pageSize = 4_096
        // The heads of the leaves that hold the values; what an open reads stays as it is.
        var damaged = 0
        for start in stride(from: 2 * pageSize, to: bytes.count, by: pageSize) {
            guard bytes[start..<(start + pageSize)].count(where: { $0 == 7 }) > 1_000 else {
                continue
            }
            for place in 8..<72 { bytes[start + place] = 0xFF }
            damaged += 1
        }
        #expect(damaged > 100)
        scratch.writeDataFile(bytes)
        let copies = Scratch()
        #expect(
            code {
                let environment = try scratch.open()
                defer { environment.close() }
                try environment.copy(to: copies.path + "/copy", compacting: true)
            } == .corrupted)
        #expect(
            code {
                let environment = try scratch.open()
                defer { environment.close() }
                try environment.compact()
            } == .corrupted)
        #expect(access(copies.path + "/copy/data.mdb.copying", F_OK) != 0)
        #expect(access(scratch.path + "/data.mdb.compacting", F_OK) != 0)
    }

    @Test func `makes the file smaller and keeps every table, handle and number`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        for name in ["gone", "t", "u"] { try environment.put([1], for: [1], in: name) }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in UInt8(0)..<200 {
                let value = [UInt8](repeating: number, count: 9_000)
                try transaction.put(value, for: [number], in: table)
            }
        }
        try environment.drop("gone")
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in UInt8(3)..<200 { try transaction.delete([number], from: table) }
        }
        let kept = try #require(try environment.read { try $0.table(named: "t") })
        let before = try environment.statistics()
        var reports: [[Int]] = []
        let done = try environment.compact { reports.append([$0, $1]) }
        #expect(reports == [[0, done.bytesBefore], [done.bytesBefore, done.bytesBefore]])
        #expect(done.bytesAfter * 10 < done.bytesBefore)
        let after = try environment.statistics()
        #expect(after.transactionLast == before.transactionLast)
        #expect(after.pagesFree == 0)
        #expect(after.tables.map(\.entryCount) == before.tables.map(\.entryCount))
        #expect(try environment.read { try $0.value(for: [2], in: kept)?.count } == 9_000)
        try environment.write { try $0.put([7], for: [7], in: kept) }
        try environment.put([8], for: [8], in: "new")
        #expect(try environment.value(for: [7]) == [7])
        #expect(try environment.value(for: [1], in: "u") == [1])
        #expect(try environment.value(for: [8], in: "new") == [8])
        #expect(try scratch.open() === environment)
        environment.close()
    }

    @Test func `twice in a row, at odd and even numbers, of an empty and a full file`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        try environment.compact()
        for number in UInt8(0)..<6 {
            try environment.put([number], for: [number])
            try environment.compact()
            #expect(try environment.statistics().transactionLast == UInt64(number) + 1)
            try environment.compact()
            for written in 0...number {
                #expect(try environment.value(for: [written]) == [written])
            }
        }
        environment.close()
        let again = try scratch.open()
        defer { again.close() }
        #expect(try again.value(for: [5]) == [5])
    }

    @Test func `reads go on while the copy is made`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let isCopying = Flag()
        let hasRead = Flag()
        try withThreads(1) { _ in
            while !isCopying.isRaised { sched_yield() }
            let value = try environment.value(for: [1])
            #expect(value == [1])
            hasRead.raise()
        } andHere: {
            try environment.compact { copied, _ in
                isCopying.raise()
                while copied == 0, !hasRead.isRaised { sched_yield() }
            }
        }
    }

    @Test func `a reader that does not end keeps the old file`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(gateWaitSeconds: 0.05))
        defer { environment.close() }
        try environment.put([1], for: [1])
        let identity = try FileSystem.status(scratch.path + "/data.mdb")?.identity
        let isReading = Flag()
        let isOver = Flag()
        try withThreads(1) { _ in
            try environment.read("report") { _ in
                isReading.raise()
                while !isOver.isRaised { sched_yield() }
            }
        } andHere: {
            defer { isOver.raise() }
            while !isReading.isRaised { sched_yield() }
            #expect(code { try environment.compact() } == .readersBusy)
        }
        #expect(try FileSystem.status(scratch.path + "/data.mdb")?.identity == identity)
        #expect(try FileSystem.status(scratch.path + "/data.mdb.compacting") == nil)
        try environment.put([2], for: [2])
        #expect(try environment.compact().bytesAfter > 0)
        #expect(try environment.value(for: [2]) == [2])
    }

    @Test func `another process that has the file open is told apart`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            let isRefused = code { try other.compactHere() } == .inUse
            _exit(isRefused ? 3 : 4)
        }
        try environment.compactHere()
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let other = try Environment.open(at: path, create: false)
            try other.put([2], for: [2])
            _exit(3)
        }
        #expect(try environment.value(for: [2]) == [2])
        try environment.compactHere()
    }

    @Test func `what a crash leaves of a copy is removed by the next open for writing`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let left = scratch.path + "/data.mdb.compacting"
        close(open(left, O_RDWR | O_CREAT, 0o600))
        try Environment.open(at: scratch.path, options: .init(isReadOnly: true), create: false)
            .close()
        #expect(try FileSystem.status(left) != nil)
        // A process that another test has just started holds what it inherited until it is another program; the
        // next open then finds the file in use, and leaves the copy to the one after it.
        var opened = 0
        repeat {
            try scratch.open().close()
            opened += 1
        } while try FileSystem.status(left) != nil && opened < 10_000
        #expect(try FileSystem.status(left) == nil)
    }

    @Test func `a crash at any moment leaves one whole file`() async throws {
        let scratch = Scratch()
        for round in 1...4 {
            let path = scratch.path
            await #expect(processExitsWith: .exitCode(3)) {
                [path = path as String, spins = (round * 7_919) % 11 as Int] in
                try crashWhileCompacting(path, afterWrites: spins)
            }
            let environment = try scratch.open()
            defer { environment.close() }
            // Entries are written in order, so that all below the last must be there.
            try environment.read { transaction in
                guard let table = try transaction.table(named: "t") else { return }
                let last = try transaction.last(in: table)?.key.first
                #expect(try transaction.count(of: table) == last.map { Int($0) + 1 } ?? 0)
            }
            #expect(try environment.verifyPages().findings == [])
        }
    }

    @Test func `who waits for the lock gets the new file`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/data.mdb"
        scratch.writeDataFile([1])
        let lock = try FileLock.share(path, isReadOnly: false, create: false) {}
        #expect(lock.takeAlone())
        let isWaiting = Flag()
        try withThreads(1) { _ in
            isWaiting.raise()
            let later = try FileLock.share(path, isReadOnly: false, create: false) {}
            #expect(later.identity != lock.identity)
            #expect(try FileSystem.status(path)?.identity == later.identity)
            later.release()
        } andHere: {
            defer { lock.release() }
            while !isWaiting.isRaised { sched_yield() }
            let new = open(path + ".new", O_RDWR | O_CREAT, 0o600)
            close(new)
            #expect(rename(path + ".new", path) == 0)
        }
    }

    @Test func `an environment for reading is not compacted`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let reading = try Environment.open(
            at: scratch.path, options: .init(isReadOnly: true), create: false)
        defer { reading.close() }
        #expect(code { try reading.compact() } == .readOnly)
    }
}

extension Environment {
    /// In a function of its own, because an exit test is asynchronous and a compaction is not.
    func compactHere() throws {
        try compact()
    }
}

/// Writes and compacts until another thread ends the process, somewhere inside.
private func crashWhileCompacting(_ path: String, afterWrites: Int) throws {
    let environment = try Environment.open(at: path, create: true)
    let writes = Counter()
    let killer = WorkerThread(name: "killer")
    killer.submit {
        while writes.value < 2 + afterWrites { sched_yield() }
        for _ in 0..<afterWrites * 3 { sched_yield() }
        _exit(3)
    }
    while true {
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            let next = try transaction.last(in: table).map { $0.key[0] &+ 1 } ?? 0
            if next == 0 { try transaction.removeAll(from: table) }
            try transaction.put([UInt8](repeating: 1, count: 6_000), for: [next], in: table)
        }
        writes.add()
        try environment.compact()
    }
}
