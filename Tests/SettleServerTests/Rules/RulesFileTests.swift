import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `A rules file` {
    /// The message of the error, or nil when the text is taken.
    private static func fault(_ text: String) -> String? {
        do {
            _ = try AccessRules(json: text.utf8, name: "'r.json'")
            return nil
        } catch {
            return error.code == .invalidConfiguration ? error.message : "\(error)"
        }
    }

    @Test(arguments: [
        "https://db.example/keys.json", "file://db.example/keys.json", "keys.json",
        "file:///keys.json?x=1", "data:,x",
    ])
    func `is a file of this machine, or it is said that it is none`(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: ServerError.self) { try AccessRules(contentsOf: url) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("URL(fileURLWithPath:)") == true, "\(error?.message ?? "")")
    }

    @Test func `says where a fault is, and what should stand there`() {
        let faults: [(String, String)] = [
            ("", "line 1, column 1"),
            ("{\n  \"tables\": ,}", "line 2, column 13"),
            ("[]", "line 1, column 1: here an object must stand, with 'tables'"),
            ("{}", "line 1, column 1: 'tables' is missing"),
            ("{\"tables\": []}", "line 1, column 12 (tables): here an object"),
            ("{\"tables\": {}, \"x\": 1}", "line 1, column 21 (x): 'x' is not known"),
            ("{\"tables\": {\"a b\": {}}}", "column 20 (tables.a b): 'a b' is no name of a table"),
            ("{\"tables\": {\"a\": {}}}", "(tables.a): 'grants' is missing"),
            (
                "{\"tables\": {\"a\": {\"grants\": [],\n\"grant\": 1}}}",
                "line 2, column 10 (tables.a.grant): 'grant' is not known"
            ),
            ("{\"tables\": {\"a\": {\"grants\": {}}}}", "(tables.a.grants): here an array"),
            (
                "{\"tables\": {\"ä\": 1, \"a\": {\"grants\": [1]}}}",
                "line 1, column 38 (tables.a.grants[0]): here an object"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"read\": [\"x\"]}, {}]}}}",
                "column 47 (tables.a.grants[1]): the grant gives nothing"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"read\": [\"x\", 7]}]}}}",
                "(tables.a.grants[0].read[1]): here a channel must stand, in quotes"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"write\": [\"a$b\"]}]}}}",
                "(tables.a.grants[0].write[0]): '$' begins a claim"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"write\": [\"${}\"]}]}}}", "names no claim"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"write\": [\"${sub\"]}]}}}",
                "'$' begins a claim"
            ),
            (
                #"{"tables": {"a": {"grants": [{"write": [""]}]}}}"#, "at least one character"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"claims\": {}, \"read\": [\"*\"]}]}}}",
                "(tables.a.grants[0].claims): here an object must stand"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"claims\": {\"r\": null}, \"read\": [\"*\"]}]}}}",
                "(tables.a.grants[0].claims.r): here a string"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"claims\": {\"r\": []}, \"read\": [\"*\"]}]}}}",
                "(tables.a.grants[0].claims.r): here a string"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [{\"anonymous\": 1, \"read\": [\"*\"]}]}}}",
                "(tables.a.grants[0].anonymous): here true or false"
            ),
            (
                #"{"tables": {"a": {"grants": [{"anonymous": true, "read": ["${sub}"]}]}}}"#,
                "(tables.a.grants[0].read[0]): who has no token has no claims"
            ),
            (
                """
                {"tables": {"a": {"grants": [{"anonymous": true, "claims": {"r": 1},
                "read": ["*"]}]}}}
                """, "(tables.a.grants[0].claims): who has no token claims nothing"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [], \"operations\": [\"read\", \"write\"]}}}",
                "(tables.a.operations[1]): here one of these must stand, in quotes: read, insert"
            ),
            (
                "{\"tables\": {\"a\": {\"grants\": [], \"indexes\": [\"a//b\"]}}}",
                "(tables.a.indexes[0]): here a path"
            ),
            ("{\"tables\": {\"a\": {\"grants\": []}, \"a\": {\"grants\": []}}}", "two members"),
        ]
        for (text, expected) in faults {
            let message = Self.fault(text)
            #expect(message?.contains(expected) == true, "\(text): \(message ?? "taken")")
            #expect(message?.contains("'r.json'") == true)
        }
    }

    @Test func `finds the place of every value in any text`() throws {
        var random = SeededGenerator()
        for _ in 0..<200 {
            // A text is written piece by piece, and where each value begins is noted.
            var text = ""
            var places: [(place: JSONPlace, line: Int, column: Int)] = []
            func space() {
                text += ["", " ", "\n", "\t", "\r\n", "  \n "].randomElement(using: &random) ?? ""
            }
            func note(_ place: JSONPlace) {
                let lines = text.utf8.split(
                    separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                let last = String(decoding: lines[lines.count - 1], as: UTF8.self)
                places.append((place, lines.count, last.unicodeScalars.count + 1))
            }
            func write(_ place: JSONPlace, depth: Int) {
                space()
                note(place)
                let count = Int.random(in: 0...3, using: &random)
                switch depth > 3 ? 0 : Int.random(in: 0...2, using: &random) {
                case 1:
                    text += "["
                    for index in 0..<count {
                        if index > 0 { text += "," }
                        write(place.element(index), depth: depth + 1)
                        space()
                    }
                    text += "]"
                case 2:
                    text += "{"
                    for index in 0..<count {
                        if index > 0 { text += "," }
                        space()
                        let name = ["a", "]}", "\\\"", "ü", "x\\u0041"][index]
                        text += "\"\(name)\(index)\""
                        space()
                        text += ":"
                        let member =
                            name.replacing("\\\"", with: "\"").replacing("\\u0041", with: "A")
                        write(place.member("\(member)\(index)"), depth: depth + 1)
                        space()
                    }
                    text += "}"
                default:
                    let scalars = ["1.5e3", "true", "null", "\"[{\\\\\"", "\"ß\\\"\"", "-0"]
                    text += scalars.randomElement(using: &random) ?? "0"
                }
            }
            write(JSONPlace(), depth: 0)
            let bytes = Array(text.utf8)
            _ = try JSONText.value(from: bytes)
            for (place, line, column) in places {
                let found = place.lineAndColumn(in: bytes)
                #expect(found == (line, column), "\(place) in \(text), \(random)")
            }
        }
    }

    @Test func `is refused as a whole when it is not there or too long`() throws {
        try withScratchDirectory("rules") { scratch in
            let missing = #expect(throws: ServerError.self) {
                try AccessRules(contentsOf: scratch.file("none.json"))
            }
            #expect(missing?.message.contains("none.json") == true)
            let long = String(repeating: " ", count: 1 << 20) + "{}"
            #expect(Self.fault(long)?.contains("more than 1048576 bytes") == true)
            let file = try scratch.write(#"{"tables": {}}"#, to: "good.json")
            _ = try AccessRules(contentsOf: file)
        }
    }

    @Test func `tells the indexes of each table`() throws {
        let rules = try AccessRules(
            json: #"""
                {"tables": {"orders": {"grants": [], "indexes": ["address/city", "channels"]},
                "plain": {"grants": []}, "*": {"grants": [], "indexes": ["kind"]}}}
                """#.utf8)
        #expect(
            rules.indexes(of: try TableName("orders")) == [["address", "city"], ["channels"]])
        #expect(rules.indexes(of: try TableName("plain")) == [])
        #expect(rules.indexes(of: try TableName("other")) == [["kind"]])
    }
}
