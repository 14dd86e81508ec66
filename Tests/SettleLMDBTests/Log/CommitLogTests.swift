import Glibc
import SettlePrimitives
import Testing

@testable import SettleLMDB

extension EnvironmentOptions {
    /// With the log from the first commit on.
    static func logged(
        _ durability: Durability = .full, _ change: (inout EnvironmentOptions) -> Void = { _ in }
    ) -> EnvironmentOptions {
        var options = EnvironmentOptions(durability: durability)
        options.usesCommitLog = true
        options.logTuning.plainCommitsAtFirst = 0
        options.logTuning.plainCommitsAfterOthers = 1
        options.logTuning.segmentBytes = 64 << 10
        options.logTuning.idleSeconds = 3_600
        change(&options)
        return options
    }
}

extension Scratch {
    /// The head of the log.
    func logHead() throws -> LogHead? {
        try LogFile.open(in: path, isReadOnly: true)?.head()
    }

    func dataMark() throws -> DataMark {
        DataMark(ofPage: try readDataFile())
    }

    /// A directory with a copy of the files as they are now, as if the process had been killed.
    func copied() -> Scratch {
        let copy = Scratch()
        for name in ["data.mdb", "log.mdb"] { run("/bin/cp", path + "/" + name, copy.path) }
        return copy
    }

    /// Puts the meta pages of a moment into the data file, and zeros over the pages behind them.
    func spoilData(keeping pages: Int) throws {
        var bytes = try readDataFile()
        for place in pages * 4_096..<bytes.count { bytes[place] = 0x77 }
        writeDataFile(bytes)
    }
}

extension Environment {
    /// Deletes one key.
    func remove(_ key: [UInt8]) throws {
        try write { transaction in
            _ = try transaction.delete(key, from: transaction.createTable(named: "t"))
        }
    }

    /// All entries of all tables.
    func contents() throws -> [String: [[UInt8]: [UInt8]]] {
        try read { transaction in
            var found: [String: [[UInt8]: [UInt8]]] = [:]
            for name in try transaction.tableNames() {
                guard let table = try transaction.table(named: name) else { continue }
                found[name] = [:]
                try transaction.forEach(in: table) { key, value in
                    found[name]?[Array(copying: key)] = Array(copying: value)
                    return true
                }
            }
            return found
        }
    }
}

extension [UInt8] {
    fileprivate init(copying span: Span<UInt8>) {
        self = span.indices.map { span[$0] }
    }
}

@Suite(.serialized) struct `A commit log` {
    @Test(arguments: [Durability.full, .relaxed])
    func `recovers all commits of a process that did not close`(durability: Durability) throws {
        let scratch = Scratch()
        let environment = try scratch.open(.logged(durability))
        defer { environment.close() }
        try environment.write { _ = try $0.createTable(named: "t") }
        for number in UInt8(0)..<200 {
            try environment.put([number, 1], for: [number])
            if number % 3 == 0 {
                try environment.write { transaction in
                    if let table = try transaction.table(named: "t") {
                        _ = try transaction.delete([number / 2], from: table)
                    }
                }
            }
        }
        #expect(try scratch.logHead()?.state == .live)
        let wanted = try environment.contents()
        let number = try environment.lastTransaction()
        let copy = scratch.copied()
        let recovered = try copy.open(.logged(durability))
        #expect(try recovered.contents() == wanted)
        #expect(try recovered.lastTransaction() == number)
        #expect(try recovered.verifyPages().findings == [])
        #expect(try copy.logHead()?.state == .clean)
        recovered.close()
    }

