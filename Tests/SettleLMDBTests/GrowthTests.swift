import Glibc
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Growth and readers` {
    @Test func `the map grows while readers are active`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(mapSizeInitial: 256 << 10))
        defer { environment.close() }
        try environment.put([0], for: [0])
        let isOver = Flag()
        let reads = Counter()
        try withThreads(4) { _ in
            while !isOver.isRaised {
                try environment.read { transaction in
                    let table = try #require(try transaction.table(named: "t"))
                    var last = -1
                    try transaction.forEach(in: table) { key, value in
                        #expect(value[0] == key[0] && Int(key[0]) > last)
                        last = Int(key[0])
                        return true
                    }
                }
                reads.add()
            }
        } andHere: {
            defer { isOver.raise() }
            for number in UInt8(1)...60 {
                let value = [UInt8](repeating: number, count: 50_000)
                try environment.put(value, for: [number])
            }
            while reads.value < 4 { sched_yield() }
        }
        #expect(try environment.statistics().mapSizeBytes >= 4 << 20)
        #expect(try environment.value(for: [60])?.count == 50_000)
    }

    @Test func `a full map runs the closure again even if it hides the error`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(mapSizeInitial: 128 << 10))
        defer { environment.close() }
        var runs = 0
        try environment.write { transaction in
            runs += 1
            let table = try transaction.createTable(named: "t")
            try? transaction.put([UInt8](repeating: 1, count: 1 << 20), for: [1], in: table)
        }
        #expect(runs == 2)
        #expect(try environment.value(for: [1])?.count == 1 << 20)
    }

    @Test func `at its largest size the map is full and nothing is lost`() throws {
        let scratch = Scratch()
        let options = EnvironmentOptions(mapSizeInitial: 128 << 10, mapSizeMax: 256 << 10)
        let environment = try scratch.open(options)
        defer { environment.close() }
        try environment.put([1], for: [1])
        let value = [UInt8](repeating: 1, count: 1 << 20)
        #expect(code { try environment.put(value, for: [2]) } == .mapFull)
        #expect(try environment.value(for: [1]) == [1])
        try environment.put([2], for: [2])
        #expect(try environment.value(for: [2]) == [2])
    }

    @Test func `a reader that does not end is named to the writer that must grow`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(
            .init(mapSizeInitial: 128 << 10, longReaderSeconds: 0, gateWaitSeconds: 0.05))
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
            let readers = try environment.statistics().readers
            #expect(readers.map(\.name) == ["report"] && readers.allSatisfy(\.isLong))
            let value = [UInt8](repeating: 1, count: 1 << 20)
            let error = #expect(throws: LMDBError.self) { try environment.put(value, for: [2]) }
            #expect(error?.code == .readersBusy)
            #expect(error?.message.contains("report") == true)
        }
        try environment.put([UInt8](repeating: 1, count: 1 << 20), for: [2])
    }

    @Test func `every snapshot of many readers is one commit`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(durability: .relaxed))
        defer { environment.close() }
        try environment.put([0], for: [0])
        let isOver = Flag()
        try withThreads(6) { _ in
            var last: UInt8 = 0
            while !isOver.isRaised {
                try environment.read { transaction in
                    let table = try #require(try transaction.table(named: "t"))
                    let now = try #require(try transaction.value(for: [0], in: table))[0]
                    #expect(now >= last)
                    #expect(try transaction.count(of: table) == Int(now) + 1)
                    last = now
                }
            }
        } andHere: {
            defer { isOver.raise() }
            for number in UInt8(1)...100 {
                try environment.write { transaction in
                    let table = try #require(try transaction.table(named: "t"))
                    try transaction.put([number], for: [number], in: table)
                    try transaction.put([number], for: [0], in: table)
                }
            }
        }
    }

    @Test func `too many readers at once is an error, and one less is none`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.init(readersMax: 2))
        defer { environment.close() }
        try environment.put([1], for: [1])
        let slots = try environment.statistics().readerSlotsMax
        let inside = Counter()
        let isOver = Flag()
        try withThreads(slots) { _ in
            try environment.read { _ in
                inside.add()
                while !isOver.isRaised { sched_yield() }
            }
        } andHere: {
            defer { isOver.raise() }
            while inside.value < slots { sched_yield() }
            #expect(code { try environment.read { _ in } } == .readersFull)
        }
        try environment.read { _ in }
    }

    @Test(.enabled(if: mountIsPermitted, "mounting is not permitted here"))
    func `a full disk is an error and nothing is lost`() throws {
        let disk = SmallDisk(kibibytes: 1_024)
        let environment = try Environment.open(at: disk.path, create: true)
        var stored: UInt8 = 0
        var failure: LMDBError.Code?
        while failure == nil, stored < 100 {
            let value = [UInt8](repeating: stored + 1, count: 50_000)
            failure = code { try environment.put(value, for: [stored + 1]) }
            if failure == nil { stored += 1 }
        }
        #expect(failure == .diskFull)
        #expect(stored > 5)
        #expect(try environment.value(for: [stored])?.count == 50_000)
        #expect(try environment.value(for: [stored + 1]) == nil)
        environment.close()
        let again = try Environment.open(at: disk.path, create: false)
        #expect(try again.value(for: [stored])?.last == stored)
        again.close()
    }

    @Test(.enabled(if: mountIsPermitted, "mounting is not permitted here"))
    func `a disk too full for a new database is an error`() throws {
        let disk = SmallDisk(kibibytes: 64)
        let filler = open(disk.path + "/filler", O_RDWR | O_CREAT, 0o600)
        while write(filler, [UInt8](repeating: 1, count: 4_096), 4_096) == 4_096 {}
        close(filler)
        #expect(code { _ = try Environment.open(at: disk.path, create: true) } == .diskFull)
        #expect(unlink(disk.path + "/filler") == 0)
        try Environment.open(at: disk.path, create: true).close()
    }

    @Test(.enabled(if: mountIsPermitted, "mounting is not permitted here"))
    func `a disk too full for a reader's lock file is an error`() throws {
        let disk = SmallDisk(kibibytes: 1_024)
        let environment = try Environment.open(at: disk.path, create: true)
        try environment.put([1], for: [1])
        environment.close()
        #expect(unlink(disk.path + "/lock.mdb") == 0)
        let filler = open(disk.path + "/filler", O_RDWR | O_CREAT, 0o600)
        while write(filler, [UInt8](repeating: 1, count: 4_096), 4_096) == 4_096 {}
        close(filler)
        var options = EnvironmentOptions(isReadOnly: true)
        #expect(
            code { _ = try Environment.open(at: disk.path, options: options, create: false) }
                == .diskFull)
        #expect(unlink(disk.path + "/filler") == 0)
        for readersMax in [200, 4] {
            options.readersMax = readersMax
            let reading = try Environment.open(at: disk.path, options: options, create: false)
            #expect(try reading.value(for: [1]) == [1])
            reading.close()
            // Fewer slots are no reason to take those of others away.
            let length = try FileSystem.status(disk.path + "/lock.mdb")?.sizeBytes ?? 0
            #expect(length >= LockFile.sizeBytes(readersMax: 200))
        }
    }
}
