import Settle
import Testing

@testable import SettleServer

@Suite struct `JSON patches` {
    /// The document after a patch; nil when it does not fit.
    private static func applied(_ patch: JSONValue, to document: JSONValue) throws -> JSONValue? {
        let patch = try JSONPatch(patch)
        return try? patch.applied(to: document)
    }

    /// A pointer as text.
    private static func text(_ tokens: [String]) -> JSONValue {
        .string(
            tokens.map { token in
                "/"
                    + token.split(separator: "~", omittingEmptySubsequences: false)
                    .joined(separator: "~0").split(
                        separator: "/", omittingEmptySubsequences: false
                    ).joined(separator: "~1")
            }.joined())
    }

    @Test func `every small patch of every small document does what the naive one does`() throws {
        let documents: [JSONValue] = [
            .null, 1, [], [1], [1, [2]], [["a": 1], 2], [:], ["a": 1], ["a": ["b": 1], "b": 2],
            ["a": [1, 2]], ["": 1, "~": 2, "/": ["a": 3]],
        ]
        let tokens = ["a", "b", "0", "1", "2", "-", "01", "", "~", "/", "-1"]
        let pointers =
            [[]] + tokens.map { [$0] } + tokens.flatMap { first in tokens.map { [first, $0] } }
        let values: [JSONValue] = [.null, 7, ["c": []]]
        var count = 0
        for document in documents {
            for pointer in pointers {
                let path = Self.text(pointer)
                for value in values {
                    for op in ["add", "replace", "test"] {
                        let found = try Self.applied(
                            [["op": .string(op), "path": path, "value": value]], to: document)
                        let wanted = NaivePatch.applied(op, pointer, value, document)
                        #expect(found == wanted, "\(op) \(path) \(value) to \(document)")
                        count += 1
                    }
                }
                let found = try Self.applied([["op": "remove", "path": path]], to: document)
                let wanted = NaivePatch.applied("remove", pointer, .null, document)
                #expect(found == wanted, "remove \(path) from \(document)")
            }
            for from in pointers.prefix(1 + tokens.count + 24) {
                for to in pointers.prefix(1 + tokens.count + 24) {
                    let places: [String: JSONValue] = [
                        "from": Self.text(from), "path": Self.text(to),
                    ]
                    let copied = try Self.applied(
                        [.object(places.merging(["op": "copy"]) { $1 })], to: document)
                    let value = NaivePatch.value(from, document)
                    let wanted = value.flatMap { NaivePatch.applied("add", to, $0, document) }
                    #expect(copied == wanted, "copy \(from) to \(to) in \(document)")
                    guard from == to || !to.starts(with: from) else { continue }
                    let moved = try Self.applied(
                        [.object(places.merging(["op": "move"]) { $1 })], to: document)
                    let rest = NaivePatch.applied("remove", from, .null, document)
                    let naive =
                        from == to
                        ? (value == nil ? nil : document)
                        : value.flatMap { value in
                            rest.flatMap { NaivePatch.applied("add", to, value, $0) }
                        }
                    #expect(moved == naive, "move \(from) to \(to) in \(document)")
                }
            }
        }
        #expect(count > 10_000)
    }

    @Test func `a test compares numbers by value and members in any order`() throws {
        for (left, right, isEqual): (JSONValue, JSONValue, Bool) in [
            (1, 1.0, true), (1, 1.5, false), (0.0, -0.0, true),
            (["a": [1, 2.0]], ["a": [1.0, 2]], true),
            (["a": 1, "b": 2], ["b": 2, "a": 1], true), ([1, 2], [2, 1], false), ("1", 1, false),
            (.null, false, false), ([], [:], false), (["a": 1], ["a": 1, "b": 2], false),
            (9_007_199_254_740_993, 9_007_199_254_740_992.0, false), ("e\u{301}", "\u{E9}", false),
        ] {
            let found = try Self.applied(
                [["op": "test", "path": "/x", "value": right]], to: ["x": left])
            #expect((found != nil) == isEqual, "\(left) \(right)")
        }
    }

