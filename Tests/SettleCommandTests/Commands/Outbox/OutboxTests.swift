import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60))) struct `The outbox with the tool` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    private func run(_ arguments: [String]) async throws -> BuiltTool.Outcome {
        let outcome = try await tool.run(["outbox"] + arguments)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome)")
        return outcome
    }

    private func values(_ arguments: [String]) async throws -> [JSONValue] {
        try await run(arguments + ["--json"]).lines.map { try JSONValue(jsonText: $0) }
    }

    /// What is told on standard error with this status.
    private func refusal(_ arguments: [String], status: Int32) async throws -> String {
        let outcome = try await tool.run(["outbox"] + arguments)
        #expect(outcome.status == status && outcome.output.isEmpty, "\(arguments): \(outcome)")
        return outcome.errors
    }

    private func withFilled(_ body: (StoredOutbox, String) async throws -> Void) async throws {
        try await StoredOutbox.with { stored in
            try await stored.fill()
            try await body(stored, stored.path)
        }
    }

    @Test(arguments: ["list", "show", "skip", "hold", "retry", "tags"])
    func `its commands are explained with examples`(name: String) async throws {
        let help = try await run([name, "--help"])
        #expect(help.output.contains("Examples:\n  settle outbox "))
        #expect(try await run(["--help"]).output.contains("\n  \(name) "))
    }

    @Test func `is listed by pipelines`() async throws {
        try await withFilled { _, path in
            let lines = try await run([path]).lines
            #expect(lines.count == 8, "\(lines)")
            #expect(lines[0] == "Pipeline 'default': 3 operations, 3 pending.")
            #expect(
                lines[1].hasPrefix("graph  operation  type        status   priority  starts  "))
            #expect(
                lines[2].hasPrefix("    1  AAAA0000   putContact  pending         0       0  ann"))
            #expect(lines[3].hasSuffix("  ann, bob   AAAA0000"), "\(lines)")
            #expect(lines[4].hasPrefix("    2  BBBB0000   putContact  pending  "), "\(lines)")
            #expect(lines[5] == "Pipeline 'photos': 1 operation, 1 held.")
            #expect(lines[6].hasPrefix("graph  operation  type       status  priority "))
            #expect(lines[7].hasPrefix("    1  CCCC0000   sendPhoto  held           0 "))
        }
    }

    @Test func `a listing can be of one pipeline, and be cut short`() async throws {
        try await withFilled { _, path in
            let photos = try await run([path, "--pipeline", "photos"]).lines
            #expect(photos.count == 3 && photos[2].hasSuffix("  2096-10-02T07:06:40.000Z"))
            let first = try await run([path, "--limit", "1"]).lines
            #expect(first.last == "1 of 4 operations shown.", "\(first)")
            #expect(first.contains("Pipeline 'default': 3 operations, 3 pending."))
            let ids = try await values([path, "--limit", "3"]).map { $0["id"]?.stringValue }
            #expect(
                ids == [StoredID.first, StoredID.second, StoredID.later].map(\.uuidString))
        }
    }

    @Test func `is listed for programs, without what is in the operations`() async throws {
        try await withFilled { _, path in
            let listed = try await values([path])
            #expect(listed.map { $0["type"] }.count == 4)
            let second = try #require(listed.first { $0["priority"] == 5 })
            #expect(
                second == [
                    "id": .string(StoredID.second.uuidString), "type": "putContact",
                    "pipeline": "default", "graph": 1, "status": "pending", "priority": 5,
                    "starts": 0, "documents": ["ann", "bob"],
                    "dependencies": [.string(StoredID.first.uuidString)], "holds": [:],
                    "heldUntil": .null,
                ])
            let photo = try #require(listed.last)
            #expect(photo["status"] == "held" && photo["type"] == "sendPhoto")
            #expect(photo["holds"] == ["wifi": "2096-10-02T07:06:40.000Z"])
            for arguments in [[path], [path, "--json"], ["show", path, "AAAA0"]] {
                let output = try await run(arguments).output
                #expect(!output.contains("x-") && !output.contains("age"), "\(output)")
            }
        }
    }

    @Test func `contents are shown when that is asked for`() async throws {
        try await withFilled { _, path in
            let listed = try await values([path, "--content"])
            #expect(listed.map { $0["content"]?["secret"] }.prefix(2) == ["x-1", "x-2"])
            #expect(listed.last?["content"] == ["file": "x-3"])
            #expect(listed[0]["changes"]?["ann"]?["new"]?["age"] == 7, "\(listed)")
            #expect(listed[1]["changes"] == [:])
            let shown = try await run(["show", path, "aaaa0000", "--content"]).output
            #expect(shown.contains("\ncontent\n{\n  \"secret\": \"x-1\"\n}\n"), "\(shown)")
            #expect(shown.contains("\nchanges of ann\n"))
            let text = try await run([path, "--content"]).output
            #expect(text.contains("\"x-1\"") && text.contains("\"x-3\""), "\(text)")
        }
    }

    @Test func `an operation is shown with its facts`() async throws {
        try await withFilled { stored, path in
            let lines = try await run(["show", path, "AAAA1"]).lines
            #expect(lines.contains("operation  \(StoredID.second.uuidString)"), "\(lines)")
            #expect(lines.contains("waits for  AAAA0000") && lines.contains("document   bob"))
            _ = try await run(["skip", path, StoredID.first.uuidString.lowercased()])
            let after = try await run(["show", path, "AAAA1"]).lines
            #expect(after.contains("done before  \(StoredID.first.uuidString)"), "\(after)")
            let photo = try #require(try await values(["show", path, "cccc"]).first)
            #expect(photo["id"] == .string(StoredID.photo.uuidString))
            #expect(try await stored.operations().count == 3)
        }
    }

    @Test func `operations are skipped, by identifiers and by pipeline`() async throws {
        try await withFilled { stored, path in
            let two = try await run(["skip", path, "AAAA0000", "BBBB", "aaaa-0000"])
            #expect(two.lines == ["2 operations skipped."])
            #expect(
                try await stored.operations().map(\.id) == [StoredID.second, StoredID.photo])
            let photos = try await run(["skip", path, "--pipeline", "photos", "--all"])
            #expect(photos.lines == ["1 operation skipped."])
            #expect(try await stored.operations().map(\.id) == [StoredID.second])
            let again = try await run(["skip", path, "--pipeline", "photos", "--all"])
            #expect(again.lines == ["0 operations skipped."])
            #expect(
                try await run([path, "--pipeline", "photos"]).lines
                    == ["Pipeline 'photos': no operations."])
        }
    }

    @Test func `operations are held for reasons, and let go of`() async throws {
        try await withFilled { stored, path in
            let hold = ["hold", path, "BBBB"]
            let lines = try await run(hold + ["--until", "2099-01-01"]).lines
            #expect(lines == ["1 operation held until 2099-01-01T00:00:00.000Z."])
            let begun = Date()
            _ = try await run(hold + ["CCCC", "--for", "2h", "--context", "mine"])
            let later = try await stored.operation(StoredID.later)
            #expect(Set(later.holds.keys) == ["settle", "mine"])
            let wait = try #require(later.holds["mine"]?.timeIntervalSince(begun))
            // To the next whole second.
            #expect(wait >= 7_200, "\(wait)")
            let photo = try await stored.operation(StoredID.photo)
            #expect(Set(photo.holds.keys) == ["wifi", "mine"])
            let one = try await run(hold + ["--release", "--context", "mine"])
            #expect(one.lines == ["1 operation released."])
            #expect(try await stored.operation(StoredID.later).holds.keys.sorted() == ["settle"])
            _ = try await run(["hold", path, "BBBB", "CCCC", "--release"])
            #expect(try await stored.operations().allSatisfy { $0.holds.isEmpty })
        }
    }

    @Test func `waits and holds end when operations are retried`() async throws {
        try await withFilled { stored, path in
            _ = try await run(["hold", path, "AAAA0", "--for", "90"])
            let some = try await run(["retry", path, "AAAA0", "BBBB"])
            #expect(
                some.lines == [
                    "1 operation released.", "1 operation not held; nothing changed there.",
                ])
            _ = try await run(["hold", path, "AAAA0", "--for", "90"])
            let photos = try await run(["retry", path, "--all", "--pipeline", "photos"])
            #expect(photos.lines == ["1 operation released."])
            #expect(try await stored.operation(StoredID.photo).holds.isEmpty)
            #expect(try await stored.operation(StoredID.first).holds.count == 1)
            #expect(try await run(["retry", path, "--all"]).lines == ["1 operation released."])
            #expect(try await run(["retry", path, "--all"]).lines == ["0 operations released."])
            #expect(try await stored.operations().allSatisfy { $0.holds.isEmpty })
        }
    }

    @Test func `what a process has left active is given back, skipped, and never held`()
        async throws
    {
        try await withFilled { stored, path in
            try await stored.use { _, outbox in
                try await outbox.write { try $0.markActive(StoredID.first) }
            }
            let lines = try await run([path]).lines
            #expect(lines[0] == "Pipeline 'default': 3 operations, 1 active, 2 pending.")
            #expect(lines[2].hasPrefix("    1  AAAA0000   putContact  active          0       1  "))
            let held = try await refusal(["hold", path, "BBBB", "AAAA0", "--for", "9"], status: 1)
            #expect(held.contains("\(StoredID.first) is active") && held.contains("retry"))
            #expect(try await stored.operation(StoredID.later).holds.isEmpty)
            // Those that are active are no part of all.
            #expect(try await run(["retry", path, "--all"]).lines == ["1 operation released."])
            #expect(try await stored.operation(StoredID.first).status == .active)
            let back = try await run(["retry", path, "AAAA0"])
            #expect(back.lines == ["1 operation given back."])
            let first = try await stored.operation(StoredID.first)
            #expect(first.status == .pending && first.startCount == 1 && first.holds.isEmpty)
            try await stored.use { _, outbox in
                try await outbox.write { try $0.markActive(StoredID.first) }
            }
            let skipped = try await tool.run(["outbox", "skip", path, "AAAA0"])
            #expect(skipped.status == 0 && skipped.lines == ["1 operation skipped."])
            #expect(skipped.errors.contains("1 operation had been started"), "\(skipped)")
        }
    }

    @Test func `tags are listed by key`() async throws {
        try await StoredOutbox.with { stored in
            let path = stored.path
            #expect(try await run(["tags", path, "/ann"]).lines == ["No tags."])
            try await stored.use { _, outbox in
                try await outbox.write {
                    try $0.setTag(.string("v1"), "etag", of: "/ann")
                    try $0.setTag(.data(Data([1, 2, 3])), "token", of: "/ann")
                    try $0.setTag(.number(1), "etag", of: "/bob")
                    try $0.setTag(.integer(.max), "since", of: "/cat")
                }
            }
            let lines = try await run(["tags", path, "/ann"]).lines
            #expect(lines == ["tag    value", "etag   v1", "token  3 bytes"])
            let objects = try await values(["tags", path, "/bob"])
            #expect(objects == [["identifier": "etag", "kind": "number", "value": 1]])
            let exact = try await values(["tags", path, "/cat"])
            #expect(
                exact == [["identifier": "since", "kind": "number", "value": .integer(.max)]])
        }
    }

    @Test func `a database without one stays without`() async throws {
        try await withScratchDirectory("outbox") { scratch in
            let path = scratch.file("shop").path
            _ = try await tool.run(["import", path, "-"], input: "{\"id\":\"a\"}")
            let before = try await tool.run(["stats", path, "--json"])
            #expect(try await run([path]).lines == ["No outbox."])
            #expect(try await run([path, "--json"]).lines == [])
            #expect(try await run(["tags", path, "a"]).lines == ["No tags."])
            #expect(try await run(["retry", path, "--all"]).lines == ["0 operations released."])
            for arguments in [
                ["show", path, "AAAA"], ["skip", path, "AAAA"],
                ["hold", path, StoredID.first.uuidString, "--for", "9"], ["retry", path, "AAAA"],
            ] {
                let errors = try await refusal(arguments, status: 1)
                #expect(errors.contains("There is no operation '"), "\(errors)")
            }
            let errors = try await refusal(["skip", path, "--pipeline", "p", "--all"], status: 1)
            #expect(errors.contains("There is no pipeline 'p' in the outbox of 'shop'."))
            #expect(!errors.contains("There is:"))
            let after = try await tool.run(["stats", path, "--json"])
            #expect(try tables(after) == tables(before))
        }
    }

    private func tables(_ outcome: BuiltTool.Outcome) throws -> JSONValue? {
        try JSONValue(jsonText: outcome.output)["tables"]
    }

    @Test func `an empty one has its pipelines`() async throws {
        try await withFilled { stored, path in
            for pipeline in ["default", "photos"] {
                _ = try await run(["skip", path, "--pipeline", pipeline, "--all"])
            }
            #expect(
                try await run([path]).lines == [
                    "Pipeline 'default': no operations.", "Pipeline 'photos': no operations.",
                ])
            #expect(try await values([path]) == [])
            #expect(try await stored.operations().isEmpty)
        }
    }

    @Test func `what the world refuses is told in a sentence, and changes nothing`() async throws {
        try await withFilled { stored, path in
            let both = "\(StoredID.first), \(StoredID.second)"
            let ghost = UUID().uuidString
            let cases: [([String], String)] = [
                ([path + "2"], "There is no database 'shop2'"),
                (["skip", path + "2", "AAAA0"], "There is no database 'shop2'"),
                (["show", path, ghost], "no operation '\(ghost)' in the outbox of 'shop'"),
                (["skip", path, "BBBB", "DDDD"], "There is no operation 'DDDD'"),
                (["hold", path, "BBBB", "DDDD", "--for", "9"], "There is no operation 'DDDD'"),
                (["retry", path, "CCCC", "DDDD"], "There is no operation 'DDDD'"),
                (["show", path, "aaaa"], "2 operations begin with 'aaaa': \(both). Give more"),
                (["skip", path, "BBBB", "AAAA"], "2 operations begin with 'AAAA'"),
                (["hold", path, "AAAA", "--for", "9"], "2 operations begin with 'AAAA'"),
                (["retry", path, "AAAA"], "2 operations begin with 'AAAA'"),
                ([path, "--pipeline", "no"], "There is no pipeline 'no' in the outbox of 'shop'."),
                (["skip", path, "--pipeline", "no", "--all"], "There is: default, photos."),
                (["retry", path, "--pipeline", "no", "--all"], "There is no pipeline 'no'"),
            ]
            let before = try await values([path, "--content"])
            for (arguments, sentence) in cases {
                let errors = try await refusal(arguments, status: 1)
                #expect(errors.contains(sentence), "\(arguments): \(errors)")
            }
            #expect(try await values([path, "--content"]) == before)
            #expect(try await stored.operations().count == 4)
        }
    }

    @Test(arguments: [
        [], ["./x", "--limit", "0"], ["./x", "--limit", "-1"], ["show", "./x"],
        ["show", "./x", "AAA"], ["show", "./x", "ghost"], ["show", "./x", "AAAA", "BBBB"],
        ["skip", "./x"], ["skip", "./x", "AAAA", "--all"], ["skip", "./x", "--all"],
        ["skip", "./x", "--pipeline", "p"], ["skip", "./x", "AAAA", "--pipeline", "p"],
        ["hold", "./x", "AAAA"], ["hold", "./x", "--for", "9"],
        ["hold", "./x", "AAAA", "--until", "soon"], ["hold", "./x", "AAAA", "--for", "0"],
        ["hold", "./x", "AAAA", "--until", "2001-01-01"],
        ["hold", "./x", "AAAA", "--for", "9", "--release"],
        ["hold", "./x", "AAAA", "--for", "9", "--until", "2099-01-01"],
        ["hold", "./x", "AAAA", "--for", "9", "--context", ""],
        ["retry", "./x"], ["retry", "./x", "AAAA", "--all"],
        ["retry", "./x", "AAAA", "--pipeline", "p"], ["tags", "./x"],
    ])
    func `a wrong command line is answered with status 64`(arguments: [String]) async throws {
        #expect(try await !refusal(arguments, status: 64).isEmpty)
    }
}
