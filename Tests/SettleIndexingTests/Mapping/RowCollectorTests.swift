import SettleDocuments
import SettleIndexing
import Testing

@Suite(.serialized) struct RowCollectorTests {
    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `all small mappings come out as sorting everything would give them`(
        _ strings: Collator.Strings
    ) throws {
        let oracle = RowOracle(strings)
        let keys: [JSONValue] = [1, 1.0, "ab", "a\u{200B}b"]
        var sequences: [[JSONValue]] = [[]]
        sequences += keys.map { [$0] }
        sequences += keys.flatMap { first in keys.map { [first, $0] } }
        let collector = RowCollector(strings)
        for first in sequences {
            for second in sequences {
                for third in sequences.prefix(5) {
                    let documents = zip(["a", "ab", "b"], [first, second, third]).map { id, keys in
                        MappedDocument(
                            id: id,
                            rows: keys.enumerated().map { number, key in
                                (key, number == 0 ? nil : .integer(Int64(number)))
                            })
                    }
                    for document in documents { try collector.add(document) }
                    let run = collector.makeRun()
                    guard run == RowOracle.run(of: try oracle.rows(of: documents)) else {
                        Issue.record("\(documents)")
                        return
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `random mappings come out as sorting everything would give them`(_ seed: UInt64) throws {
        var mapping = RandomMapping(seed: seed)
        let strings: Collator.Strings = seed % 4 == 3 ? .raw : .unicode
        let oracle = RowOracle(strings)
        let collector = RowCollector(strings)
        for round in 0..<3 {
            let count = Int.random(in: 0...(round == 0 ? 150 : 20), using: &mapping.generator)
            let documents = mapping.documents(count: count)
            for document in documents { try collector.add(document) }
            let rows = try oracle.rows(of: documents)
            let pointers = try oracle.pointers(of: documents)
            #expect(collector.documentCount == documents.count, "seed \(seed)")
            #expect(collector.rowCount == rows.count, "seed \(seed)")
            #expect(collector.pointers == pointers, "seed \(seed)")
            let pointerRun = collector.makePointerRun()
            #expect(pointerRun == RowOracle.run(of: pointers), "seed \(seed)")
            let run = collector.makeRun()
            #expect(RowOracle.entries(of: run) == rows, "seed \(seed)")
            #expect(run == RowOracle.run(of: rows), "seed \(seed)")
            #expect(collector.rowCount == 0 && collector.documentCount == 0)
            #expect(collector.pointers.isEmpty)
        }
    }

    /// Few keys and many, so that both ways of sorting and several rounds of the hash table are taken.
    @Test(arguments: [1, 20, 30, 500, 2000])
    func `any number of distinct keys is sorted, also behind a long common start`(
        _ keyCount: Int
    ) throws {
        let stem = String(repeating: "long ", count: 5)
        var rows: [MappedDocument] = []
        for index in 0..<keyCount {
            let key = (index * 7919) % 10_007
            let value: JSONValue = key % 2 == 0 ? .string(stem + String(key)) : .integer(Int64(key))
            let id = String(100_000 + index)
            rows.append(MappedDocument(id: id, rows: [([.string("x"), value], .integer(1))]))
        }
        let collector = RowCollector(.unicode)
        for document in rows { try collector.add(document) }
        let expected = try RowOracle(.unicode).rows(of: rows)
        #expect(collector.makeRun() == RowOracle.run(of: expected))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a discarded document leaves no trace`(_ seed: UInt64) throws {
        var mapping = RandomMapping(seed: seed)
        let documents = mapping.documents(count: 60)
        let collector = RowCollector(.unicode)
        var kept: [MappedDocument] = []
        for document in documents {
            if Bool.random(using: &mapping.generator) {
                kept.append(document)
                try collector.add(document)
            } else {
                collector.begin(document: Array(document.id.utf8).span)
                for row in document.rows { try collector.emit(key: row.key, value: row.value) }
                collector.discardDocument()
            }
        }
        let oracle = RowOracle(.unicode)
        #expect(collector.documentCount == kept.count, "seed \(seed)")
        #expect(collector.pointers == (try oracle.pointers(of: kept)), "seed \(seed)")
        let rows = try oracle.rows(of: kept)
        #expect(RowOracle.entries(of: collector.makeRun()) == rows, "seed \(seed)")
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `one document after another gives the same rows and pointer`(_ seed: UInt64) throws {
        var mapping = RandomMapping(seed: seed)
        let oracle = RowOracle(.unicode)
        let collector = RowCollector(.unicode)
        for document in mapping.documents(count: 50).shuffled(using: &mapping.generator) {
            try collector.add(document)
            let (rows, pointer) = collector.rowsOfSoleDocument()
            let expected = try oracle.rows(of: [document])
            let found = rows.map { OracleEntry(key: $0.key, head: $0.head, tail: $0.tail) }
            #expect(found == expected, "seed \(seed)")
            let expectedPointer = try oracle.pointers(of: [document]).first
            let foundPointer = pointer.map {
                OracleEntry(key: $0.key, head: $0.head, tail: $0.tail)
            }
            #expect(foundPointer == expectedPointer, "seed \(seed)")
            if let pointer {
                let keys = try IndexRowKey.keys(
                    ofPointer: pointer.head.span, tail: pointer.tail.span,
                    id: Array(document.id.utf8).span, encoder: KeyEncoder(.unicode))
                #expect(keys == expected.map(\.key), "seed \(seed)")
            }
        }
        #expect(collector.rowsOfSoleDocument().rows.isEmpty)
    }

    @Test func `a document may have 65,536 rows with one key, and no more`() throws {
        let collector = RowCollector(.unicode)
        let keys = [try PackedValue(1).bytes, try PackedValue(1.0).bytes]
        let none: [UInt8] = []
        func emit(_ count: Int) throws {
            collector.begin(document: Array("many".utf8).span)
            for index in 0..<count {
                let key = keys[index % 2]
                collector.emit(packedKey: key.span, packedValue: none.span)
            }
            try collector.endDocument()
        }
        #expect(throws: IndexError.tooManyRows(documentID: "many", countMax: 65_536)) {
            try emit(65_537)
        }
        #expect(collector.rowCount == 0 && collector.documentCount == 0)
        try emit(65_536)
        let collationKey = Collator(.unicode).key(for: 1)
        let entries = RowOracle.entries(of: collector.makeRun())
        let expected = (0..<65_536).map { number in
            collationKey + Array("many".utf8) + [0] + RowOracle.bytes(of: number)
        }
        #expect(entries.map(\.key) == expected)
    }

    @Test func `a document with a damaged key is refused, its neighbours are kept`() throws {
        let collector = RowCollector(.unicode)
        try collector.add(MappedDocument(id: "a", rows: [("x", nil)]))
        collector.begin(document: Array("b".utf8).span)
        try collector.emit(key: "x", value: 1)
        let (damaged, null): ([UInt8], [UInt8]) = ([0xFF], [0x80])
        collector.emit(packedKey: damaged.span, packedValue: null.span)
        try collector.emit(key: "y", value: 1)
        #expect(
            throws: IndexError.corrupted(place: "the stored form of document \"b\"")
        ) { try collector.endDocument() }
        try collector.add(MappedDocument(id: "b", rows: [("x", nil)]))
        #expect(collector.documentCount == 2)
        #expect(collector.makeRun().entryCount == 2)
    }

    @Test func `a number that JSON cannot say is refused by emit alone`() throws {
        let collector = RowCollector(.unicode)
        collector.begin(document: Array("a".utf8).span)
        #expect(throws: PackedError.self) { try collector.emit(key: .double(.nan), value: nil) }
        #expect(throws: PackedError.self) { try collector.emit(key: 1, value: .double(.infinity)) }
        try collector.emit(key: 1, value: nil)
        try collector.endDocument()
        #expect(collector.makeRun().entryCount == 1)
    }

    @Test func `the memory held is told, and falls when a run is made`() throws {
        let collector = RowCollector(.unicode)
        for index in 10_000..<16_000 {
            let key = JSONValue.string("a key of its own \(index)")
            try collector.add(
                MappedDocument(id: String(index), rows: [(key, "a value of some length")]))
        }
        // Id 5, value 23, packed key 23, collation key at least 22, and what orders them.
        #expect(collector.byteCount > 6000 * 73)
        #expect(collector.byteCount < 6000 * 300)
        _ = collector.makeRun()
        #expect(collector.byteCount < 0x8_0000)
    }
}