    @Test func `needs of the data file only what the storage checkpoint has`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.logged { $0.logTuning.segmentBytes = 1 << 20 })
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in UInt8(0)..<100 {
                try transaction.put(
                    [UInt8](repeating: number, count: 300), for: [number], in: table)
            }
        }
        try environment.put([0], for: [0])
        let pages = try scratch.readDataFile().count / 4_096
        for number in UInt8(1)..<100 { try environment.put([number], for: [number]) }
        let wanted = try environment.contents()
        let copy = scratch.copied()
        // What was written since is garbage, as no flush has kept it: behind the end first.
        let head = try #require(try copy.logHead())
        let last = Int(head.meta.unsigned64(at: 136))
        #expect(last < pages)
        try copy.spoilData(keeping: last + 1)
        let recovered = try copy.open(.logged())
        defer { recovered.close() }
        #expect(try recovered.contents() == wanted)
        #expect(try recovered.verifyPages().findings == [])
    }

    @Test func `leaves nothing to do and no file when it is closed`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.logged())
        for number in UInt8(0)..<20 { try environment.put([number], for: [number]) }
        #expect(try scratch.dataMark().session != 0)
        let wanted = try environment.contents()
        environment.close()
        #expect(access(scratch.path + "/log.mdb", F_OK) != 0)
        #expect(try scratch.dataMark().session == 0)
        let plain = try scratch.open()
        #expect(try plain.contents() == wanted)
        plain.close()
        let reader = try scratch.open(.init(isReadOnly: true))
        #expect(try reader.contents() == wanted)
        reader.close()
    }

    @Test func `of a file that was not recovered refuses readers, and a missing log everybody`()
        throws
    {
        let scratch = Scratch()
        let environment = try scratch.open(.logged())
        defer { environment.close() }
        for number in UInt8(0)..<20 { try environment.put([number], for: [number]) }
        let copy = scratch.copied()
        #expect(code { _ = try copy.open(.init(isReadOnly: true)) } == .readOnly)
        unlink(copy.path + "/log.mdb")
        let before = try copy.readDataFile()
        #expect(code { _ = try copy.open(.logged()) } == .corrupted)
        #expect(code { _ = try copy.open() } == .corrupted)
        #expect(code { _ = try copy.open(.init(isReadOnly: true)) } == .corrupted)
        #expect(try copy.readDataFile() == before)
    }

    @Test func `of another file, or of a later state of it, is refused and left`() throws {
        let (scratch, other) = (Scratch(), Scratch())
        let environment = try scratch.open(.logged())
        defer { environment.close() }
        for number in UInt8(0)..<20 { try environment.put([number], for: [number]) }
        let older = scratch.copied()
        try environment.write { _ = try $0.createTable(named: "u") }
        try environment.put([1], for: [1])
        let stranger = try other.open(.logged())
        defer { stranger.close() }
        for number in UInt8(0)..<40 { try stranger.put([number], for: [number]) }
        for data in [older, other] {
            let copy = data.copied()
            run("/bin/cp", scratch.path + "/log.mdb", copy.path)
            let (bytes, head) = (try copy.readDataFile(), try copy.logHead())
            #expect(code { _ = try copy.open(.logged()) } == .invalid)
            #expect(try copy.readDataFile() == bytes)
            #expect(try copy.logHead() == head)
        }
    }

    @Test func `makes storage checkpoints in the background, and the file grows little`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(
            .logged { $0.logTuning.pagesMaxAtLeast = 64 })
        defer { environment.close() }
        try environment.write { transaction in
            let table = try transaction.createTable(named: "t")
            for number in 0..<2_000 {
                try transaction.put(
                    [UInt8](repeating: 1, count: 300), for: Self.key(number), in: table)
            }
        }
        let before = try environment.statistics().pagesUsed
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        try environment.put([1], for: Self.key(1))
        let first = try #require(try scratch.logHead())
        for round in 0..<2_000 {
            let key = Self.key(Int.random(in: 0..<2_000, using: &generator))
            try environment.put([UInt8](repeating: UInt8(round % 200), count: 300), for: key)
        }
        let last = try #require(try scratch.logHead())
        #expect(last.sequence > first.sequence + 10)
        let after = try environment.statistics().pagesUsed
        #expect(Double(after) < 2.5 * Double(before), "seed \(seed): \(before), \(after)")
        let wanted = try environment.contents()
        let copy = scratch.copied()
        let recovered = try copy.open(.logged())
        defer { recovered.close() }
        #expect(try recovered.contents() == wanted)
    }

    @Test func `lets large commits, new tables and dropped ones pass, each a checkpoint`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.logged { $0.logTuning.recordBytesMax = 10_000 })
        defer { environment.close() }
        try environment.put([1], for: [1])
        try environment.put([2], for: [2])
        func checkpointed() throws -> Bool {
            let number = try environment.lastTransaction()
            return try scratch.logHead()?.checkpoint == number
        }
        #expect(try !checkpointed())
        try environment.put([UInt8](repeating: 3, count: 20_000), for: [3])
        #expect(try checkpointed())
        try environment.put([4], for: [4])
        #expect(try !checkpointed())
        try environment.put([1], for: [1], in: "u")
        #expect(try checkpointed())
        try environment.put([2], for: [2], in: "u")
        try environment.drop("u")
        #expect(try checkpointed())
        try environment.put([5], for: [5])
        // One that changes nothing has no number.
        try environment.remove([99])
        try environment.put([6], for: [6])
        try environment.write { try $0.removeAll(from: $0.createTable(named: "t")) }
        try environment.put([7], for: [7])
        let wanted = try environment.contents()
        #expect(wanted == ["t": [[7]: [7]]])
        let recovered = try scratch.copied().open(.logged())
        defer { recovered.close() }
        #expect(try recovered.contents() == wanted)
    }

    @Test func `is ended when nothing was committed for a while`() async throws {
        let scratch = Scratch()
        let environment = try scratch.open(.logged { $0.logTuning.idleSeconds = 0.01 })
        defer { environment.close() }
        try environment.put([1], for: [1])
        try environment.put([2], for: [2])
        let limit = ContinuousClock.now + .seconds(20)
        while try scratch.dataMark().session != 0, ContinuousClock.now < limit {
            await Task.yield()
        }
        #expect(try scratch.dataMark().session == 0)
        #expect(try scratch.logHead()?.state == .clean)
        try environment.put([3], for: [3])
        try environment.put([4], for: [4])
        #expect(try environment.contents()["t"]?.count == 4)
    }

    @Test(arguments: [false, true])
    func `survives the growth of the map, a full map, and a compaction`(isUsed: Bool) throws {
        let scratch = Scratch()
        let environment = try scratch.open(
            .logged {
                $0.mapSizeInitial = 256 << 10
                $0.mapSizeMax = 1 << 20
                $0.usesCommitLog = isUsed
            })
        defer { environment.close() }
        try environment.put([0], for: [0])
        var stored = 0
        while code({
            try environment.put([UInt8](repeating: 1, count: 3_000), for: Self.key(stored))
        })
            == nil
        {
            stored += 1
            if stored % 40 == 20 { try environment.compact() }
        }
        #expect(stored > 150)
        // A full file can be made smaller, one deletion at a time, as without a log.
        for number in 0..<stored {
            try environment.remove(Self.key(number))
        }
        #expect(try environment.contents()["t"]?.count == 1)
        for number in UInt8(1)..<40 { try environment.put([number], for: [number]) }
        let wanted = try environment.contents()
        let recovered = try scratch.copied().open(.logged())
        defer { recovered.close() }
        #expect(try recovered.contents() == wanted)
    }

    @Test(arguments: [false, true])
    func `does not go along with a copy of a live database`(compacting: Bool) throws {
        let (scratch, target) = (Scratch(), Scratch())
        let environment = try scratch.open(.logged())
        defer { environment.close() }
        for number in UInt8(0)..<20 { try environment.put([number], for: [number]) }
        try environment.copy(to: target.path, compacting: compacting)
        #expect(try target.dataMark() == .none)
        #expect(try target.logHead() == nil)
        let copy = try target.open(.init(isReadOnly: true))
        defer { copy.close() }
        #expect(try copy.contents() == environment.contents())
    }

    @Test func `recovery broken off recovers`() throws {
        let scratch = Scratch()
        let environment = try scratch.open(.logged())
        defer { environment.close() }
        for number in UInt8(0)..<30 { try environment.put([number], for: [number]) }
        let wanted = try environment.contents()
        let copy = scratch.copied()
        let log = try #require(try LogFile.open(in: copy.path, isReadOnly: false))
        let head = try #require(try log.head())
        // The first page restored, the second not; then the records carried out and the head not written.
        for count in 1...2 {
            var bytes = try copy.readDataFile()
            let slot = Int(head.checkpoint & 1)
            if count == 1 {
                bytes.replaceSubrange(slot * 4_096..<slot * 4_096 + 152, with: head.meta)
                copy.writeDataFile(bytes)
            }
            let recovered = try copy.open(.logged())
            #expect(try recovered.contents() == wanted)
            recovered.close()
            var again = head
            again.sequence += UInt64(2 * count + 1)
            try log.write(again)
            unlink(copy.path + "/lock.mdb")
        }
        let recovered = try copy.open(.logged())
        defer { recovered.close() }
        #expect(try recovered.contents() == wanted)
    }

    static func key(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
}
