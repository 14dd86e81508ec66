import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite struct `Completion in a shell` {
    private func withShop(
        _ body: (ShellCompletion, ScratchDirectory) async throws -> Void
    ) async throws {
        try await withScratchDirectory("completion") { scratch in
            let path = try DatabasePath(parsing: scratch.file("shop").path)
            try await path.withDatabase(create: true) { database in
                for id in ["apple", "apricot", "New York", "plum"] {
                    try await database.save(["id": id, "price": 3, "priority": 1])
                }
                let declaration = Database.IndexDeclaration(
                    name: "byPrice", version: "1", keys: [["price"]])
                try await database.addIndex(declaration.index)
            }
            try await body(ShellCompletion(path: path), scratch)
        }
    }

    @Test func `finds commands, options, identifiers, members and indexes`() async throws {
        try await withShop { completion, _ in
            let expected: [(String, LineCompletion)] = [
                ("sta", .replacement(count: 3, text: "stats ")),
                ("ex", .list(["exit", "export"])),
                ("get ap", .list(["apple", "apricot"])),
                ("get app", .replacement(count: 3, text: "apple ")),
                ("get apple pl", .replacement(count: 2, text: "plum ")),
                ("get New", .replacement(count: 3, text: "'New York' ")),
                ("delete x", .none),
                ("query --ke", .replacement(count: 4, text: "--key")),
                ("query --key", .list(["--key", "--keys"])),
                ("query --key pri", .list(["price", "priority"])),
                ("query --key pric", .replacement(count: 4, text: "price ")),
                ("query --index ", .replacement(count: 0, text: "byPrice ")),
                ("query --reduce s", .list(["stats", "sum"])),
                ("query --key price --reduce su", .replacement(count: 2, text: "sum ")),
                ("indexes re", .replacement(count: 2, text: "remove ")),
                ("indexes remove b", .replacement(count: 1, text: "byPrice ")),
                ("help indexes er", .replacement(count: 2, text: "errors ")),
                ("get 'ap", .none), ("nothing a", .none),
            ]
            for (text, result) in expected {
                #expect(await completion.completion(of: text) == result, "\(text)")
            }
        }
    }

    @Test func `finds files`() async throws {
        try await withShop { completion, scratch in
            try scratch.write("{}", to: "items.json")
            let begin = scratch.file("ite").path
            let whole = scratch.file("items.json").path
            let found = await completion.completion(of: "import \(begin)")
            #expect(found == .replacement(count: begin.unicodeScalars.count, text: whole + " "))
            let folder = await completion.completion(of: "export \(scratch.file("sho").path)")
            guard case .replacement(_, let text) = folder else {
                Issue.record("\(folder)")
                return
            }
            #expect(text.hasSuffix("shop.settle/"))
        }
    }

    @Test func `goes as far as all words are the same`() {
        #expect(
            ShellCompletion.completion(of: "i", by: ["item-10", "item-12"])
                == .replacement(count: 1, text: "item-1"))
        #expect(
            ShellCompletion.completion(of: "item-1", by: ["item-10", "item-12"])
                == .list(["item-10", "item-12"]))
        let many = (100..<300).map { "x\($0)" }
        guard case .list(let shown) = ShellCompletion.completion(of: "x", by: many) else {
            Issue.record("no list")
            return
        }
        #expect(shown.count == ShellCompletion.listCountMax + 1 && shown.last == "… and more")
    }

    @Test func `finds nothing where there is no database`() async throws {
        try await withScratchDirectory("completion") { scratch in
            let path = try DatabasePath(parsing: scratch.file("none").path)
            #expect(await ShellCompletion(path: path).completion(of: "get a") == .none)
        }
    }
}
