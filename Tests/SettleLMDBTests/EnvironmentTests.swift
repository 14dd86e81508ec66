import Glibc
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Opening an environment` {
    @Test func `an absent directory is an error unless it may be created`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/a/b"
        #expect(
            code { _ = try Environment.open(at: path, create: false) } == .noSuchDirectory)
        #expect(code { _ = try Environment.open(at: scratch.path, create: false) } == .notFound)
        let environment = try Environment.open(at: path, create: true)
        try environment.put([1], for: [1])
        environment.close()
        let again = try Environment.open(at: path, create: false)
        #expect(try again.value(for: [1]) == [1])
        again.close()
    }

    @Test func `the files are for their owner alone`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        for name in ["data.mdb", "lock.mdb"] {
            var status = stat()
            #expect(stat(scratch.path + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func `opened twice or through a symlink it is one object`() throws {
        let scratch = Scratch()
        let link = scratch.path + "/link"
        #expect(mkdir(scratch.path + "/real", 0o700) == 0)
        #expect(symlink("real", link) == 0)
        let first = try Environment.open(at: scratch.path + "/real", create: true)
        let second = try Environment.open(at: scratch.path + "/real", create: true)
        let third = try Environment.open(at: link, create: false)
        #expect(first === second && second === third)
        first.close()
        second.close()
        try third.put([7], for: [7])
        third.close()
        #expect(code { try third.read { _ in } } == .closed)
        #expect(code { try third.write { _ in } } == .closed)
        #expect(code { try third.sync() } == .closed)
        #expect(code { try third.clearStaleReaders() } == .closed)
        #expect(code { _ = try third.statistics() } == .closed)
        let fourth = try Environment.open(at: link, create: false)
        #expect(fourth !== third)
        #expect(try fourth.value(for: [7]) == [7])
        fourth.close()
    }

    @Test func `a data file replaced while open is refused`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        #expect(unlink(scratch.path + "/data.mdb") == 0)
        #expect(code { _ = try scratch.open() } == .invalid)
    }

    @Test func `garbage, foreign, empty and short files are refused and left as they are`() throws {
        let scratch = Scratch()
        var generator = SeededGenerator(seed: 1)
        let garbage = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let foreign = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 9_000)
        for bytes in [garbage, foreign, Array("hello".utf8), [0]] {
            scratch.writeDataFile(bytes)
            #expect(code { _ = try scratch.open() } == .invalid)
            #expect(try FileSystem.status(scratch.path + "/data.mdb")?.sizeBytes == bytes.count)
        }
        scratch.writeDataFile([])
        #expect(
            code { _ = try Environment.open(at: scratch.path, create: false) } == .invalid)
        try scratch.open().close()
    }

    @Test func `a new file that a power failure has left half is begun anew`() throws {
        let scratch = Scratch()
        // As the engine makes it, before anything is written.
        try makeForeignFile(at: scratch.path)
        let whole = Array(try scratch.readDataFile().prefix(8_192))
        try #require(whole.count == 8_192)
        for missing in [[0], [1], [0, 1]] {
            var bytes = whole
            for page in missing {
                bytes.replaceSubrange(
                    page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
            }
            scratch.writeDataFile(bytes)
            #expect(
                code { _ = try Environment.open(at: scratch.path, create: false) } == .invalid)
            #expect(try scratch.readDataFile() == bytes)
            let environment = try scratch.open()
            try environment.put([1], for: [1])
            environment.close()
            #expect(try DataFile.verify(path: scratch.path + "/data.mdb").isClean)
        }
        // What is longer, shorter, or has anything else in it is left as it is.
        let odd = whole.prefix(4_096) + [UInt8](repeating: 0, count: 4_095)
        for bytes in [odd + [1], odd, odd + [0, 0], whole.prefix(4_096)] {
            scratch.writeDataFile(Array(bytes))
            #expect(code { _ = try scratch.open() } == .corrupted)
            #expect(try scratch.readDataFile() == Array(bytes))
        }
    }

    @Test func `another format of the engine is named`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let file = open(scratch.path + "/data.mdb", O_RDWR)
        for offset in [20, 4096 + 20] { #expect(pwrite(file, [UInt8(2)], 1, off_t(offset)) == 1) }
        close(file)
        #expect(code { _ = try scratch.open() } == .versionMismatch)
    }

    @Test func `a file truncated at any page is refused or has all its pages`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        let expected = try environment.write { transaction -> Int in
            let table = try transaction.createTable(named: "t")
            for number in 0..<400 {
                let value = [UInt8](repeating: 1, count: number % 50 == 0 ? 9_000 : 100)
                let key = [UInt8(number >> 8), UInt8(number & 255)]
                try transaction.put(value, for: key, in: table)
            }
            return try transaction.count(of: table)
        }
        environment.close()
        let path = scratch.path + "/data.mdb"
        var pages = try #require(try FileSystem.status(path)).sizeBytes / 4096
        var refused = 0
        while pages > 0 {
            pages -= 1
            #expect(truncate(path, off_t(pages * 4096)) == 0)
            if pages == 0 { break }
            do throws(LMDBError) {
                let opened = try Environment.open(at: scratch.path, create: false)
                defer { opened.close() }
                var found = 0
                try? opened.read { transaction in
                    guard let table = try transaction.table(named: "t") else { return }
                    try transaction.forEach(in: table) { _, value in
                        found += value[value.count - 1] == 1 ? 1 : 0
                        return true
                    }
                }
                #expect(found == expected, "\(pages) pages were accepted")
            } catch {
                #expect(error.code == .corrupted)
                refused += 1
            }
        }
        #expect(refused > 10)
    }

    @Test func `network file systems are known by number`() {
        for type: UInt32 in [0x6969, 0x517B, 0xFF53_4D42, 0x0102_1997, 0x6573_5546] {
            #expect(FileSystem.networkName(ofType: type) != nil)
        }
        for type: UInt32 in [0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630] {
            #expect(FileSystem.networkName(ofType: type) == nil)
        }
    }

    @Test(.enabled(if: mountIsPermitted, "mounting is not permitted here"))
    func `read-only media can be read and not written`() throws {
        let disk = SmallDisk(kibibytes: 2_048)
        let environment = try Environment.open(at: disk.path, create: true)
        try environment.put([1, 2], for: [1])
        environment.close()
        disk.remountReadOnly()
        #expect(code { _ = try Environment.open(at: disk.path, create: true) } == .readOnly)
        let options = EnvironmentOptions(isReadOnly: true)
        let reading = try Environment.open(at: disk.path, options: options, create: false)
        defer { reading.close() }
        #expect(try reading.value(for: [1]) == [1, 2])
        #expect(code { try reading.write { _ in } } == .readOnly)
    }

    @Test func `an environment open for reading is not lent for writing`() throws {
        let scratch = Scratch()
        try scratch.open().close()
        let options = EnvironmentOptions(isReadOnly: true)
        let reading = try Environment.open(at: scratch.path, options: options, create: false)
        #expect(code { _ = try scratch.open() } == .readOnly)
        reading.close()
        try scratch.open().close()
    }

    @Test func `a copy is a database of its own and never overwrites one`() throws {
        let scratch = Scratch()
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([5], for: [5])
        for compacting in [false, true] {
            let target = scratch.path + "/copy-\(compacting)"
            var reports: [[Int]] = []
            try environment.copy(to: target, compacting: compacting) { reports.append([$0, $1]) }
            let total = try #require(reports.last?.last)
            #expect(reports == [[0, total], [total, total]])
            let copy = try Environment.open(at: target, create: false)
            #expect(try copy.value(for: [5]) == [5])
            copy.close()
            #expect(
                code { try environment.copy(to: target, compacting: false) } == .system(EEXIST))
        }
    }

    @Test func `the version of the engine is three numbers`() {
        #expect(Environment.engineVersion.split(separator: ".").compactMap { Int($0) }.count == 3)
    }
}

/// A file as the engine makes it, before anything is written.
private func makeForeignFile(at path: String) throws {
    let engine = try EngineEnvironment.create(path: path)
    defer { engine.close() }
    try engine.configure(readersMax: 10, tablesMax: 10, mapSize: 1 << 20)
    try engine.open(isReadOnly: false, isWithoutLocks: false, durability: .full)
}
