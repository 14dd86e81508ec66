import TestSupport
import Testing

@testable import SettleDocuments

@Suite struct `Comparing packed objects` {
    /// Each object packed and as a tree, with each other's.
    private static func check(
        _ left: [String: JSONValue], _ right: [String: JSONValue]
    ) throws -> String? {
        let forms = try [left, right].map { members -> [JSONForm] in
            [.packed(try PackedValue(.object(members))), .value(.object(members))]
        }
        let names = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
        for one in forms[0] {
            for other in forms[1] {
                guard one.hasSameMembers(as: other) == (left == right),
                    other.hasSameMembers(as: one) == (left == right),
                    one.namesDiffering(from: other) == names
                else { return "\(one) \(other) \(names)" }
            }
        }
        return nil
    }

    @Test func `finds what comparing dictionaries finds, for all small objects`() throws {
        let names = ["", "a", "\u{E9}", "e\u{301}", "K", "\u{212A}"]
        let values: [JSONValue?] = [nil, 1, ["a": "longer"]]
        var objects: [[String: JSONValue]] = []
        for number in 0..<729 {
            var (members, rest) = ([String: JSONValue](), number)
            for name in names {
                if let value = values[rest % 3] { members[name] = value }
                rest /= 3
            }
            objects.append(members)
        }
        for (place, left) in objects.enumerated() where place % 27 == 0 {
            for right in objects[place...] {
                guard let fault = try Self.check(left, right) else { continue }
                Issue.record("\(fault)")
                return
            }
        }
    }

    @Test(arguments: 0..<20)
    func `finds what comparing dictionaries finds, for random objects`(run: Int) throws {
        var random = SeededGenerator(seed: UInt64(run))
        for _ in 0..<100 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                members[JSONValue.randomText(using: &random)] = .random(depth: 3, using: &random)
            }
            var others = members
            for name in members.keys.sorted() where Int.random(in: 0..<3, using: &random) == 0 {
                others[name] =
                    Bool.random(using: &random) ? nil : .random(depth: 3, using: &random)
            }
            if Bool.random(using: &random) {
                others[JSONValue.randomText(using: &random)] = 1
            }
            let fault = try Self.check(members, others)
            #expect(fault == nil, "seed \(run)")
        }
    }

    @Test func `makes no values of objects whose names have one spelling`() throws {
        let one = try PackedValue(["a": 1, "b": [2], "c": "x"])
        let other = try PackedValue(["b": [3], "c": "x", "d": .null])
        #expect(try one.namesDiffering(from: other) == ["a", "b", "d"])
        #expect(try one.namesDiffering(from: one) == [])
        let spelled = try PackedValue(["e\u{301}": 1])
        #expect(try one.namesDiffering(from: spelled) == nil)
    }
}
