import Foundation
import Settle
import TestSupport
import Testing

/// `settle inspect` and `settle serve --inspector`, asked by curl.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Inspecting` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// What a browser that follows an address and keeps cookies gets of a page behind it.
    private func page(_ path: String, behind address: String, _ scratch: ScratchDirectory)
        async throws -> (status: String, text: String)
    {
        let url = try #require(URL(string: address))
        let origin = "http://\(url.host() ?? ""):\(url.port ?? 0)"
        let jar = scratch.file("jar-\(url.port ?? 0)").path
        _ = try await tool.runScript("curl -s -L -m 60 -c \"$1\" -b \"$1\" \"$2\"", [jar, address])
        let outcome = try await tool.runScript(
            "curl -s -m 60 -b \"$1\" -w '\\n%{http_code}' \"$2\"", [jar, origin + path])
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test func `a database prints an address for one browser, and changes nothing without --write`()
        async throws
    {
        try await withScratchDirectory("inspecting") { scratch in
            let path = scratch.file("shop").path
            #expect(try await tool.run(["put", path, "{\"id\": \"plum\"}"]).status == 0)
            for flags in [[], ["--write"]] {
                let running = try tool.start(["inspect", path, "--json"] + flags)
                let line = try #require(await running.firstLine())
                let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
                let shown = try await page("/d/shop/documents", behind: address, scratch)
                #expect(shown.status == "200" && shown.text.contains("plum"))
                let edit = try await page("/d/shop/edit?id=plum", behind: address, scratch)
                #expect(edit.status == (flags.isEmpty ? "403" : "200"))
                // Another process may write meanwhile.
                #expect(
                    try await tool.run(["put", path, "{\"id\": \"p\(flags.count)\"}"]).status == 0)
                running.interrupt()
                let outcome = await running.outcome()
                #expect(outcome.status == 0, "\(outcome)")
                #expect(outcome.errors.isEmpty)
            }
        }
    }

    @Test func `a database that is not there, or a port that is taken, is a sentence`() async throws
    {
        try await withScratchDirectory("inspecting") { scratch in
            let none = try await tool.run(["inspect", scratch.file("none").path])
            #expect(none.status == 1 && none.errors.contains("There is no database 'none'"))
            let path = scratch.file("shop").path
            _ = try await tool.run(["put", path, "{\"id\": \"plum\"}"])
            let running = try tool.start(["inspect", path, "--json"])
            let line = try #require(await running.firstLine())
            let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
            let port = try #require(URL(string: address)?.port)
            let taken = try await tool.run(["inspect", path, "--port", "\(port)"])
            #expect(taken.status == 1 && taken.errors.contains("\(port)"), "\(taken)")
            running.interrupt()
            _ = await running.outcome()
        }
    }

    @Test func `a server shows its tables at an address of their own, read only`() async throws {
        try await withScratchDirectory("inspecting") { scratch in
            let running = try tool.start([
                "serve", "--directory", scratch.file("server").path, "--port", "0", "--anonymous",
                "--json", "--inspector",
            ])
            let line = try #require(await running.firstLine())
            let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
            let stored = try await tool.runScript(
                "curl -s -m 60 -H 'ZUMO-API-VERSION: 2.0.0' -H 'Content-Type: application/json' "
                    + "-d '{\"id\":\"plum\"}' \"$1/tables/items\"", [address])
            #expect(stored.output.contains("plum"))
            let second = try #require(await running.lines(reach: 2)).last ?? ""
            let inspector = try #require(
                try JSONValue(jsonText: second)["inspector"]?.stringValue)
            let home = try await page("/", behind: inspector, scratch)
            #expect(home.status == "200" && home.text.contains("/d/t-items/overview"), "\(home)")
            let server = try await page("/d/t-items/server", behind: inspector, scratch)
            #expect(server.text.contains("Items written"))
            let edit = try await page("/d/t-items/edit", behind: inspector, scratch)
            #expect(edit.status == "403")
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    @Test func `a port for no inspector is refused`() async throws {
        let outcome = try await tool.run([
            "serve", "--directory", "x", "--anonymous", "--inspector-port", "0",
        ])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--inspector-port is for --inspector"))
    }
}
