import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite struct `CSV text` {
    private func rows(
        _ text: String, separator: Character = ",", piece: Int = .max
    ) throws -> [[String]] {
        var splitter = CSVSplitter(separator: separator.asciiValue ?? 0)
        var rows: [[String]] = []
        func take(_ row: CSVSplitter.Row) {
            rows.append(row.fields.map { String(decoding: $0.bytes, as: UTF8.self) })
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try splitter.add(Array(rest.prefix(piece)), each: take)
            rest = rest.dropFirst(piece)
        }
        try splitter.end(each: take)
        return rows
    }

    private func fault(_ text: String, _ parser: CSVDocumentParser = .init()) -> ImportFault? {
        var parser = parser
        do {
            try parser.add(Array(text.utf8)) { _ in }
            try parser.end { _ in }
            return nil
        } catch {
            return error as? ImportFault
        }
    }

    private func documents(
        _ text: String, _ parser: CSVDocumentParser = .init()
    ) throws -> [Document] {
        var parser = parser
        var documents: [Document] = []
        try parser.add(Array(text.utf8)) { documents.append($0.document) }
        try parser.end { documents.append($0.document) }
        return documents
    }

    @Test(arguments: [1, 2, 3, 7, Int.max])
    func `is cut into rows and fields`(piece: Int) throws {
        let cases: [(String, [[String]])] = [
            ("", []), ("a", [["a"]]), ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
            ("a,b\nc,d", [["a", "b"], ["c", "d"]]), ("a\rb\r", [["a"], ["b"]]),
            ("\n\r\n\na\n\n", [["a"]]), (",", [["", ""]]), ("a,\n,b", [["a", ""], ["", "b"]]),
            ("\"a,b\",\"c\r\nd\"\n", [["a,b", "c\r\nd"]]), ("\"\"", [[""]]),
            ("\"a\"\"b\",\"\"\"\"", [["a\"b", "\""]]), ("5\" pipe,x", [["5\" pipe", "x"]]),
            ("é,日本\n", [["é", "日本"]]), (" a , b ", [[" a ", " b "]]),
        ]
        for (text, expected) in cases {
            #expect(try rows(text, piece: piece) == expected, "\(text.debugDescription)")
        }
        #expect(try rows("a;b,c\n", separator: ";", piece: piece) == [["a", "b,c"]])
    }

    @Test func `may begin with a byte order mark, and with other text of that first byte`() throws {
        #expect(try rows("\u{FEFF}a,b") == [["a", "b"]])
        #expect(try rows("\u{FF01},b") == [["\u{FF01}", "b"]])
    }

    @Test func `names the line of what is wrong with it`() {
        let cases: [(String, Int, String)] = [
            ("", 1, "is empty"), ("a,\"b\nc", 1, "never closed"),
            ("a,b\n1,\"2\"x\n", 2, "follows a closing quote"),
            ("a,b\n1,2\n\"\r\n\",2\n1\n", 5, "has 1 field, and the first row names 2 columns"),
            ("a,b\n1,2,3\n", 2, "has 3 fields"), ("a,,c\n", 1, "Column 2 has no name"),
            ("a,b,a\n", 1, "Columns 1 and 3 have the same name"),
            ("id,a\n,1\n", 2, "empty"), ("id\n_x\n", 2, "begins with"),
        ]
        for (text, line, sentence) in cases {
            let fault = fault(text)
            #expect(fault?.line == line, "\(text.debugDescription): \(String(describing: fault))")
            #expect(fault?.message.contains(sentence) == true, "\(String(describing: fault))")
        }
        #expect(fault("a\n1\n", .init(idMember: "sku"))?.message.contains("'sku'") == true)
        #expect(
            fault("id,sku\n1,2\n", .init(idMember: "sku"))?.message.contains("would be lost")
                == true)
    }

    @Test func `that is not UTF-8, or a row without end, is refused`() {
        var parser = CSVDocumentParser()
        #expect(throws: ImportFault.self) {
            try parser.add(Array("a\n".utf8) + [0xE9, 0x0A]) { _ in }
        }
        var splitter = CSVSplitter(sizeMax: 4)
        #expect(throws: ImportFault.self) { try splitter.add(Array("ab,cde".utf8)) { _ in } }
    }

    @Test func `makes documents of its rows`() throws {
        let text = """
            id,name,price,isOpen,zip,note
            1,Anna,9.50,true,00700,
            "2","12",-3,false,"true",""
            """
        let found = try documents(text)
        #expect(found.map(\.id) == ["1", "2"])
        #expect(
            found[0].json == ["name": "Anna", "price": 9.5, "isOpen": true, "zip": "00700"])
        #expect(
            found[1].json
                == ["name": "12", "price": -3, "isOpen": false, "zip": "true", "note": ""])
        let texts = try documents(text, .init(isText: true))
        #expect(texts[0].json["price"] == "9.50" && texts[0].json["isOpen"] == "true")
        #expect(texts[0].json["note"] == nil)
        let named = try documents("sku,n\n007,1\n", .init(idMember: "sku"))
        #expect(named.map(\.id) == ["007"] && named[0].json == ["sku": "007", "n": 1])
        let nameless = try documents("n\n1\n2\n")
        #expect(Set(nameless.map(\.id)).count == 2 && nameless.map { $0.json["n"] } == [1, 2])
    }

    @Test func `has numbers where nothing of them is lost, and text elsewhere`() {
        let numbers: [(String, JSONValue)] = [
            ("0", 0), ("-7", -7), ("9223372036854775807", .integer(.max)), ("1.5", 1.5),
            ("0.10", 0.1), ("1.5e3", 1500.0), ("1e-5", 0.00001), ("1E+2", 100.0),
            ("123456789.012345", 123_456_789.012345), ("0.000001", 0.000001),
        ]
        for (text, number) in numbers {
            let value = CSVField.value(of: text, isQuoted: false)
            #expect(value?.doubleValue == number.doubleValue, "\(text)")
        }
        for text in [
            "007", "+1", "-0", "1.", ".5", "12e5", "1e400", "9223372036854775808", "NaN", "inf",
            "0x10", "1,5", "1 ", "TRUE", "null", "3.14159265358979323846", "-",
        ] {
            #expect(CSVField.value(of: text, isQuoted: false) == .string(text), "\(text)")
        }
        #expect(CSVField.value(of: "", isQuoted: false) == nil)
        #expect(CSVField.value(of: "", isQuoted: true) == "")
    }

    @Test func `that is written is read again as it was`() throws {
        var random = SeededGenerator()
        let pieces = [
            "a", "\"", ",", ";", "\t", "\r", "\n", " ", "1", "0", ".", "-", "e", "true", "é", "日",
            "=",
        ]
        func value() -> JSONValue {
            switch random.next() % 6 {
            case 0: .integer(Int64(truncatingIfNeeded: random.next()))
            case 1: .double(Double(Int(random.next() % 2_000_000)) / 64)
            case 2: .bool(random.next() % 2 == 0)
            default:
                .string(
                    (0..<random.next() % 5).map { _ in
                        pieces[Int(random.next() % UInt64(pieces.count))]
                    }
                    .joined())
            }
        }
        for _ in 0..<2_000 {
            let separator: Character = [",", ";", "\t"][Int(random.next() % 3)]
            let byte = separator.asciiValue ?? 0
            let table = (0..<1 + random.next() % 3).map { _ in [value(), value(), value()] }
            let text = table.map { row in
                row.map { CSVField.text(of: $0, separator: byte) }.joined(
                    separator: String(separator))
            }.joined(separator: random.next() % 2 == 0 ? "\r\n" : "\n")
            var splitter = CSVSplitter(separator: byte)
            var read: [[JSONValue?]] = []
            func take(_ row: CSVSplitter.Row) {
                read.append(
                    row.fields.map {
                        CSVField.value(
                            of: String(decoding: $0.bytes, as: UTF8.self), isQuoted: $0.isQuoted)
                    })
            }
            try splitter.add(Array(text.utf8), each: take)
            try splitter.end(each: take)
            #expect(
                read == table.map { $0.map(Optional.some) }, "\(random): \(text.debugDescription)")
        }
    }

    @Test func `is stored up to the row that is wrong`() async throws {
        try await withScratchDirectory("csv") { scratch in
            let path = try DatabasePath(parsing: scratch.file("shop").path)
            try await path.withDatabase(create: true) { database in
                let text = "id,n\n" + (0..<4_000).map { "d\($0),\($0)\n" }.joined() + "x\n"
                var rest = Array(text.utf8)[...]
                let importer = Importer(into: database, parsing: CSVDocumentParser())
                let stopped = await #expect(throws: Importer.Stopped.self) {
                    try await importer.run {
                        defer { rest = rest.dropFirst(1 << 12) }
                        return rest.isEmpty ? nil : Array(rest.prefix(1 << 12))
                    }
                }
                #expect(stopped?.line == 4_002 && stopped?.counts.added == 4_000)
                let count = try database.totalDocumentCount
                #expect(count == 4_000)
            }
        }
    }

    @Test func `gives every number back as it was written, and texts that look like them`() throws {
        var random = SeededGenerator(seed: 7)
        var numbers = [
            0.1 + 0.2, .pi, 1.7976931348623157e308, .leastNonzeroMagnitude, -0.0, 1e21,
            123_456_789.5,
        ]
        for _ in 0..<2_000 {
            let number = Double(bitPattern: random.next())
            if number.isFinite { numbers.append(number) }
        }
        for number in numbers {
            for value in [
                JSONValue.double(number), .string(JSONRendering.compact(.double(number))),
            ] {
                let field = CSVField.text(of: value, separator: UInt8(ascii: ","))
                let found = try documents("id,v\na,\(field)\n")[0][json: "v"]
                #expect(found == value, "\(field)")
            }
        }
        #expect(try documents("id,v\na,0.12345678901234567890\n")[0].string("v") != nil)
    }
}
