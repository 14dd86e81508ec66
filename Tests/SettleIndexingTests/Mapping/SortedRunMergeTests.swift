import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

@Suite(.serialized) struct SortedRunMergeTests {
    private struct Stop: Error {}

    private func merged(
        _ runs: [SortedRun], after key: [UInt8]? = nil, countMax: Int = .max
    ) throws -> [OracleEntry] {
        var merge = SortedRunMerge(runs, after: key)
        var entries: [OracleEntry] = []
        var isLeft = true
        while isLeft {
            var given = 0
            isLeft = try merge.forEach(countMax: countMax) { key, head, tail in
                given += 1
                entries.append(
                    OracleEntry(key: bytes(of: key), head: bytes(of: head), tail: bytes(of: tail)))
            }
            #expect(isLeft ? given == countMax : given <= countMax)
        }
        return entries
    }

    /// Deals documents out to collectors, in stretches or one by one.
    private func runs(
        of documents: [MappedDocument], count: Int, using generator: inout SeededGenerator
    ) throws -> [SortedRun] {
        let collectors = (0..<count).map { _ in RowCollector(.unicode) }
        let isInStretches = Bool.random(using: &generator)
        for (index, document) in documents.enumerated() {
            let place =
                isInStretches
                ? index * count / documents.count : Int.random(in: 0..<count, using: &generator)
            try collectors[place].add(document)
        }
        return collectors.map { $0.makeRun() }.shuffled(using: &generator)
    }

    @Test(arguments: 1...30)
    func `runs merge to what sorting everything gives, whatever piece is asked for`(
        _ count: Int
    ) throws {
        for seed in 0..<2 as Range<UInt64> {
            var mapping = RandomMapping(seed: UInt64(count) * 100 + seed)
            let documents = mapping.documents(count: 60)
            let runs = try runs(
                of: documents, count: count, using: &mapping.generator)
            let expected = try RowOracle(.unicode).rows(of: documents)
            let message: Comment = "\(mapping.generator)"
            #expect(try merged(runs) == expected, message)
            for countMax in [1, 7] {
                #expect(try merged(runs, countMax: countMax) == expected, message)
            }
        }
    }

    @Test(arguments: [1, 3, 30])
    func `a merge resumes after every key, and between keys`(_ count: Int) throws {
        var mapping = RandomMapping(seed: UInt64(count))
        let documents = mapping.documents(count: 25)
        let runs = try runs(of: documents, count: count, using: &mapping.generator)
        let expected = try RowOracle(.unicode).rows(of: documents)
        for (index, entry) in expected.enumerated() {
            let rest = Array(expected[(index + 1)...])
            #expect(try merged(runs, after: entry.key) == rest)
            #expect(try merged(runs, after: entry.key + [0]) == rest)
            let start = Array(entry.key.dropLast())
            let after = Array(expected.drop { !start.lexicographicallyPrecedes($0.key) })
            #expect(try merged(runs, after: start) == after)
        }
        #expect(try merged(runs, after: [0xFF]).isEmpty)
    }

    @Test func `no runs and empty runs give nothing`() throws {
        #expect(try merged([]).isEmpty)
        let empty = SortedRun(bytes: [], entryCount: 0)
        #expect(try merged([empty, empty]).isEmpty)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `of equal keys the later run's entry is given, once`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Some keys are the start of others, as ids of documents can be.
        let keys: [[UInt8]] = [[1], [1, 1], [1, 1, 2], [1, 2], [2], [2, 0], [3, 3, 3]]
        var latest: [[UInt8]: OracleEntry] = [:]
        var runs: [SortedRun] = []
        for number in 0..<Int.random(in: 1...6, using: &generator) {
            var entries: [OracleEntry] = []
            for key in keys where Bool.random(using: &generator) {
                let entry = OracleEntry(key: key, head: [9], tail: [UInt8(number)])
                entries.append(entry)
                latest[key] = entry
            }
            runs.append(RowOracle.run(of: entries))
        }
        let expected = keys.compactMap { latest[$0] }
        #expect(try merged(runs) == expected, "\(generator)")
        for (index, entry) in expected.enumerated() {
            let rest = Array(expected[(index + 1)...])
            #expect(try merged(runs, after: entry.key) == rest, "\(generator)")
        }
    }

    @Test func `the entry whose receiver throws is given again`() throws {
        let entries = (1...5 as ClosedRange<UInt8>).map {
            OracleEntry(key: [$0], head: [$0], tail: [])
        }
        var merge = SortedRunMerge([RowOracle.run(of: entries)], after: nil)
        var keys: [UInt8] = []
        #expect(throws: Stop.self) {
            _ = try merge.forEach(countMax: 5) { key, _, _ in
                if key[0] == 3 { throw Stop() }
                keys.append(key[0])
            }
        }
        _ = try merge.forEach(countMax: 5) { key, _, _ in keys.append(key[0]) }
        #expect(keys == [1, 2, 3, 4, 5])
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func `damaged runs are refused or read as something that ascends`(_ seed: UInt64) throws {
        var mapping = RandomMapping(seed: seed)
        let documents = mapping.documents(count: 12)
        var runs = try runs(of: documents, count: 3, using: &mapping.generator)
        for _ in 0..<Int.random(in: 1...3, using: &mapping.generator) {
            let place = Int.random(in: 0..<3, using: &mapping.generator)
            guard !runs[place].bytes.isEmpty else { continue }
            let index = runs[place].bytes.indices.randomElement(using: &mapping.generator) ?? 0
            switch Int.random(in: 0..<4, using: &mapping.generator) {
            case 0:
                let byte = UInt8.random(in: 0...255, using: &mapping.generator)
                runs[place].bytes[index] = byte
            case 1: runs[place].bytes.removeSubrange(index...)
            case 2: runs[place].bytes.insert(0xFF, at: index)
            default: runs[place].entryCount += 1
            }
        }
        var merge = SortedRunMerge(runs, after: nil)
        var last: [UInt8]?
        do {
            var isLeft = true
            while isLeft {
                isLeft = try merge.forEach(countMax: 10) { key, _, _ in
                    let key = bytes(of: key)
                    if let last { #expect(last.lexicographicallyPrecedes(key), "seed \(seed)") }
                    last = key
                }
            }
        } catch let error as IndexError {
            #expect(error == .corrupted(place: "a run of a build under way"))
            #expect(throws: error) { try merge.forEach(countMax: 1) { _, _, _ in } }
        }
    }

    @Test func `a run that is cut anywhere is refused`() throws {
        var mapping = RandomMapping(seed: 7)
        let run = try runs(
            of: mapping.documents(count: 8), count: 1, using: &mapping.generator)[0]
        for count in run.bytes.indices {
            let cut = SortedRun(
                bytes: Array(run.bytes.prefix(count)), entryCount: run.entryCount)
            #expect(throws: IndexError.self) { try merged([cut]) }
        }
    }
}
