import Glibc
import SettlePrimitives
import Testing

@testable import SettleLMDB

@Suite(.serialized) struct `Records of work under way` {
    private let scratch = Scratch()
    private var path: String { scratch.path + "/records" }

    @Test func `a killed process leaves what its workers had begun`() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let file = try CrashGuardFile(path: path, slotCount: 4)
            file.note("first", slot: 0)
            file.note("done", slot: 1)
            file.note("à l'œuvre", slot: 3)
            file.note("second", slot: 0)
            file.clear(slot: 1)
            kill(getpid(), SIGKILL)
        }
        #expect(try records() == ["second", "à l'œuvre"])
        #expect(try records() == [])
        #expect(try FileSystem.status(path) == nil)
    }

    @Test func `a process that traps leaves what it was working on`() async throws {
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let file = try CrashGuardFile(path: path, slotCount: 2)
            file.note("bad data", slot: 1)
            let numbers = [UInt8](path.utf8.prefix(1))
            file.note("\(numbers[Int(numbers[0])])", slot: 1)
        }
        #expect(try records() == ["bad data"])
    }

    @Test func `a process that exits without closing leaves its records`() async throws {
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let file = try CrashGuardFile(path: path, slotCount: 1)
            file.note("begun", slot: 0)
            _exit(3)
        }
        #expect(code { _ = try CrashGuardFile(path: path, slotCount: 1) } == .inUse)
        #expect(try records() == ["begun"])
        try CrashGuardFile(path: path, slotCount: 1).close()
    }

    @Test func `remains without records are replaced`() async throws {
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            _ = try CrashGuardFile(path: path, slotCount: 9)
            let file = try CrashGuardFile(path: path, slotCount: 7)
            file.note("done", slot: 6)
            file.clear(slot: 6)
            _exit(3)
        }
        #expect(try FileSystem.status(path) != nil)
        let file = try CrashGuardFile(path: path, slotCount: 2)
        #expect(try FileSystem.status(path)?.sizeBytes == CrashGuardLayout.sizeBytes(slotCount: 2))
        file.close()
    }

    @Test func `records of the living are left to them`() async throws {
        let file = try CrashGuardFile(path: path, slotCount: 1)
        file.note("mine", slot: 0)
        #expect(try CrashGuardFile.harvest(path: path) == nil)
        #expect(code { _ = try CrashGuardFile(path: path, slotCount: 1) } == .inUse)
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            guard try CrashGuardFile.harvest(path: path) == nil else { _exit(4) }
            guard code({ _ = try CrashGuardFile(path: path, slotCount: 1) }) == .inUse else {
                _exit(5)
            }
            _exit(3)
        }
        file.close()
        #expect(try records() == [])
    }

    @Test func `closing removes the file, once, and forgets the records`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 3)
        file.note("open", slot: 2)
        file.close()
        #expect(try FileSystem.status(path) == nil)
        let other = try CrashGuardFile(path: path, slotCount: 3)
        file.close()
        #expect(try CrashGuardFile.harvest(path: path) == nil)
        other.close()
        #expect(try records() == [])
    }

    @Test func `a file that took the place of ours is not removed with it`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 1)
        FileSystem.remove(path)
        let other = try CrashGuardFile(path: path, slotCount: 1)
        other.note("kept", slot: 0)
        file.close()
        #expect(try CrashGuardFile.harvest(path: path) == nil)
        other.close()
    }

    @Test func `a program that is started does not inherit the lock`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 1)
        defer { file.close() }
        let list = "ls -l /proc/self/fd | grep -qF"
        let witness = open(scratch.path, O_RDONLY)
        defer { close(witness) }
        #expect(run("/bin/sh", "-c", "\(list) \(scratch.path)") == 0)
        #expect(run("/bin/sh", "-c", "\(list) \(path)") == 1)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `workers killed at any moment leave whole records`(seed: UInt64) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, seed = seed as UInt64] in
            let file = try CrashGuardFile(path: path, slotCount: 3)
            let started = Counter()
            let threads = (0..<3).map { slot in
                let thread = WorkerThread(name: "marking \(slot)")
                thread.submit {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(slot))
                    started.add()
                    while true { file.noteAny(slot: slot, &generator) }
                }
                return thread
            }
            while started.value < threads.count {}
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<Int.random(in: 1_000...200_000, using: &generator) {
                _ = generator.next()
            }
            kill(getpid(), SIGKILL)
        }
        let found = try #require(try CrashGuardFile.harvest(path: path))
        #expect(found.count <= 3)
        for record in found {
            let letter = record[0]
            #expect(record.count == Int(letter) + 1, "seed \(seed)")
            #expect(record.allSatisfy { $0 == letter }, "seed \(seed)")
        }
    }

    @Test func `records of every length come back whole`() throws {
        for length in 1...CrashGuardFile.byteCountMax {
            var generator = SeededGenerator(seed: UInt64(length))
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let file = try CrashGuardFile(path: path, slotCount: 2)
            file.set([UInt8](repeating: 0xFF, count: CrashGuardFile.byteCountMax).span, slot: 1)
            file.set(bytes.span, slot: 1)
            let left = try read()
            file.close()
            #expect(content(left) == .records([bytes]), "length \(length)")
        }
    }

    @Test func `a record of which any byte is another is ignored`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 2)
        file.note("neighbour", slot: 0)
        file.note("a record of some length", slot: 1)
        let left = try read()
        file.close()
        let slot = CrashGuardLayout.offset(ofSlot: 1)
        let length = CrashGuardLayout.recordOffset + "a record of some length".utf8.count
        for place in slot..<slot + length {
            for bit in 0..<8 {
                var changed = left
                changed[place] ^= 1 << bit
                #expect(content(changed) == .records([Array("neighbour".utf8)]), "\(place), \(bit)")
            }
        }
    }

    @Test func `records from before a start of the machine accuse nobody`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 1)
        file.note("then", slot: 0)
        let left = try read()
        file.close()
        let now = MachineStart.current
        #expect(now.count == MachineStart.byteCount && now.contains { $0 != 0 })
        var earlier = now
        earlier[7] ^= 1
        #expect(CrashGuardLayout.content(of: left, start: now) == .records([Array("then".utf8)]))
        #expect(CrashGuardLayout.content(of: left, start: earlier) == .records([]))
    }

    @Test func `a file that was never finished has no records`() throws {
        for count in [0, 1, 384, 768] {
            try write([UInt8](repeating: 0, count: count))
            #expect(try records() == [])
            #expect(try FileSystem.status(path) == nil)
            try write([UInt8](repeating: 0, count: count))
            try CrashGuardFile(path: path, slotCount: 1).close()
        }
    }

    @Test func `another program's file is left as it is`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 2)
        let whole = try read()
        file.close()
        var newer = whole
        newer[8] = 2
        var longer = whole
        longer[12] = 3
        let foreign = [
            Array("hello".utf8), Array(whole.dropLast()), whole + [0], Array(whole[..<8]), newer,
            longer, [UInt8](repeating: 7, count: 3_000_000),
        ]
        for bytes in foreign {
            try write(bytes)
            #expect(code { _ = try CrashGuardFile.harvest(path: path) } == .invalid)
            // A process that another test begins shares the locks until it runs its own program.
            var found = code { _ = try CrashGuardFile(path: path, slotCount: 1) }
            while found == .inUse {
                found = code { _ = try CrashGuardFile(path: path, slotCount: 1) }
            }
            #expect(found == .invalid)
            #expect(try read() == bytes)
        }
    }

    @Test func `any bytes at all are read without harm`() throws {
        let file = try CrashGuardFile(path: path, slotCount: 5)
        for slot in 0..<5 { file.note("record \(slot)", slot: slot) }
        let left = try read()
        file.close()
        let known = Set((0..<5).map { Array("record \($0)".utf8) })
        for seed in 0..<2_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var bytes = left
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            guard case .records(let records) = content(bytes) else { continue }
            #expect(known.isSuperset(of: records), "seed \(seed)")
        }
    }

    @Test func `a place where no file can be made is told`() throws {
        let nowhere = scratch.path + "/none/records"
        #expect(code { _ = try CrashGuardFile(path: nowhere, slotCount: 1) } == .noSuchDirectory)
        #expect(code { _ = try CrashGuardFile.harvest(path: nowhere) } == .noSuchDirectory)
        #expect(code { _ = try CrashGuardFile.harvest(path: scratch.path) } == .system(EISDIR))
        #expect(try records() == [])
    }

    @Test(.enabled(if: mountIsPermitted))
    func `a full device is told and nothing is left`() throws {
        let disk = SmallDisk(kibibytes: 64)
        let path = disk.path + "/records"
        #expect(code { _ = try CrashGuardFile(path: path, slotCount: 1_000) } == .diskFull)
        #expect(try FileSystem.status(path) == nil)
        let file = try CrashGuardFile(path: path, slotCount: 20)
        file.note("fits", slot: 19)
        file.close()
        disk.remountReadOnly()
        #expect(code { _ = try CrashGuardFile(path: path, slotCount: 1) } == .readOnly)
    }

    @Test func `bugs trap with a sentence`() async {
        let none = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            _ = try CrashGuardFile(path: path + "0", slotCount: 0)
        }
        #expect(says("has 1 to 4096 slots", none))
        let empty = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            try CrashGuardFile(path: path + "1", slotCount: 1).note("", slot: 0)
        }
        #expect(says("A record has 1 to 264 bytes", empty))
        let long = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let file = try CrashGuardFile(path: path + "2", slotCount: 1)
            file.set([UInt8](repeating: 1, count: CrashGuardFile.byteCountMax + 1).span, slot: 0)
        }
        #expect(says("A record has 1 to 264 bytes", long))
        let beyond = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            try CrashGuardFile(path: path + "3", slotCount: 1).note("a", slot: 1)
        }
        #expect(says("has no slot 1", beyond))
        let late = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let file = try CrashGuardFile(path: path + "4", slotCount: 1)
            file.close()
            file.clear(slot: 0)
        }
        #expect(says("used after its close", late))
    }

    /// Whether the process that trapped said these words; only debug builds say any.
    private func says(_ words: String, _ result: ExitTest.Result?) -> Bool {
        guard let result else { return false }
        #if DEBUG
            return String(decoding: result.standardErrorContent, as: UTF8.self).contains(words)
        #else
            return true
        #endif
    }

    private func records() throws -> [String]? {
        try CrashGuardFile.harvest(path: path)?.map { String(decoding: $0, as: UTF8.self) }
    }

    private func content(_ bytes: [UInt8]) -> CrashGuardLayout.Content {
        CrashGuardLayout.content(of: bytes, start: MachineStart.current)
    }

    private func read() throws -> [UInt8] {
        try DataFile.reading(path) { (file) throws(LMDBError) in
            try file.bytes(at: 0, count: file.sizeBytes) ?? []
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        defer { Glibc.close(file) }
        try #require(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count)
    }
}

extension CrashGuardFile {
    fileprivate func note(_ text: String, slot: Int) {
        set(Array(text.utf8).span, slot: slot)
    }

    /// Notes a record of a random length, all of whose bytes are that length less one.
    fileprivate func noteAny(slot: Int, _ generator: inout SeededGenerator) {
        let letter = UInt8.random(in: 0...255, using: &generator)
        set([UInt8](repeating: letter, count: Int(letter) + 1).span, slot: slot)
    }
}
