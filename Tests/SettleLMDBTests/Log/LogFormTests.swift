import SettlePrimitives
import Testing

@testable import SettleLMDB

/// A log in memory: heads and segments as bytes.
struct LogImage {
    static let segmentBytes = 8 * LogLayout.blockBytes
    var bytes = [UInt8](repeating: 0, count: LogLayout.fileBytes(segmentBytes: segmentBytes))

    static func head(
        sequence: UInt64 = 4, generation: UInt64 = 7, segment: Int = 0, checkpoint: UInt64 = 100
    ) -> LogHead {
        LogHead(
            state: .live, sequence: sequence, identifier: 0xABCD, session: 17,
            generation: generation, segment: segment, segmentBytes: segmentBytes,
            pageSizeBytes: 4_096, checkpoint: checkpoint,
            meta: (0..<DataFile.metaSizeBytes).map { UInt8($0) })
    }

    static func record(
        _ transaction: UInt64, generation: UInt64 = 7, identifier: UInt32 = 0xABCD, length: Int = 10
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: LogRecord.headerBytes)
        bytes.append(
            contentsOf: (0..<length).map { UInt8(truncatingIfNeeded: $0 + Int(transaction)) })
        LogRecord.seal(
            &bytes,
            as: .init(identifier: identifier, generation: generation, transaction: transaction),
            faults: [])
        return bytes
    }

    mutating func write(_ written: [UInt8], segment: Int = 0, block: Int) {
        let start =
            LogLayout.offset(ofSegment: segment, segmentBytes: Self.segmentBytes)
            + block * LogLayout.blockBytes
        bytes.replaceSubrange(start..<start + written.count, with: written)
    }

    /// The transactions that a scan finds.
    func found(_ head: LogHead, faults: CommitLogFaults = []) throws -> [UInt64] {
        let all = bytes
        var scan = LogScan(head, faults: faults) { (offset, count) throws(LMDBError) in
            offset + count <= all.count ? Array(all[offset..<offset + count]) : nil
        }
        var transactions: [UInt64] = []
        while let record = try scan.next() { transactions.append(record.transaction) }
        return transactions
    }
}

@Suite struct `The form of the commit log` {
    @Test func `a head is read as it was written, and no other bytes are a head`() {
        let head = LogImage.head()
        #expect(LogHead.read(head.block) == .head(head))
        let clean = head.cleaned(checkpoint: 120, generation: 9)
        #expect(LogHead.read(clean.block) == .head(clean))
        #expect(clean.slot != head.slot && clean.state == .clean && clean.sequence == 5)
        #expect(LogHead.read([UInt8](repeating: 0, count: LogLayout.blockBytes)) == .none)
        for place in 0..<LogHead.usedBytes {
            for bit in 0..<8 {
                var block = head.block
                block[place] ^= 1 << bit
                #expect(LogHead.read(block) == .none, "byte \(place), bit \(bit)")
            }
        }
        for count in 0..<LogHead.usedBytes {
            #expect(LogHead.read(Array(head.block.prefix(count))) == .none)
        }
    }

