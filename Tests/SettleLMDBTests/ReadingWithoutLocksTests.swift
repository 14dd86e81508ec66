import Glibc
import Testing

@testable import SettleLMDB

/// Why an environment cannot be opened; nil when it can, and was.
private func refusal(of path: String, _ options: EnvironmentOptions) -> LMDBError? {
    do throws(LMDBError) {
        try Environment.open(at: path, options: options, create: false).close()
        return nil
    } catch {
        return error
    }
}

@Suite(.serialized) struct `Reading without locks` {
    private static func reading(_ path: String) throws -> Environment {
        var options = EnvironmentOptions(isReadOnly: true)
        options.isLockFileUsable = false
        return try Environment.open(at: path, options: options, create: false)
    }

    /// The names and bytes of all files of a directory.
    private static func files(in path: String) throws -> [String: [UInt8]] {
        guard let directory = opendir(path) else { return [:] }
        defer { closedir(directory) }
        var files: [String: [UInt8]] = [:]
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(".mdb") else { continue }
            files[name] = try DataFile.reading("\(path)/\(name)") { (file) throws(LMDBError) in
                try file.bytes(at: 0, count: file.sizeBytes) ?? []
            }
        }
        return files
    }

    @Test func `leaves every file alone, and makes none`() throws {
        let scratch = Scratch()
        let writing = try scratch.open()
        try writing.put([1], for: [1])
        writing.close()
        for hasLockFile in [true, false] {
            if !hasLockFile { #expect(unlink(scratch.path + "/lock.mdb") == 0) }
            let before = try Self.files(in: scratch.path)
            #expect(before.count == (hasLockFile ? 2 : 1))
            let first = try Self.reading(scratch.path)
            let second = try Self.reading(scratch.path)
            #expect(first.isWithoutLocks && first === second)
            #expect(try first.value(for: [1]) == [1])
            #expect(code { try first.write { _ in } } == .readOnly)
            #expect(try first.statistics().tables.count == 1)
            #expect(try first.verifyPages().findings == [])
            try first.copy(to: "\(scratch.path)/copy-\(hasLockFile)", compacting: true)
            first.close()
            second.close()
            #expect(try Self.files(in: scratch.path) == before)
        }
    }

    @Test func `is refused while a process writes, and goes on when it has ended`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let data = scratch.path + "/data.mdb"
        // What another process does first when it opens the database for writing.
        let writer = try FileLock.share(data, isReadOnly: false, create: false) {}
        #expect(writer.announce(.writing))
        let refused = try #require(
            throws: LMDBError.self, performing: { _ = try Self.reading(scratch.path) })
        #expect(refused.code == .inUse)
        #expect(refused.message.contains("has the database open for writing"))
        writer.release()
        // One that only reads with locks is no writer.
        let reader = try FileLock.share(data, isReadOnly: true, create: false) {}
        #expect(reader.announce(.reading))
        try onceNotInherited { try Self.reading(scratch.path) }.close()
        reader.release()
    }

    @Test func `a process that has the engine open and did not say so counts as a writer`()
        async throws
    {
        let scratch = Scratch()
        try scratch.open().close()
        let path = scratch.path
        let lock = open(path + "/lock.mdb", O_RDWR)
        defer { close(lock) }
        var range = flock()
        range.l_type = Int16(F_RDLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_len = 1
        #expect(fcntl(lock, F_SETLK, &range) == 0)
        let holder = getpid()
        await #expect(processExitsWith: .success) {
            [path = path as String, holder = holder as Int32] in
            var options = EnvironmentOptions(isReadOnly: true)
            options.isLockFileUsable = false
            let refused = try #require(refusal(of: path, options))
            try #require(refused.code == .inUse)
            try #require(refused.message.contains("(process \(holder))"))
        }
    }

    @Test func `keeps a process from writing until it has ended`() async throws {
        let scratch = Scratch()
        try scratch.open().close()
        let path = scratch.path
        let reading = try Self.reading(path)
        await #expect(processExitsWith: .success) { [path = path as String] in
            var options = EnvironmentOptions()
            options.readersWithoutLocksSeconds = 0
            try #require(refusal(of: path, options)?.code == .inUse)
        }
        // The rest is as it was: other readers come and go, and after the end so do writers.
        await #expect(processExitsWith: .success) { [path = path as String] in
            try Environment.open(at: path, options: .init(isReadOnly: true), create: false).close()
        }
        reading.close()
        try scratch.open().close()
    }

    @Test func `an opening for writing waits for a reader that ends in time`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let data = scratch.path + "/data.mdb"
        let reader = try FileLock.share(data, isReadOnly: true, create: false) {}
        #expect(reader.announce(.readingWithoutLocks))
        let isWaiting = Flag()
        try withThreads(1) { _ in
            isWaiting.raise()
            var options = EnvironmentOptions()
            options.readersWithoutLocksSeconds = 600
            try scratch.open(options).close()
        } andHere: {
            while !isWaiting.isRaised { sched_yield() }
            reader.release()
        }
    }

    @Test(.enabled(if: mountIsPermitted))
    func `on read-only media a process that writes elsewhere is noticed`() throws {
        let disk = SmallDisk(kibibytes: 1_024)
        let writing = try Environment.open(at: disk.path, create: true)
        try writing.put([1], for: [1])
        writing.close()
        disk.remountReadOnly()
        let options = EnvironmentOptions(isReadOnly: true)
        let reading = try Environment.open(at: disk.path, options: options, create: false)
        #expect(reading.isWithoutLocks)
        #expect(try reading.value(for: [1]) == [1])
        reading.close()
        let writer = try FileLock.share(
            disk.path + "/data.mdb", isReadOnly: true, create: false
        ) {}
        #expect(writer.announce(.writing))
        #expect(
            code { _ = try Environment.open(at: disk.path, options: options, create: false) }
                == .inUse)
        writer.release()
    }

    @Test(.enabled(if: geteuid() == 0))
    func `only the owner of a database makes a lock file that is not there`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let lock = scratch.path + "/lock.mdb"
        #expect(unlink(lock) == 0)
        #expect(LockFile.isUsable(in: scratch.path))
        #expect(chown(scratch.path + "/data.mdb", 65_534, 65_534) == 0)
        #expect(!LockFile.isUsable(in: scratch.path))
        let options = EnvironmentOptions(isReadOnly: true)
        let reading = try Environment.open(at: scratch.path, options: options, create: false)
        #expect(reading.isWithoutLocks)
        reading.close()
        #expect(access(lock, F_OK) != 0)
    }
}

