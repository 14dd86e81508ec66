import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Looking after a database with the tool` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// A database with documents, a tombstone, an attachment, and a date of expiration.
    private func withShop(
        _ body: (_ path: String, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("upkeep") { scratch in
            let path = scratch.file("shop").path
            try await DatabasePath(parsing: path).withDatabase(create: true) { database in
                var apple: Document = ["id": "apple", "price": 3]
                apple.attachments = [
                    DocumentAttachment(
                        name: "note", contentType: "text/plain", data: Data("sour".utf8))
                ]
                apple.metaData.expirationDate = Date(timeIntervalSince1970: 4_000_000_000)
                try await database.save(apple)
                for id in ["pear", "plum"] { try await database.save(["id": id]) }
                try await database.delete(documentWithId: "plum")
            }
            try await body(path, scratch)
        }
    }

    private func run(_ arguments: String...) async throws -> BuiltTool.Outcome {
        try await tool.run(arguments)
    }

    private func values(_ outcome: BuiltTool.Outcome) throws -> [JSONValue] {
        try outcome.lines.map { try JSONValue(jsonText: $0) }
    }

    @Test func `shows counts and sizes`() async throws {
        try await withShop { path, _ in
            let text = try await run("stats", path)
            #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
            #expect(text.lines.contains("documents                2"))
            #expect(text.lines.contains("tombstones               1"))
            #expect(text.lines.contains("next expiration          2096-10-02T07:06:40.000Z"))
            #expect(text.lines.contains { $0.hasPrefix("documents  ") && $0.hasSuffix(" kB") })
            let json = try #require(try values(await run("stats", path, "--json")).first)
            #expect(json["documents"] == 2 && json["tombstones"] == 1)
            #expect(json["contents"] == 1 && json["expiringDocuments"] == 1)
            #expect(json["nextExpiration"] == "2096-10-02T07:06:40.000Z")
            let tables = json["tables"]?.arrayValue ?? []
            let documents = tables.first { $0["name"] == "documents" }
            #expect(documents?["rows"] == 3)
        }
    }

    @Test func `checks, and finds nothing in a sound database`() async throws {
        try await withShop { path, _ in
            let text = try await run("check", path)
            #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
            #expect(text.output.hasPrefix("Nothing is wrong."))
            let json = try await run("check", path, "--json")
            #expect(json.status == 0 && json.output.isEmpty && json.errors.isEmpty, "\(json)")
            let deep = try await run("check", path, "--deep")
            #expect(deep.status == 0 && deep.output.hasPrefix("Nothing is wrong."), "\(deep)")
        }
    }

    @Test func `checks, and names what is wrong in a damaged one`() async throws {
        try await withShop { path, scratch in
            // The price of the apple, as it stands in the file, becomes another.
            let file = scratch.file("shop.settle/data.mdb")
            var bytes = try Data(contentsOf: file)
            let member = Data("price".utf8)
            var places: [Int] = []
            var start = bytes.startIndex
            while let range = bytes.range(of: member, in: start..<bytes.endIndex) {
                places.append(range.upperBound)
                start = range.upperBound
            }
            try #require(!places.isEmpty)
            for place in places { bytes[place] = 0x45 }
            try bytes.write(to: file)
            let text = try await run("check", path)
            #expect(text.status == 1, "\(text)")
            #expect(text.lines.contains { $0.hasPrefix("document 'apple': ") }, "\(text)")
            #expect(text.errors.contains("finding"), "\(text)")
            let json = try await run("check", path, "--json")
            #expect(json.status == 1)
            #expect(try values(json).contains { $0["place"] == "document 'apple'" })
            // What cannot be trusted is not exported either.
            let export = try await run("export", path, scratch.file("x").path)
            #expect(export.status == 1 && export.errors.contains("'apple'"), "\(export)")
            #expect(!FileManager.default.fileExists(atPath: scratch.file("x").path))
        }
    }

    @Test func `compacts`() async throws {
        try await withShop { path, _ in
            let text = try await run("compact", path)
            #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
            #expect(text.output.contains(" before, ") && text.output.hasSuffix(" after.\n"))
            let json = try #require(try values(await run("compact", path, "--json")).first)
            #expect(json["bytesAfter"]?.integerValue ?? 0 > 0)
            #expect(try await run("check", path).status == 0)
        }
    }

    @Test func `copies, and never over another`() async throws {
        try await withShop { path, scratch in
            let copy = scratch.file("copies/monday").path
            let text = try await run("backup", path, copy)
            #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
            #expect(text.output.hasPrefix("Copied to \(copy) in "))
            let (from, to) = (scratch.file("a").path, scratch.file("b").path)
            #expect(try await run("export", path, from).status == 0)
            #expect(try await run("export", copy, to).status == 0)
            let texts = try [from, to].map { try String(contentsOfFile: $0, encoding: .utf8) }
            #expect(texts[0] == texts[1])
            let again = try await run("backup", path, copy)
            #expect(again.status == 1 && again.errors.contains("already"), "\(again)")
            #expect(try await run("backup", path, path).status == 1)
        }
    }

    @Test(arguments: ["stats", "check", "compact"])
    func `needs a database that is there`(command: String) async throws {
        try await withScratchDirectory("none") { scratch in
            let outcome = try await run(command, scratch.file("none").path)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("There is no database 'none'"))
            #expect(try await tool.run([command]).status == 64)
        }
    }

    @Test func `exports and imports again`() async throws {
        try await withShop { path, scratch in
            let file = scratch.file("shop.export").path
            let export = try await run("export", path, file)
            #expect(export.status == 0 && export.errors.isEmpty, "\(export)")
            let sentence = "2 documents, 1 tombstone, 1 content of attachments exported, "
            #expect(export.output.hasPrefix(sentence))
            let copy = scratch.file("copy").path
            let added = try await run("import", copy, file)
            #expect(added.status == 0 && added.output.hasPrefix("3 documents stored in "))
            let again = try await run("import", copy, file, "--json")
            #expect(
                try values(again) == [["added": 0, "replaced": 0, "unchanged": 3, "kept": 0]])
            let piped = try await run("export", copy, "-")
            #expect(try Data(piped.output.utf8) == Data(contentsOf: URL(fileURLWithPath: file)))
            let second = try await tool.run(
                ["import", scratch.file("second").path, "-"], input: piped.output)
            #expect(second.status == 0 && second.errors.isEmpty, "\(second)")
            let counts = try await run("export", copy, file, "--json", "--force")
            let members = try #require(try values(counts).first)
            #expect(members["documents"] == 2 && members["tombstones"] == 1)
            #expect(members["bytes"]?.integerValue == Int64(piped.output.utf8.count))
        }
    }

    @Test func `exports over no file of the database itself, or of another`() async throws {
        try await withShop { path, scratch in
            let data = scratch.file("shop.settle/data.mdb")
            let other = scratch.file("other.settle/data.mdb")
            #expect(try await run("backup", path, scratch.file("other.settle").path).status == 0)
            let link = scratch.file("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: data)
            let lock = scratch.file("shop.settle/lock.mdb")
            for file in [data.path, lock.path, link.path, other.path] {
                let refused = try await run("export", path, file, "--force")
                #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.contains("is a file of a database"), "\(refused)")
            }
            #expect(try await run("check", path).status == 0)
        }
    }

    @Test func `copies into no folder without a name`() async throws {
        try await withShop { path, scratch in
            let folder = try scratch.folder("copies").path + "/"
            let refused = try await run("backup", path, folder)
            #expect(refused.status == 64 && refused.errors.contains("It is a folder"), "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: scratch.file("copies.settle").path))
        }
    }

    @Test func `exports contents to files, or leaves them out`() async throws {
        try await withShop { path, scratch in
            let file = scratch.file("shop.export").path
            let folder = scratch.file("contents").path
            #expect(try await run("export", path, file, "--contents", folder).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
            #expect(try await run("import", scratch.file("a").path, file).status == 0)
            let moved = scratch.file("moved")
            try FileManager.default.moveItem(atPath: folder, toPath: moved.path)
            let lost = try await run("import", scratch.file("b").path, file)
            #expect(lost.status == 1 && lost.errors.contains(folder), "\(lost)")
            let found = try await run(
                "import", scratch.file("b").path, file, "--contents", moved.path)
            #expect(found.status == 0, "\(found)")
            #expect(
                try await run("export", path, file, "--without-contents", "--force").status == 0)
            let bare = try await run("import", scratch.file("c").path, file)
            #expect(bare.status == 0)
            let described = try await run("export", scratch.file("c").path, file, "--force")
            #expect(described.errors.contains("1 attachment without content"), "\(described)")
        }
    }

    @Test func `says which line of an export is wrong, and stores nothing`() async throws {
        try await withShop { path, scratch in
            let text = try await run("export", path, "-").output
            let lines = text.split(separator: "\n")
            let cut = lines.dropLast().joined(separator: "\n") + "\n"
            let none = scratch.file("none").path
            let outcome = try await tool.run(["import", none, "-"], input: cut)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("The export on standard input, line 5: "), "\(outcome)")
            #expect(outcome.errors.contains("it was cut off"))
            #expect(try await run("stats", none).status == 1)
        }
    }

    @Test func `keeps, replaces, or fails as it is told`() async throws {
        try await withShop { path, scratch in
            let file = scratch.file("shop.export").path
            #expect(try await run("export", path, file).status == 0)
            let change = "{\"id\":\"pear\",\"price\":9}\n"
            #expect(try await tool.run(["import", path, "-"], input: change).status == 0)
            let kept = try await run("import", path, file)
            #expect(kept.output.hasPrefix("0 documents stored, 2 unchanged, 1 kept in "), "\(kept)")
            let failed = try await run("import", path, file, "--on-existing", "fail")
            #expect(failed.status == 1 && failed.errors.contains("line 4"), "\(failed)")
            let replaced = try await run("import", path, file, "--on-existing", "replace")
            #expect(
                replaced.output.hasPrefix(
                    "1 document stored (1 in place of older ones), 2 unchanged in "), "\(replaced)")
            #expect(try await run("check", path).status == 0)
        }
    }

    @Test func `is told when options do not fit`() async throws {
        try await withShop { path, scratch in
            let file = scratch.file("shop.export").path
            #expect(try await run("export", path, "-", "--json").status == 64)
            let both = ["--contents", "x", "--without-contents"]
            #expect(try await tool.run(["export", path, file] + both).status == 64)
            #expect(try await run("import", path, file, "--on-existing", "skip").status == 64)
            #expect(try await run("export", path, file).status == 0)
            #expect(try await run("import", path, file, "--id-member", "sku").status == 1)
            let plain = try scratch.write("{\"id\":\"a\"}", to: "plain").path
            #expect(try await run("import", path, plain, "--contents", "x").status == 1)
            let folder = try await run("export", path, scratch.path, "--force")
            #expect(folder.status == 1 && folder.errors.contains("no file that can be replaced"))
        }
    }
}
