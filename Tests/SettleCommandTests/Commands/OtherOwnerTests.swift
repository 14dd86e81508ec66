import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

/// Runs the tool as a user who owns nothing.
private enum OtherUser {
    static func run(_ arguments: [String]) async throws -> BuiltTool.Outcome {
        // Without a home and in a folder of its own for temporary files.
        let script = #"""
            exec setpriv --reuid=65534 --regid=65534 --clear-groups \
                env TMPDIR=/tmp HOME=/nonexistent "$0" "$@"
            """#
        return try await BuiltTool().runScript(script, arguments)
    }

    static func isPermitted() async throws -> Bool {
        try await run(["--version"]).status == 0
    }
}

@Suite(.serialized, .timeLimit(.minutes(60))) struct `A database of another owner` {
    /// A database that others may read and not write, with an index that is up to date.
    private func withShop(
        _ body: (_ path: String, _ folder: URL, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("owner") { scratch in
            let path = scratch.file("shop").path
            try await DatabasePath(parsing: path).withDatabase(create: true) { database in
                for (id, price) in [("apple", 3), ("pear", 4), ("plum", 5)] {
                    try await database.save(Document(["id": id, "price": price]))
                }
                let declaration = Database.IndexDeclaration(
                    name: "prices", keys: [["price"]], value: ["price"], reduce: .sum)
                try await database.addIndex(declaration.index)
            }
            let folder = scratch.file("shop.settle")
            try Self.setModes(of: folder, 0o755, 0o644)
            try await body(path, folder, scratch)
        }
    }

    private static func setModes(of folder: URL, _ directory: Int, _ file: Int) throws {
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: folder.path) {
            try manager.setAttributes(
                [.posixPermissions: file],
                ofItemAtPath: folder.appendingPathComponent(name).path)
        }
        try manager.setAttributes([.posixPermissions: directory], ofItemAtPath: folder.path)
    }

    private static func files(in folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
            })
    }

    @Test(.enabled("there is no other user here") { try await OtherUser.isPermitted() })
    func `is read by all commands that look, and left byte for byte alone`() async throws {
        try await withShop { path, folder, _ in
            let before = try Self.files(in: folder)
            let cases: [([String], String)] = [
                (["get", path, "pear"], "\"price\": 4"),
                (["get", path, "--all", "--json"], "\"id\":\"plum\""),
                (["ls", path], "plum"), (["ls", folder.deletingLastPathComponent().path], "shop"),
                (["query", path, "--key", "price", "--from", "4"], "2 rows."),
                (
                    ["query", path, "--key", "price", "--include-documents", "--json"],
                    "\"document\":{\"id\":\"apple\""
                ),
                (["query", path, "--key", "id", "--value", "price", "--reduce", "sum"], "12"),
                (["query", path, "--index", "prices"], "12"),
                (["query", path, "--index", "prices", "--no-reduce"], "3 rows."),
                (
                    [
                        "query", path, "--key", "price", "--value", "price", "--reduce", "sum",
                        "--index", "prices",
                    ], "12"
                ),
                (["indexes", path], "prices"), (["stats", path], "documents                3"),
                (["check", path], "Nothing is wrong."),
                (["export", path, "-"], "\"id\":\"apple\""),
                (["watch", path, "--once"], "saved    plum"), (["outbox", path], "No outbox."),
            ]
            for (arguments, part) in cases {
                let outcome = try await OtherUser.run(arguments)
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome)")
                #expect(outcome.output.contains(part), "\(arguments): \(outcome)")
            }
            #expect(try Self.files(in: folder) == before)

            // Also where there is nothing but the data file, as in a package.
            try FileManager.default.removeItem(at: folder.appendingPathComponent("lock.mdb"))
            let bare = try await OtherUser.run(["get", path, "pear"])
            #expect(bare.status == 0, "\(bare)")
            #expect(try Self.files(in: folder) == before.filter { $0.key == "data.mdb" })
        }
    }

    @Test(.enabled("there is no other user here") { try await OtherUser.isPermitted() })
    func `is not written, and the error says what may not be done`() async throws {
        try await withShop { path, folder, _ in
            let before = try Self.files(in: folder)
            let watch = try await OtherUser.run(["watch", path])
            #expect(watch.status == 1 && watch.errors.contains("cannot be watched"), "\(watch)")
            for arguments in [
                ["put", path, "{\"id\":\"new\"}"], ["delete", path, "pear"], ["compact", path],
                ["query", path, "--key", "name", "--index", "names"],
            ] {
                let refused = try await OtherUser.run(arguments)
                #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
                #expect(
                    refused.errors.contains("Access to the files is denied")
                        || refused.errors.contains("may only be read here"), "\(refused)")
            }
            try Self.setModes(of: folder, 0o700, 0o644)
            let closed = try await OtherUser.run(["get", path, "pear"])
            #expect(
                closed.status == 1 && closed.errors.contains("may not be looked into"), "\(closed)")
            try Self.setModes(of: folder, 0o755, 0o600)
            let unreadable = try await OtherUser.run(["get", path, "pear"])
            #expect(unreadable.status == 1, "\(unreadable)")
            #expect(unreadable.errors.contains("Access to the files is denied"), "\(unreadable)")
            try Self.setModes(of: folder, 0o755, 0o644)
            #expect(try Self.files(in: folder) == before)
        }
    }

    @Test(.enabled("there is no other user here") { try await OtherUser.isPermitted() })
    func `is listed with the reason when it may not be looked into`() async throws {
        try await withShop { _, folder, scratch in
            try Self.setModes(of: folder, 0o700, 0o644)
            let listed = try await OtherUser.run(["ls", scratch.path])
            #expect(listed.status == 1 && listed.lines.count == 2, "\(listed)")
            #expect(listed.lines[1].hasPrefix("shop"), "\(listed)")
            #expect(listed.lines[1].contains("may not be looked into"), "\(listed)")
            let closed = try scratch.folder("closed")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: closed.path)
            let refused = try await OtherUser.run(["ls", closed.path + "/"])
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.errors.contains("may not be looked into"), "\(refused)")
        }
    }

    @Test(.enabled("there is no other user here") { try await OtherUser.isPermitted() })
    func `is refused while its owner writes, and not while its owner reads`() async throws {
        try await withShop { path, _, _ in
            try await DatabasePath(parsing: path).withDatabase { _ in
                let refused = try await OtherUser.run(["get", path, "pear"])
                #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.contains("has the database open for writing"), "\(refused)")
                // Who may be listed in lock.mdb reads beside the writer.
                let owner = try await BuiltTool().run(["get", path, "pear"])
                #expect(owner.status == 0, "\(owner)")
            }
            try await DatabasePath(parsing: path).withDatabase(isReadOnly: true) { _ in
                let read = try await OtherUser.run(["get", path, "pear"])
                #expect(read.status == 0, "\(read)")
            }
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Commands that look` {
    private func data(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path + ".settle/data.mdb"))
    }

    @Test func `change nothing, though a document is overdue and an index behind`() async throws {
        try await withScratchDirectory("looking") { scratch in
            let path = scratch.file("shop").path
            let tool = try BuiltTool()
            // Long ago, so that one of its documents is overdue by now.
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            let configuration = Database.OpenDatabaseConfiguration(
                name: "shop", fileLocation: scratch.url, now: { date })
            let database = try #require(
                try await Database.open(with: configuration, create: true))
            try await database.addIndex(
                Database.IndexDeclaration(name: "prices", keys: [["price"]]).index)
            var milk: Document = ["id": "milk", "price": 1]
            milk.metaData.expirationDate = date.addingTimeInterval(3_600)
            try await database.save(milk)
            try await database.save(["id": "pear", "price": 4])
            await database.close()
            let before = try data(path)
            for arguments in [
                ["get", path, "pear"], ["query", path, "--key", "price"], ["stats", path],
                ["check", path], ["export", path, "-"], ["ls", path], ["indexes", path],
                ["query", path, "--index", "prices", "--stale"],
                ["backup", path, scratch.file("copy").path],
                ["export", path, scratch.file("x").path],
            ] {
                let outcome = try await tool.run(arguments)
                #expect(outcome.status == 0, "\(arguments): \(outcome)")
                #expect(try data(path) == before, "\(arguments)")
            }
            // Only what must be written is.
            let asked = try await tool.run(["query", path, "--index", "prices"])
            #expect(asked.status == 0 && asked.output.contains("pear"), "\(asked)")
            #expect(try data(path) != before)
        }
    }

    @Test func `a query by key asks what the same index in the database would answer`()
        async throws
    {
        try await withScratchDirectory("looking") { scratch in
            let path = scratch.file("shop").path
            let temporary = scratch.file("temporary")
            try FileManager.default.createDirectory(
                at: temporary, withIntermediateDirectories: false)
            let tool = try BuiltTool()
            let items = (0..<2_500).map { number in
                """
                {"id":"item-\(number)","a.b":\(number % 7),"deep":{"er":"\(number % 5)"},\
                "n":\(number).5,"flag":\(number.isMultiple(of: 2)),"other":[\(number)]}

                """
            }
            let imported = try await tool.run(["import", path, "-"], input: items.joined())
            #expect(imported.status == 0)
            let declarations: [[String]] = [
                ["--key", "deep.er", "--key", "n"],
                ["--key", "a\\.b", "--value", "n", "--reduce", "sum"],
                [
                    "--key", "n", "--filter",
                    "{\"$and\":[{\"flag\":true},{\"$nor\":[{\"deep\":{\"er\":\"3\"}}]}]}",
                ],
                ["--key", "id", "--value", "other", "--collation", "raw"],
                ["--key", "id", "--filter", "{\"a\\\\.b\":{\"$gt\":2}}"],
            ]
            for (number, declaration) in declarations.enumerated() {
                for range in [["--limit", "40", "--skip", "7", "--descending"], []] {
                    let passing = try await tool.run(
                        ["query", path, "--json"] + declaration + range,
                        environment: ["TMPDIR": temporary.path])
                    let kept = try await tool.run(
                        ["query", path, "--json", "--index", "i\(number)"] + declaration + range)
                    #expect(passing.status == 0 && passing.output == kept.output, "\(declaration)")
                    let isEmpty = declaration.contains("sum") && !range.isEmpty
                    #expect(passing.output.isEmpty == isEmpty, "\(declaration)")
                }
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
            #expect(left.isEmpty)
        }
    }
}
