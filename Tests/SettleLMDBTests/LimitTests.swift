import CLMDB
import Glibc
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Limits of the engine and the system` {
    @Test func `lengths up to 2 GiB - 1 are an honest full map, beyond they are refused`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(mapSizeInitial: 1 << 20, mapSizeMax: 1 << 26))
        defer { environment.close() }
        try environment.put([1], for: [1])
        for (count, expected) in [
            (Int(Int32.max), LMDBError.Code.mapFull), (Int(Int32.max) + 1, .valueTooLarge),
            (Int(UInt32.max), .valueTooLarge), (Int.max, .valueTooLarge),
        ] {
            let found = code {
                try environment.write { transaction in
                    let table = try transaction.createTable(named: "t")
                    try transaction.put(count: count, for: [2], in: table) { _ in
                        Issue.record("There is no place for \(count) bytes.")
                    }
                }
            }
            #expect(found == expected)
        }
        #expect(try environment.value(for: [1]) == [1])
        #expect(try environment.verifyPages().isClean)
    }

    @Test(arguments: [Durability.full, .relaxed])
    func `flags that may harm the file are never set`(durability: Durability) throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: durability))
        defer { environment.close() }
        var flags: UInt32 = 0
        #expect(mdb_env_get_flags(environment.engine.pointer, &flags) == 0)
        let harmful = MDB_NOSYNC | MDB_WRITEMAP | MDB_MAPASYNC | MDB_FIXEDMAP | MDB_NOLOCK
        #expect(Int32(bitPattern: flags) & harmful == 0)
        #expect(Int32(bitPattern: flags) & MDB_NOTLS != 0)
        #expect((Int32(bitPattern: flags) & MDB_NOMETASYNC != 0) == (durability == .relaxed))
    }

    @Test(arguments: [MDB_DUPSORT, MDB_REVERSEKEY, MDB_INTEGERKEY])
    func `a table another program made with flags is refused`(flag: Int32) throws {
        let scratch = Scratch()
        try scratch.open().close()
        try makeForeignTable("odd", flag, at: scratch.path)
        let environment = try scratch.open()
        defer { environment.close() }
        try environment.put([1], for: [1])
        #expect(try environment.value(for: [1]) == [1])
        #expect(
            code { _ = try environment.write { try $0.createTable(named: "odd") } } == .invalid)
        #expect(try !environment.verifyPages().isClean)
    }

    @Test func `pages of 16 KiB want an engine that can split them`() {
        func version(_ patch: Int) -> EngineVersion {
            EngineVersion(major: 0, minor: 9, patch: patch)
        }
        #expect(version(24).canWrite(pageSizeBytes: 4_096))
        #expect(!version(24).canWrite(pageSizeBytes: 16_384))
        #expect(!version(29).canWrite(pageSizeBytes: 16_384))
        #expect(version(30).canWrite(pageSizeBytes: 16_384))
        #expect(EngineVersion(major: 1, minor: 0, patch: 0).canWrite(pageSizeBytes: 65_536))
    }

    @Test func `a long reader is reported once, by name and age`() throws {
        let scratch = Scratch()
        let log = ReaderLog()
        var options = EnvironmentOptions(longReaderSeconds: 0)
        options.onLongReader = { name, age in log.add(name, age) }
        let environment = try scratch.open(options)
        defer { environment.close() }
        try environment.put([1], for: [1])
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
            try environment.put([2], for: [2])
            try environment.put([3], for: [3])
        }
        try environment.put([4], for: [4])
        #expect(log.entries.map(\.name) == ["report"])
        #expect(log.entries.allSatisfy { $0.age > 0 })
    }

    @Test func `a map the system refuses is an error and the old one stays`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let scratch = Scratch()
            let environment = try scratch.open(.init(mapSizeInitial: 128 << 10))
            try environment.put([1], for: [1])
            let kept = try environment.read { try $0.table(named: "t") }
            let value = [UInt8](repeating: 1, count: 64 << 20)
            let before = try Limit.addressSpace(moreBytes: 100 << 20)
            let failure = code { try environment.put(value, for: [2]) }
            guard failure == .system(ENOMEM) else { _exit(4) }
            guard let kept else { _exit(5) }
            let found = try environment.read { try $0.value(for: [1], in: kept) }
            guard found == [1] else { _exit(6) }
            try environment.put([3], for: [3])
            Limit.addressSpace(before)
            try environment.put(value, for: [2])
            guard try environment.verifyPages().isClean else { _exit(7) }
            environment.close()
            _exit(3)
        }
    }

    @Test func `an environment that lost every map is closed and can be opened anew`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let scratch = Scratch()
            let environment = try scratch.open(.init(mapSizeInitial: 128 << 10))
            try environment.put([1], for: [1])
            let value = [UInt8](repeating: 1, count: 64 << 20)
            // Far below what is in use, so that even the old map cannot be had again.
            let before = try Limit.addressSpace(moreBytes: -32 << 20)
            let failure = code { try environment.put(value, for: [2]) }
            let isClosed = code { _ = try environment.value(for: [1]) } == .closed
            Limit.addressSpace(before)
            guard failure == .system(ENOMEM), isClosed else { _exit(4) }
            let again = try scratch.open()
            guard again !== environment, try again.value(for: [1]) == [1] else { _exit(5) }
            environment.close()
            try again.put(value, for: [2])
            guard try again.verifyPages().isClean else { _exit(6) }
            again.close()
            _exit(3)
        }
    }

    @Test(arguments: [false, true])
    func `a write the system refuses is rolled back`(isRelaxed: Bool) async {
        await #expect(processExitsWith: .exitCode(3)) { [isRelaxed = isRelaxed as Bool] in
            let scratch = Scratch()
            let environment = try scratch.open(.init(durability: isRelaxed ? .relaxed : .full))
            try environment.put([1], for: [1])
            signal(SIGXFSZ, SIG_IGN)
            let size = try FileSystem.status(scratch.path + "/data.mdb")?.sizeBytes ?? 0
            let before = Limit.fileSize(bytes: size)
            let value = [UInt8](repeating: 1, count: 1 << 20)
            for _ in 0..<3 {
                guard code({ try environment.put(value, for: [2]) }) != nil else { _exit(4) }
                guard try environment.value(for: [2]) == nil else { _exit(5) }
            }
            Limit.fileSize(before)
            try environment.put(value, for: [2])
            guard try environment.value(for: [1]) == [1], try environment.verifyPages().isClean
            else { _exit(6) }
            environment.close()
            let again = try scratch.open()
            guard try again.value(for: [2]) == value else { _exit(7) }
            _exit(3)
        }
    }
}

/// Makes a table as a program with other habits would.
func makeForeignTable(_ name: String, _ flag: Int32, at path: String) throws {
    let engine = try EngineEnvironment.create(path: path)
    defer { engine.close() }
    try engine.configure(readersMax: 10, tablesMax: 10, mapSize: 1 << 20)
    try engine.open(isReadOnly: false, isWithoutLocks: false, durability: .full)
    let transaction = try engine.begin(isReadOnly: false)
    var slot: UInt32 = 0
    #expect(mdb_dbi_open(transaction.pointer, name, UInt32(flag | MDB_CREATE), &slot) == 0)
    try transaction.commit()
}

/// Limits of this process; for a process of its own.
private enum Limit {
    static func addressSpace(moreBytes: Int) throws -> rlimit {
        let file = open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 100)
        let count = read(file, &text, text.count)
        let words = String(decoding: text.prefix(count), as: UTF8.self).split(separator: " ")
        let pages = try #require(words.first.flatMap { Int($0) })
        return set(__rlimit_resource_t(RLIMIT_AS.rawValue), pages * Int(getpagesize()) + moreBytes)
    }

    static func addressSpace(_ before: rlimit) {
        var limit = before
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }

    static func fileSize(bytes: Int) -> rlimit {
        set(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), bytes)
    }

    static func fileSize(_ before: rlimit) {
        var limit = before
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    private static func set(_ resource: __rlimit_resource_t, _ bytes: Int) -> rlimit {
        var before = rlimit()
        getrlimit(resource, &before)
        var limit = before
        limit.rlim_cur = rlim_t(bytes)
        setrlimit(resource, &limit)
        return before
    }
}
