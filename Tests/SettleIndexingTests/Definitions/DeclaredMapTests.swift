import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `The map of a declared index` {
    /// A row as it comes out of the collector.
    private struct Row: Equatable {
        var key: JSONValue
        var value: JSONValue?
    }

    private func record(_ document: JSONValue, isDeleted: Bool = false) throws -> [UInt8] {
        DocumentRecord(
            sequence: 7, revision: Revision(generation: 1, digest: .init(high: 1, low: 2)),
            ancestors: [], isDeleted: isDeleted, created: Timestamp(microseconds: 5),
            changed: Timestamp(microseconds: 6), origin: nil, body: try PackedValue(document)
        ).encoded()
    }

    private func rows(
        _ declaration: IndexDeclaration, _ document: JSONValue, id: String = "x",
        isDeleted: Bool = false
    ) throws -> [Row] {
        let (bytes, row) = (Array(id.utf8), try record(document, isDeleted: isDeleted))
        let rows = RowCollector(.unicode)
        rows.begin(document: bytes.span)
        try declaration.makeMap()(bytes.span, row.span, rows)
        try rows.endDocument()
        return try rows.rowsOfSoleDocument().rows.map { entry in
            Row(
                key: try PackedValue(stored: entry.head).value(),
                value: entry.tail.isEmpty ? nil : try PackedValue(stored: entry.tail).value())
        }
    }

    @Test func `makes one member the key, and several an array`() throws {
        let document: JSONValue = ["a": ["b": "x"], "n": 5, "z": .null]
        func keys(_ paths: [[String]]) throws -> [JSONValue] {
            try rows(IndexDeclaration(keys: paths), document).map(\.key)
        }
        #expect(try keys([["n"]]) == [5])
        #expect(try keys([["a", "b"]]) == ["x"])
        #expect(try keys([["a"]]) == [["b": "x"]])
        #expect(try keys([["z"]]) == [.null])
        #expect(try keys([["none"]]) == [])
        #expect(try keys([["a", "b"], ["none"], ["n"]]) == [["x", .null, 5]])
        #expect(try keys([["none"], ["n", "m"]]) == [])
        #expect(try keys([["z"], ["none"]]) == [[.null, .null]])
        #expect(try keys([["id"]]) == ["x"] && keys([["_id"]]) == ["x"])
        #expect(try keys([["id"], ["none"]]) == [["x", .null]])
        #expect(try rows(IndexDeclaration(keys: [["_id"]]), ["_id": 9]).map(\.key) == [9])
    }

    @Test func `takes id for a member where the identifier is called as in CouchDB`() throws {
        let document: JSONValue = ["id": 7, "n": 5]
        func keys(_ paths: [[String]], _ filter: JSONValue? = nil) throws -> [JSONValue] {
            try rows(
                IndexDeclaration(
                    keys: paths, filter: filter.map { try IndexFilter(json: $0) },
                    identifier: .couchDB), document
            ).map(\.key)
        }
        #expect(try keys([["id"]]) == [7] && keys([["_id"]]) == ["x"])
        #expect(try keys([["_id"], ["id"]]) == [["x", 7]])
        #expect(try keys([["n"]], ["id": 7]) == [5] && keys([["n"]], ["id": "x"]) == [])
        #expect(try keys([["n"]], ["_id": "x"]) == [5] && keys([["n"]], ["_id": 7]) == [])
        #expect(try keys([["n"]], ["$not": ["id": ["$in": [8]]]]) == [5])
        let value = IndexDeclaration(keys: [["n"]], value: ["id"], identifier: .couchDB)
        #expect(try rows(value, document) == [Row(key: 5, value: 7)])
        #expect(try rows(value, ["n": 5]) == [Row(key: 5, value: nil)])
        // Otherwise it is the identifier.
        let own = IndexDeclaration(keys: [["id"]], filter: try IndexFilter(json: ["id": "x"]))
        #expect(try rows(own, document).map(\.key) == ["x"])
    }

    @Test func `passes over null where the reduce function works on values`() throws {
        let document: JSONValue = ["k": 1, "v": .null]
        for kind in ReducerKind.allCases {
            let found = try rows(
                IndexDeclaration(keys: [["k"]], value: ["v"], reduce: kind), document)
            let keepsNull = kind == .count || kind == .approxCountDistinct
            #expect(found == [Row(key: 1, value: keepsNull ? .null : nil)], "\(kind)")
        }
        #expect(
            try rows(IndexDeclaration(keys: [["k"]], value: ["v"]), document)
                == [Row(key: 1, value: .null)])
        #expect(
            try rows(IndexDeclaration(keys: [["k"]], value: ["w"]), document)
                == [Row(key: 1, value: nil)])
        #expect(
            try rows(IndexDeclaration(keys: [["k"]], value: ["id"]), document, id: "é")
                == [Row(key: 1, value: "é")])
    }

    @Test func `has rows of live documents that pass the filter`() throws {
        let declaration = IndexDeclaration(
            keys: [["k"]], filter: try IndexFilter(json: ["k": ["$gt": "a"]]))
        #expect(try rows(declaration, ["k": "B"]).count == 1)
        #expect(try rows(declaration, ["k": 5]).count == 0)
        #expect(try rows(declaration, ["k": "B"], isDeleted: true).count == 0)
        let raw = IndexDeclaration(
            keys: [["k"]], filter: try IndexFilter(json: ["k": ["$gt": "a"]]), collation: .raw)
        #expect(try rows(raw, ["k": "B"]).count == 0)
    }

    @Test func `agrees with one that reads trees`() throws {
        var random = RandomJSON(generator: SeededGenerator())
        for round in 0..<2_000 {
            let document = random.document()
            let paths = (0..<Int.random(in: 1...3, using: &random.generator)).map { _ in
                (0..<Int.random(in: 1...2, using: &random.generator)).map { _ in
                    RandomJSON.names.randomElement(using: &random.generator) ?? "a"
                }
            }
            let value = Bool.random(using: &random.generator) ? ["a"] : ["a", "b"]
            func find(_ path: [String]) -> JSONValue? {
                path.reduce(Optional(document)) { $0?[$1] }
            }
            let parts = paths.map(find)
            var wanted: [Row] = []
            if parts.contains(where: { $0 != nil }) {
                let key =
                    paths.count == 1
                    ? parts[0] ?? .null : JSONValue.array(parts.map { $0 ?? .null })
                wanted = [Row(key: key, value: find(value))]
            }
            let declaration = IndexDeclaration(keys: paths, value: value)
            let found = try rows(declaration, document)
            guard found == wanted else {
                Issue.record(
                    "\(random.generator), \(round): \(declaration.json.jsonText) of \(document.jsonText)"
                )
                return
            }
            let direct = try declaration.row(of: PackedValue(document), id: "x")
            #expect(direct?.key == wanted.first?.key && direct?.value == wanted.first?.value)
        }
    }

    @Test func `makes keys longer than 255 bytes as it makes short ones`() throws {
        for length in [60, 61, 62, 63, 64, 120, 121, 122, 200, 253, 254, 255, 256, 300, 70_000] {
            let text = JSONValue.string(String(repeating: "k", count: length))
            let found = try rows(IndexDeclaration(keys: [["a"], ["b"]]), ["a": text, "b": 1])
            #expect(found.map(\.key) == [[text, 1]], "\(length)")
        }
    }

    @Test func `reports damage`() throws {
        let bytes = Array("x".utf8)
        let map = IndexDeclaration(keys: [["a"]]).makeMap()
        #expect(throws: IndexError.corrupted(place: "record of document 'x'")) {
            let row: [UInt8] = [9, 9]
            try map(bytes.span, row.span, RowCollector(.unicode))
        }
        #expect(throws: PackedError.self) {
            var row = try record(["a": 1])
            row.removeLast()
            try map(bytes.span, row.span, RowCollector(.unicode))
        }
    }
}
