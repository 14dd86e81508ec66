import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `Grants` {
    private static func identity(
        _ rules: String, _ claims: [String: JSONValue]?, table: String = "t"
    ) throws -> Identity {
        let rules = try AccessRules(json: rules.utf8)
        return try Access(rules: rules).identity(
            of: Sender(claims: claims), in: try TableName(table))
    }

    @Test func `give channels of claims, and of nothing else`() throws {
        let templates: [(String, [String: JSONValue], Set<String>)] = [
            ("north", [:], ["north"]), ("${sub}", ["sub": "ann"], ["ann"]),
            ("user-${sub}", ["sub": "ann"], ["user-ann"]),
            ("user-${sub}", [:], []), ("user-${sub}", ["sub": ""], []),
            ("user-${sub}", ["sub": 7], []), ("user-${sub}", ["sub": .null], []),
            ("user-${sub}", ["sub": true], []), ("user-${sub}", ["sub": ["a": "b"]], []),
            ("${r}", ["r": ["a", "b", 1, .null, ["c"], ""]], ["a", "b"]), ("${r}", ["r": []], []),
            ("${a}-${b}", ["a": ["1", "2"], "b": ["x", "y"]], ["1-x", "1-y", "2-x", "2-y"]),
            ("${a}-${b}", ["a": ["1"], "b": []], []),
            // What a claim holds is a name, whatever it looks like.
            ("${sub}", ["sub": "*"], ["*"]),
            ("${sub}", ["sub": "${role}", "role": "x"], ["${role}"]),
            ("$$${sub}", ["sub": "a"], ["$a"]), ("$${sub}", ["sub": "a"], ["${sub}"]),
            ("a*", [:], ["a*"]), ("**", [:], ["**"]),
            ("${https://x/roles}", ["https://x/roles": ["a"]], ["a"]),
        ]
        for (text, claims, expected) in templates {
            let template = try ChannelTemplate(text)
            #expect(template.channels(claims) == expected, "\(text) \(claims)")
            #expect(!template.isEverything)
        }
        let many = JSONValue.array((0..<101).map { .string("\($0)") })
        #expect(try ChannelTemplate("${a}${b}").channels(["a": many, "b": many]) == [])
        #expect(try ChannelTemplate("*").isEverything)
    }

    @Test func `hold for those who claim what they ask for`() throws {
        let rules = """
            {"tables": {"t": {"grants": [{"claims": {"role": "driver", "level": [1, 2]},
            "read": ["x"]}]}}}
            """
        let cases: [([String: JSONValue]?, Bool)] = [
            (["role": "driver", "level": 1], true), (["role": ["a", "driver"], "level": 2], true),
            (["role": "driver", "level": [7, 2]], true), (["role": "driver", "level": 3], false),
            (["role": "driver", "level": "1"], false), (["role": "driver"], false),
            (["level": 1], false), (["role": ["driver2"], "level": 1], false),
            (["role": [["driver"]], "level": 1], false), ([:], false), (nil, false),
            (["role": .null, "level": .null], false),
            (["role": ["driver": true], "level": 1], false),
        ]
        for (claims, holds) in cases {
            let identity = try Self.identity(rules, claims)
            #expect(identity.readable == (holds ? ["x"] : []), "\(claims ?? [:])")
            #expect(identity.writable == [])
        }
    }

    @Test func `close tables that are not named, unless there is a rule for the others`() throws {
        let closed = #"{"tables": {"t": {"grants": [{"read": ["*"], "write": ["*"]}]}}}"#
        #expect(try Self.identity(closed, [:]) == .unlimited)
        for table in ["u", "T"] {
            let identity = try Self.identity(closed, ["channels": ["a"]], table: table)
            #expect(identity.readable == [] && identity.writable == [])
            #expect(!identity.mayWriteSomething)
        }
        let open = #"{"tables": {"*": {"grants": [{"read": ["*"]}]}, "t": {"grants": []}}}"#
        #expect(try Self.identity(open, [:], table: "u").readable == nil)
        #expect(try Self.identity(open, [:], table: "t").readable == [])
    }

    @Test func `are for all with a token, or for all`() throws {
        let rules = """
            {"tables": {"t": {"grants": [{"read": ["a"]}, {"anonymous": true, "read": ["b"]},
            {"anonymous": false, "write": ["c"]}]}}}
            """
        let anonymous = try Self.identity(rules, nil)
        #expect(anonymous.readable == ["b"] && anonymous.writable == [])
        let known = try Self.identity(rules, ["sub": "ann"])
        #expect(known.readable == ["a", "b"] && known.writable == ["c"])
        #expect(known.subject == "ann" && anonymous.subject == nil)
    }

    /// Every set of grants over a small world, against rights reckoned item by item.
    @Test func `give together what each gives`() throws {
        // A grant: for whom, what is read, what is written.
        let conditions = ["", #""claims": {"r": "x"}, "#, #""anonymous": true, "#]
        let channels = ["[]", #"["a"]"#, #"["${r}"]"#, #"["*"]"#]
        var grants: [(text: String, condition: Int, read: Int, write: Int)] = []
        for condition in 0..<3 {
            for read in 0..<4 {
                for write in 0..<4 where read + write > 0 {
                    if condition == 2, read == 2 || write == 2 { continue }
                    grants.append(
                        (
                            "{\(conditions[condition])\"read\": \(channels[read]), "
                                + "\"write\": \(channels[write])}", condition, read, write
                        ))
                }
            }
        }
        let senders: [[String: JSONValue]?] = [
            nil, [:], ["r": "x"], ["r": ["x", "b"]], ["r": "b"],
        ]
        let items: [[String]] = [[], ["a"], ["b"], ["x"], ["a", "b"], ["a", "x"]]
        func gives(_ channel: Int, _ name: String, _ claims: [String: JSONValue]?) -> Bool {
            switch channel {
            case 1: name == "a"
            case 2:
                claims?["r"] == .string(name)
                    || claims?["r"]?.arrayValue?.contains(.string(name)) == true
            case 3: true
            default: false
            }
        }
        func holds(_ condition: Int, _ claims: [String: JSONValue]?) -> Bool {
            switch condition {
            case 0: claims != nil
            case 1: gives(2, "x", claims)
            default: true
            }
        }
        var count = 0
        for first in grants {
            for second in grants {
                let text = "{\"tables\": {\"t\": {\"grants\": [\(first.text), \(second.text)]}}}"
                let rules = Access(rules: try AccessRules(json: text.utf8))
                for claims in senders {
                    let identity = try rules.identity(
                        of: Sender(claims: claims), in: try TableName("t"))
                    let mine = [first, second].filter { holds($0.condition, claims) }
                    for names in items {
                        let item = Self.item(names)
                        let sees =
                            mine.contains { $0.read == 3 }
                            || names.contains { name in
                                mine.contains { gives($0.read, name, claims) }
                            }
                        let writes =
                            mine.contains { $0.write == 3 }
                            || !names.isEmpty
                                && names.allSatisfy { name in
                                    mine.contains { gives($0.write, name, claims) }
                                }
                        if identity.maySee(item) != sees
                            || identity.mayWrite(item.members) != writes
                        {
                            Issue.record("\(text) \(claims ?? [:]) \(names)")
                        }
                        count += 1
                    }
                }
            }
        }
        #expect(count == grants.count * grants.count * 30 && grants.count == 38)
    }

    private static func item(_ channels: [String]) -> TableItem {
        TableItem(
            id: "i", members: ["channels": .array(channels.map(JSONValue.string))],
            createdAt: .init(microseconds: 0), updatedAt: .init(microseconds: 0), version: "1",
            isDeleted: false)
    }
}
