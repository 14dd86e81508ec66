import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Record splitter` {
    private func records(_ pieces: [[UInt8]], sizeMax: Int = 1 << 20) throws
        -> [RecordSplitter.Record]
    {
        var splitter = RecordSplitter(sizeMax: sizeMax)
        var found: [RecordSplitter.Record] = []
        for piece in pieces { try splitter.add(piece) { found.append($0) } }
        try splitter.end { found.append($0) }
        return found
    }

    private func texts(_ text: String) throws -> [String] {
        try records([Array(text.utf8)]).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func failure(_ text: String) -> ImportFault? {
        do {
            _ = try records([Array(text.utf8)])
            return nil
        } catch {
            return error as? ImportFault
        }
    }

    @Test func `takes a line for a value`() throws {
        #expect(try texts("{\"a\":1}\n{\"b\":2}\n") == ["{\"a\":1}", "{\"b\":2}"])
        #expect(try texts("{\"a\":1}\r\n\r\n  \n1\n\nlast") == ["{\"a\":1}\r", "1", "last"])
        #expect(try texts("") == [])
        #expect(try texts(" \n\n") == [])
        #expect(try texts("\u{FEFF}{}\n") == ["{}"])
    }

    @Test func `takes the elements of one array`() throws {
        #expect(try texts("[]") == [])
        #expect(try texts(" \n[ ]\n") == [])
        #expect(
            try texts("[{\"a\":[1,{}]},\n \"x],[\\\"\" , 2]\n")
                == ["{\"a\":[1,{}]}", "\"x],[\\\"\"", "2"])
        #expect(try texts("\u{FEFF}[1]") == ["1"])
    }

    @Test func `knows the line of each value`() throws {
        let lines = try records([Array("\n{}\n\n{}\n{}".utf8)]).map(\.line)
        #expect(lines == [2, 4, 5])
        let elements = try records([Array("\n[\n1,\n{\n\"a\":\n2},\n\n3]".utf8)]).map(\.line)
        #expect(elements == [3, 4, 8])
    }

    @Test(arguments: [
        ("[1,2", 1, "missing"), ("[\n", 2, "missing"), ("[1,]", 1, "before ']'"),
        ("[,1]", 1, "before ','"), ("[1 2]", 1, "comma"), ("[{}\n{}]", 2, "comma"),
        ("[1]\n\n2", 3, "follows"), ("[1}]", 1, "closes nothing"), ("[\"abc", 1, "missing"),
    ])
    func `says where an array goes wrong`(text: String, line: Int, word: String) throws {
        let found = try #require(failure(text))
        #expect(found.line == line)
        #expect(found.message.contains(word))
    }

    @Test func `refuses a value that is too large`() throws {
        let text = Array("[1]\n\n\n\n".utf8)
        #expect(try records([text], sizeMax: 1).count == 1)
        for text in ["{}\n1234567890123\n", "[{},\n1234567890123]"] {
            #expect(throws: ImportFault.self) {
                _ = try records([Array(text.utf8)], sizeMax: 10)
            }
        }
    }

    @Test(arguments: [
        "{\"a\":\"\\\\\"}\n\n{\"b\":[1,2]}\r\nnull", "\n[{\"a\":\"]\\\"\"},[1,[2]],\n-3,\"é\"]\n ",
    ])
    func `gives the same however the text comes in pieces`(text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try records([bytes])
        #expect(whole.count >= 3)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(try records(pieces.map(Array.init)) == whole, "cut at \(first), \(second)")
            }
        }
    }

    @Test func `finds in an array what was put into it`() throws {
        for seed in UInt64(0)..<200 {
            var generator = SeededGenerator(seed: seed)
            let values = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                value(depth: 3, using: &generator)
            }
            let space = ["", " ", "\n", "\t\r\n"].randomElement(using: &generator) ?? ""
            let text = "[" + values.joined(separator: space + "," + space) + space + "]"
            #expect(try texts(text) == values, "\(generator)")
        }
    }

    private func value(depth: Int, using generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &generator) {
        case 0: return "-12.5e3"
        case 1: return "true"
        case 2: return "\"a\\\\\""
        case 3: return "\"[{,\\\"]}\""
        case 4:
            let inner = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                value(depth: depth - 1, using: &generator)
            }
            return "[" + inner.joined(separator: ", ") + "]"
        default:
            return "{\"k\": " + value(depth: depth - 1, using: &generator) + "}"
        }
    }
}