    @Test func `all or nothing: the changes before a misfit do not count`() throws {
        let patch = try JSONPatch([
            ["op": "add", "path": "/a", "value": 1], ["op": "remove", "path": "/b"],
        ])
        #expect(throws: JSONPatch.Misfit(place: 1, reason: "there is nothing at its place")) {
            try patch.applied(to: [:])
        }
    }

    @Test func `copies of copies are stopped before they fill the memory`() throws {
        let text = String(repeating: "x", count: 1000)
        let copies = (0..<40).map { number -> JSONValue in
            ["op": "copy", "from": "/a", "path": .string("/a/\(number)")]
        }
        #expect(try Self.applied(.array(copies), to: ["a": ["x": .string(text)]]) == nil)
        let nested = (0..<1000).map { _ -> JSONValue in
            ["op": "copy", "from": "", "path": "/a"]
        }
        #expect(try Self.applied(.array(nested), to: ["b": 1]) == nil)
        let one = try Self.applied(
            [["op": "copy", "from": "/a", "path": "/b"]], to: ["a": .string(text)])
        #expect(one == ["a": .string(text), "b": .string(text)])
    }

    @Test func `nothing becomes deeper than a body may be`() throws {
        var deep: JSONValue = []
        for _ in 0..<300 { deep = [deep] }
        let document: JSONValue = ["a": deep]
        let place = "/a" + String(repeating: "/0", count: 250) + "/-"
        #expect(
            try Self.applied(
                [["op": "add", "path": .string(place), "value": deep]], to: document) == nil)
        #expect(
            try Self.applied([["op": "add", "path": "/a/-", "value": deep]], to: document) != nil)
    }

    @Test func `moves up and down of what is large are stopped before they take long`() throws {
        let large = JSONValue.array(Array(repeating: [.null, .null], count: 10_000))
        let document: JSONValue = ["a": large, "b": [:]]
        let moves = (0..<500).flatMap { _ -> [JSONValue] in
            [
                ["op": "move", "from": "/a", "path": "/b/a"],
                ["op": "move", "from": "/b/a", "path": "/a"],
            ]
        }
        #expect(try Self.applied(.array(moves), to: document) == nil)
        // What is in it is not looked at when it comes to lie no deeper.
        let aside = (0..<40).flatMap { _ -> [JSONValue] in
            [
                ["op": "move", "from": "/a", "path": "/c"],
                ["op": "move", "from": "/c", "path": "/a"],
            ]
        }
        #expect(try Self.applied(.array(aside), to: document) == document)
        #expect(try Self.applied(.array(Array(moves.prefix(2))), to: document) == document)
    }

    @Test func `what is moved down does not become deeper than a body may be`() throws {
        var deep: JSONValue = []
        for _ in 0..<300 { deep = [deep] }
        let place = "/b" + String(repeating: "/0", count: 298) + "/-"
        #expect(
            try Self.applied(
                [["op": "move", "from": "/a", "path": .string(place)]], to: ["a": deep, "b": deep])
                == nil)
    }

    @Test func `a patch has a thousand changes at most`() throws {
        let change: JSONValue = ["op": "test", "path": "", "value": 1]
        _ = try JSONPatch(.array(Array(repeating: change, count: 1000)))
        #expect(throws: Problem.self) {
            try JSONPatch(.array(Array(repeating: change, count: 1001)))
        }
    }

    @Test func `pointers are read with their escapes`() {
        #expect(JSONPointer(text: "")?.tokens == [])
        #expect(JSONPointer(text: "/")?.tokens == [""])
        #expect(JSONPointer(text: "/a~1b/~0~01/é")?.tokens == ["a/b", "~~1", "é"])
        for text in ["a", "~", "/~", "/~2", "#/a"] { #expect(JSONPointer(text: text) == nil) }
    }
}

/// The same changes, by taking the container apart and putting it back.
private enum NaivePatch {
    static func value(_ path: [String], _ document: JSONValue) -> JSONValue? {
        guard let token = path.first else { return document }
        if let members = document.objectValue {
            return members[token].flatMap { value(Array(path.dropFirst()), $0) }
        }
        guard let elements = document.arrayValue, let place = place(token, elements.count) else {
            return nil
        }
        return value(Array(path.dropFirst()), elements[place])
    }

    static func applied(
        _ op: String, _ path: [String], _ value: JSONValue, _ document: JSONValue
    ) -> JSONValue? {
        let old = self.value(path, document)
        if op == "test" { return old == value ? document : nil }
        guard op == "add" || old != nil else { return nil }
        guard let token = path.last else { return op == "remove" ? .null : value }
        let parentPath = Array(path.dropLast())
        guard let parent = self.value(parentPath, document) else { return nil }
        if var members = parent.objectValue {
            members[token] = op == "remove" ? nil : value
            return putting(.object(members), parentPath, document)
        }
        guard var elements = parent.arrayValue else { return nil }
        if op == "add" {
            let end = token == "-" ? elements.count : place(token, elements.count + 1)
            guard let end else { return nil }
            elements.insert(value, at: end)
        } else {
            guard let place = place(token, elements.count) else { return nil }
            elements.replaceSubrange(place...place, with: op == "remove" ? [] : [value])
        }
        return putting(.array(elements), parentPath, document)
    }

    private static func putting(
        _ value: JSONValue, _ path: [String], _ document: JSONValue
    ) -> JSONValue? {
        guard let token = path.last else { return value }
        let parentPath = Array(path.dropLast())
        guard let parent = self.value(parentPath, document) else { return nil }
        if var members = parent.objectValue {
            members[token] = value
            return putting(.object(members), parentPath, document)
        }
        guard var elements = parent.arrayValue, let place = place(token, elements.count) else {
            return nil
        }
        elements[place] = value
        return putting(.array(elements), parentPath, document)
    }

    private static func place(_ token: String, _ count: Int) -> Int? {
        (0..<count).first { String($0) == token }
    }
}