@Suite(.serialized) struct `Copying into a directory` {
    @Test func `uses what a crash has left again, and never takes the place of another file`()
        throws
    {
        let scratch = Scratch()
        let environment = try Environment.open(at: scratch.path + "/from", create: true)
        defer { environment.close() }
        try environment.put([7], for: [7])
        let target = scratch.path + "/to"
        #expect(mkdir(target, 0o700) == 0)
        let part = target + "/" + FileSystem.copyingName
        let file = open(part, O_RDWR | O_CREAT, 0o600)
        let rest = [UInt8](repeating: 0xFF, count: 1 << 20)
        #expect(write(file, rest, rest.count) == rest.count)
        close(file)
        try environment.copy(to: target, compacting: true)
        #expect(access(part, F_OK) != 0)
        let copy = try Environment.open(at: target, create: false)
        #expect(try copy.value(for: [7]) == [7])
        #expect(try copy.verifyPages().findings == [])
        copy.close()
        #expect(
            code { try environment.copy(to: target, compacting: true) } == .system(EEXIST))
    }

    @Test func `leaves alone a whole copy that a crash has left with both names, and was moved`()
        throws
    {
        let scratch = Scratch()
        let environment = try Environment.open(at: scratch.path + "/from", create: true)
        defer { environment.close() }
        try environment.put([7], for: [7])
        let (target, other) = (scratch.path + "/to", scratch.path + "/moved")
        try environment.copy(to: target, compacting: true)
        #expect(mkdir(other, 0o700) == 0)
        #expect(link(target + "/data.mdb", target + "/" + FileSystem.copyingName) == 0)
        #expect(rename(target + "/data.mdb", other + "/data.mdb") == 0)
        // It is locked for as long as it is open, and nobody waits for that.
        let moved = try Environment.open(at: other, create: false)
        try environment.copy(to: target, compacting: true)
        moved.close()
        for path in [target, other] {
            let copy = try Environment.open(at: path, create: false)
            #expect(try copy.value(for: [7]) == [7])
            #expect(try copy.verifyPages().findings == [])
            copy.close()
        }
    }

    @Test func `of many that copy at once one makes the copy`() throws {
        let scratch = Scratch()
        let environment = try Environment.open(at: scratch.path + "/from", create: true)
        defer { environment.close() }
        try environment.put([7], for: [7])
        let target = scratch.path + "/to"
        let made = Counter()
        try withThreads(4) { _ in
            do {
                try environment.copy(to: target, compacting: true)
                made.add()
            } catch let error as LMDBError {
                #expect(error.code == .system(EEXIST))
            }
        } andHere: {
        }
        #expect(made.value == 1)
        let copy = try Environment.open(at: target, create: false)
        #expect(try copy.value(for: [7]) == [7])
        copy.close()
    }

    @Test func `what a crash has left is removed by the next open for writing`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let part = scratch.path + "/" + FileSystem.copyingName
        close(open(part, O_RDWR | O_CREAT, 0o600))
        try scratch.open().close()
        #expect(access(part, F_OK) != 0)
    }
}
