import Foundation
import Settle
import SettleInspector
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Rendering` {
    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (34_006, "34,006"),
        (1_234_567, "1,234,567"), (-1_000, "-1,000"), (-999, "-999"),
    ])
    func `groups the digits of a number`(value: Int, text: String) {
        #expect(Quantity.number(value) == text)
    }

    @Test func `counts in words`() {
        #expect(Quantity.count(1, "document") == "1 document")
        #expect(Quantity.count(0, "document") == "0 documents")
        #expect(Quantity.count(2, "city", plural: "cities") == "2 cities")
    }

    @Test(arguments: [
        (Duration.microseconds(870), "870 µs"), (.microseconds(999), "999 µs"),
        (.milliseconds(1), "1 ms"), (.milliseconds(999), "999 ms"), (.milliseconds(3_450), "3.4 s"),
        (.seconds(59), "59.0 s"), (.seconds(125), "2 min 5 s"),
    ])
    func `gives a time in the unit that suits it`(time: Duration, text: String) {
        #expect(Quantity.time(time) == text)
    }

    @Test func `lines up a table by what is seen`() {
        var table = TextTable([.left("city"), .right("n"), .left("")])
        table.add(["Lyon", "1", ""])
        table.add(["東京", "12,345", "x"])
        table.add(["bad\u{1B}[2J", "0", ""])
        #expect(
            table.lines() == [
                "city               n",
                "Lyon               1",
                "東京          12,345  x",
                "bad\\u{1b}[2J       0",
            ])
    }

    @Test(arguments: ["⌚", "⏰", "☔", "♈", "⚡", "✅", "❌", "➕", "⭐", "🃏", "🆗", "🇫🇷", "❤️", "👍"])
    func `counts two columns for emoji`(text: String) {
        #expect(ScreenText.width(of: text) == 2)
    }

    @Test func `cuts the widest columns of a table until it fits, and names last`() {
        var table = TextTable([.name("id"), .left("text"), .right("n")])
        table.add(["identifier", "0123456789ABCDEF", "1"])
        table.add(["東京東京東京", "short", "1234567"])
        func lines(_ width: Int) -> [String] {
            table.lines(on: Screen(width: width, palette: .plain))
        }
        #expect(lines(80) == table.lines())
        #expect(
            lines(31) == [
                "id            text            n", "identifier    0123456…        1",
                "東京東京東京  short     1234567",
            ])
        // A name is cut when nothing else is left to cut, and a number after that.
        #expect(lines(26)[1...] == ["identifi…  01234…        1", "東京東京…  short   1234567"])
        for width in 22...40 {
            #expect(lines(width).allSatisfy { ScreenText.width(of: $0) <= width }, "\(width)")
        }
        // However narrow, something of each is left.
        #expect(lines(5).allSatisfy { ScreenText.width(of: $0) <= 22 })
    }

    @Test func `counts the rows of an answer in a sentence`() {
        #expect(RowPlace(count: 5).sentence == "5 rows.")
        #expect(RowPlace(count: 1, total: 1).sentence == "1 row.")
        #expect(RowPlace(count: 2, total: 1_055).sentence == "2 of 1,055 rows.")
        #expect(RowPlace(count: 10, skipped: 10, total: 55).sentence == "Rows 11 to 20 of 55.")
        #expect(RowPlace(count: 1, skipped: 10, total: 55).sentence == "Row 11 of 55.")
        // Another process may have changed the index between the answer and the count.
        #expect(RowPlace(count: 3, skipped: 2, total: 1).sentence == "Rows 3 to 5 of 5.")
    }

    @Test func `colours what a terminal wants coloured`() {
        func isColoured(_ choice: ColourChoice, _ variables: [String: String], _ isTerminal: Bool)
            -> Bool
        {
            choice.palette(isTerminal: isTerminal, environment: variables).isColoured
        }
        #expect(isColoured(.auto, [:], true) && !isColoured(.auto, [:], false))
        #expect(!isColoured(.auto, ["NO_COLOR": "1"], true))
        #expect(isColoured(.auto, ["NO_COLOR": ""], true))
        #expect(!isColoured(.auto, ["TERM": "dumb"], true))
        #expect(isColoured(.always, ["NO_COLOR": "1"], false) && !isColoured(.never, [:], true))
        #expect(Palette(isColoured: true).text("a", as: .heading) == "\u{1B}[1ma\u{1B}[0m")
        #expect(Palette.plain.text("a", as: .heading) == "a")
    }

    @Test(arguments: [
        ("qurey", "query"), ("quer", "query"), ("exprot", "export"), ("Query", "query"),
        ("im", "import"), ("ex", "export"), ("q", nil), ("xyzzy", nil), ("ls", "ls"), ("", nil),
    ])
    func `finds the word that is meant`(word: String, meant: String?) {
        let words = ["import", "export", "query", "ls"]
        #expect(Misspelling.nearest(to: word, among: words) == meant)
    }

    @Test(arguments: [
        ("{\"a\":1}", nil), ("[1,2]", nil), (" \n{\"a\":1}", nil), ("", nil),
        ("\u{FEFF}{\"a\":1,\"b\":2}", nil), ("\t{\"a\":1,\"b\":2}", nil),
        ("\u{B}\u{C} [1,2]", nil), ("12", nil),
        ("nonsense", nil), ("a,b", ForeignFile.table(separator: "commas")),
        ("a;b\r\n1;2\r\n", .table(separator: "semicolons")),
        ("\"a\",\"b\"\n\"1\",\"2\"\n", .table(separator: "commas")),
        ("a sentence, with a comma\nand none here", nil), ("a\0b", .binary),
    ])
    func `tells files of other programs by their beginning`(text: String, kind: ForeignFile?) {
        #expect(ForeignFile(beginning: Array(text.utf8)) == kind)
    }

    @Test(arguments: [
        ("documents", nil), ("guest/views", nil), ("guest/view/x", nil),
        ("guest/side/a/0/rows", nil),
        ("guest/view/byKind/0/rows", "byKind"), ("guest/view/a/1/side/1/documents", "a/1/side"),
        ("guest/view///0/side", "/"),
    ])
    func `knows the tables of an index`(table: String, index: String?) {
        #expect(TableSizes.index(ofTable: table) == index)
    }

    @Test func `writes JSON that reads back`() throws {
        let members: [String: JSONValue] = [
            "a": ["x", .null, true, -5, 0.5, 1e300], "b": [:], "c": [],
            "é\u{301}": "\u{1B}\"\\\n\u{9F}",
            "z": ["b": 1, "a": [["k": "v"]]],
        ]
        for text in [
            JSONRendering.compact(.object(members)), JSONRendering.indented(.object(members)),
        ] {
            #expect(try Document(json: text).json == members)
            #expect(
                !text.unicodeScalars.contains("\u{1B}") && !text.unicodeScalars.contains("\u{9F}"))
        }
    }

    @Test func `writes JSON for people with a level a line`() {
        #expect(JSONRendering.compact(["b": [1, 2], "a": []]) == "{\"a\":[],\"b\":[1,2]}")
        #expect(
            JSONRendering.indented(["b": [1, ["c": .null]], "a": []]) == """
                {
                  "a": [],
                  "b": [
                    1,
                    {
                      "c": null
                    }
                  ]
                }
                """)
    }

    @Test func `draws how far a command has come`() {
        func line(_ done: Int, _ fraction: Double?) -> String {
            Progress.line(
                title: "Importing", noun: "documents", done: done, fraction: fraction,
                elapsed: .seconds(2))
        }
        #expect(line(34_006, nil) == "Importing  34,006 documents, 17,003/s")
        let half = "[############............]"
        #expect(line(500, 0.5) == "Importing  \(half)  50 %  500 documents, 250/s")
        #expect(line(1, 0).contains("[........................]  0 %"))
        #expect(line(1, 7).contains("[########################]  100 %"))
        #expect(line(1 << 50, 1).count <= 79)
    }

    @Test func `writes to the last byte and reports a reader that has gone`() throws {
        let pipe = Pipe()
        let output = Output(pipe.fileHandleForWriting)
        for _ in 0..<100 { try output.line("line") }
        try output.flush()
        try pipe.fileHandleForWriting.close()
        let text = try pipe.fileHandleForReading.readToEnd()
        #expect(text == Data(String(repeating: "line\n", count: 100).utf8))
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_999, "1.9 kB"),
        (999_999, "999.9 kB"), (1_000_000, "1.0 MB"), (12_345_678, "12.3 MB"),
        (3_400_000_000, "3.4 GB"), (7_000_000_000_000_000, "7,000.0 TB"),
    ])
    func `gives bytes a unit that suits them`(count: Int, text: String) {
        #expect(Quantity.bytes(count) == text)
    }
}
