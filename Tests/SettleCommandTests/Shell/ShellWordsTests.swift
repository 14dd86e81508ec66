import Testing
import TestSupport

@testable import SettleCommand

@Suite struct `Words of a shell's line` {
    @Test(arguments: [
        ("get apple  pear", ["get", "apple", "pear"]),
        ("  get\tapple ", ["get", "apple"]),
        ("", []), ("# nothing", []), ("get apple # the red one", ["get", "apple"]),
        ("get a#b", ["get", "a#b"]),
        ("get 'New York' \"Los \\\"Angeles\\\"\"", ["get", "New York", "Los \"Angeles\""]),
        ("get a\\ b '' x\"y z\"", ["get", "a b", "", "xy z"]),
        ("get 'it'\\''s'", ["get", "it's"]),
        (
            #"put {"id": "a b", "x": [1, "}"]} --json"#,
            ["put", #"{"id": "a b", "x": [1, "}"]}"#, "--json"]
        ),
        (#"query --prefix ["EU", "it's"]"#, ["query", "--prefix", #"["EU", "it's"]"#]),
        (#"put {"a":"\"}"}"#, ["put", #"{"a":"\"}"}"#]),
        ("put {\n\"a\": 1\n}", ["put", "{\n\"a\": 1\n}"]),
        ("get a\\\nb", ["get", "ab"]),
        ("get é ü", ["get", "é", "ü"]),
    ])
    func `are split as people expect`(text: String, words: [String]) {
        let line = ShellWords(text)
        #expect(line.texts == words)
        #expect(line.open == .nothing)
    }

    @Test(arguments: [
        "get 'a", "get \"a\\\"", "put {\"a\":1", "put [1, \"]", "get a\\", "put {\"a\":\"\\",
    ])
    func `go on in the next line when something is open`(text: String) {
        #expect(ShellWords(text).open == .more)
    }

    @Test func `come back as they were when they are quoted`() {
        var generator = SeededGenerator()
        let alphabet = Array("ab'\"\\ {}[]#\n\té-")
        for _ in 0..<2_000 {
            let words = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        alphabet.randomElement(using: &generator) ?? "a"
                    })
            }
            let line = ShellWords(words.map(ShellWords.quoted).joined(separator: " "))
            #expect(line.texts == words && line.open == .nothing, "\(generator)")
        }
    }

    @Test func `stand where they were typed`() {
        let line = ShellWords("get 'ä b' c")
        #expect(line.words.map(\.start) == [0, 4, 10])
        #expect(line.words.map(\.isPlain) == [true, false, true])
        #expect(line.endsInWord)
        #expect(!ShellWords("get ").endsInWord)
    }
}