    @Test func `the newer head counts, and a damaged one leaves the older`() {
        let (old, new) = (LogImage.head(sequence: 4), LogImage.head(sequence: 5, checkpoint: 200))
        for blocks in [[old.block, new.block], [new.block, old.block]] {
            #expect(LogHead.newest(blocks) == .head(new))
        }
        // A power failure leaves any sectors of the new one.
        for mask in 0..<8 {
            var torn = LogImage.head(sequence: 3).block
            for sector in 0..<8 where mask & 1 << sector != 0 {
                let range = sector * 512..<(sector + 1) * 512
                torn.replaceSubrange(range, with: new.block[range])
            }
            #expect(
                LogHead.newest([old.block, torn]) == .head(mask & 1 == 0 ? old : new))
        }
        var later = new
        later.sequence = 9
        var block = later.block
        block.setInteger(UInt32(2), at: 8)
        #expect(LogHead.newest([old.block, block]) == .head(old))
    }

    @Test func `a record is read as it was sealed, and not when a bit of it is another`() {
        let place = LogRecord.Place(identifier: 0xABCD, generation: 7, transaction: 101)
        for length in [0, 1, 7, 8, 9, 100] {
            let bytes = LogImage.record(101, length: length)
            #expect(bytes.count == LogLayout.blockBytes)
            let read = LogRecord.read(bytes[...], place, faults: [])
            #expect(read?.content.count == length && read?.paddedBytes == bytes.count)
            for place in 0..<LogRecord.headerBytes + length {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[place] ^= 1 << bit
                    let wanted = LogRecord.Place(
                        identifier: 0xABCD, generation: 7, transaction: 101)
                    #expect(LogRecord.read(damaged[...], wanted, faults: []) == nil)
                }
            }
        }
    }

    @Test func `a record of another log, generation or transaction is none`() {
        let bytes = LogImage.record(101)[...]
        func reads(_ identifier: UInt32, _ generation: UInt64, _ transaction: UInt64) -> Bool {
            LogRecord.read(
                bytes,
                .init(identifier: identifier, generation: generation, transaction: transaction),
                faults: []) != nil
        }
        #expect(reads(0xABCD, 7, 101))
        #expect(!reads(0xABCE, 7, 101) && !reads(0xABCD, 8, 101) && !reads(0xABCD, 7, 102))
        // Neither when the header says so: the checksum knows better.
        var claimed = LogImage.record(101)
        claimed.setInteger(UInt64(8), at: 8)
        let place = LogRecord.Place(identifier: 0xABCD, generation: 8, transaction: 101)
        #expect(LogRecord.read(claimed[...], place, faults: []) == nil)
        #expect(LogRecord.read(claimed[...], place, faults: .noChecksum) != nil)
    }

    @Test func `without its generation a record of an earlier use would count`() {
        var bytes = [UInt8](repeating: 0, count: LogRecord.headerBytes + 9)
        let old = LogRecord.Place(identifier: 1, generation: 5, transaction: 8)
        let now = LogRecord.Place(identifier: 1, generation: 6, transaction: 8)
        LogRecord.seal(&bytes, as: old, faults: .noGeneration)
        #expect(LogRecord.read(bytes[...], now, faults: .noGeneration) != nil)
        #expect(LogRecord.read(bytes[...], now, faults: []) == nil)
    }

    @Test func `a log cut off anywhere gives the records before the cut, and no others`() throws {
        var image = LogImage()
        let lengths = [10, 5_000, 0, 4_096 - LogRecord.headerBytes, 1]
        var (block, ends): (Int, [Int]) = (0, [])
        for (index, length) in lengths.enumerated() {
            let record = LogImage.record(101 + UInt64(index), length: length)
            image.write(record, block: block)
            ends.append(block * LogLayout.blockBytes + LogRecord.headerBytes + length)
            block += record.count / LogLayout.blockBytes
        }
        let start = LogLayout.segmentsOffset
        let end = block * LogLayout.blockBytes
        for cut in stride(from: 0, through: end, by: 1) {
            // Every byte near the edges, and some between.
            guard ends.contains(where: { abs($0 - cut) < 40 }) || cut % 512 < 2 else { continue }
            var torn = image
            for place in start + cut..<start + end { torn.bytes[place] = 0xEE }
            let whole = ends.prefix { $0 <= cut }.count
            #expect(
                try torn.found(LogImage.head()) == (0..<whole).map { 101 + UInt64($0) },
                "cut \(cut)")
        }
    }

    @Test func `any block of a log spoilt ends it there`() throws {
        var image = LogImage()
        for number in 0..<8 {
            image.write(LogImage.record(101 + UInt64(number)), block: number)
        }
        for spoilt in 0..<8 {
            var damaged = image
            let offset = LogLayout.segmentsOffset + spoilt * LogLayout.blockBytes
            for place in offset..<offset + LogLayout.blockBytes { damaged.bytes[place] = 0x5A }
            #expect(try damaged.found(LogImage.head()).count == spoilt)
        }
    }

    @Test func `records go on in the other segment, whose generation is the next`() throws {
        var image = LogImage()
        image.write(LogImage.record(101), block: 0)
        image.write(LogImage.record(102), block: 1)
        // Of an earlier use, behind the end.
        image.write(LogImage.record(103, generation: 5), block: 2)
        image.write(LogImage.record(103, generation: 8), segment: 1, block: 0)
        image.write(LogImage.record(104, generation: 8), segment: 1, block: 1)
        #expect(try image.found(LogImage.head()) == [101, 102, 103, 104])
        #expect(try image.found(LogImage.head(), faults: .oneSegment) == [101, 102])
        // The head of the second segment's beginning.
        let later = LogImage.head(sequence: 5, generation: 8, segment: 1, checkpoint: 102)
        #expect(try image.found(later) == [103, 104])
        // Where the first segment has lost its last record, the second does not follow.
        image.write([UInt8](repeating: 0, count: LogLayout.blockBytes), block: 1)
        #expect(try image.found(LogImage.head()) == [101])
        #expect(try image.found(LogImage.head(generation: 9)) == [])
    }

    @Test func `changes are read as they were noted`() {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let tables = (0..<5).map {
            Table(name: "table \($0)", slot: UInt32($0), serial: UInt64($0 + 50))
        }
        for _ in 0..<200 {
            let noted = LogChanges(limit: 1 << 20)
            noted.begin(isKept: true)
            var wanted: [LogChange] = []
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let table = tables[Int.random(in: 0..<5, using: &generator)]
                func bytes(_ count: Int) -> [UInt8] {
                    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                }
                let key = bytes(Int.random(in: 1...511, using: &generator))
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    let value = bytes(Int.random(in: 0...900, using: &generator))
                    value.withUnsafeBytes { noted.put($0, for: key, in: table) }
                    wanted.append(.put(table: table.name, key: key, value: value))
                case 1:
                    noted.delete(key, from: table)
                    wanted.append(.delete(table: table.name, key: key))
                default:
                    noted.clear(table)
                    wanted.append(.clear(table: table.name))
                }
            }
            #expect(noted.isComplete && noted.isEmpty == wanted.isEmpty)
            let place = LogRecord.Place(identifier: 1, generation: 2, transaction: 3)
            noted.seal(as: place, faults: [])
            let record = LogRecord.read(noted.bytes[...], place, faults: [])
            #expect(record?.changes() == wanted, "seed \(seed)")
            // No cut of a content makes a trap.
            if let content = record?.content {
                for cut in 0..<min(content.count, 300) {
                    _ = LogRecord(transaction: 3, content: Array(content[..<cut])).changes()
                }
            }
        }
    }

    @Test func `more changes than a record takes are given up`() {
        let table = Table(name: "t", slot: 1, serial: 9)
        let noted = LogChanges(limit: 1_000)
        noted.begin(isKept: true)
        [UInt8](repeating: 1, count: 900).withUnsafeBytes { noted.put($0, for: [1], in: table) }
        #expect(noted.isComplete)
        noted.delete([UInt8](repeating: 1, count: 90), from: table)
        #expect(!noted.isComplete)
        noted.begin(isKept: false)
        #expect(!noted.isComplete)
    }
}
