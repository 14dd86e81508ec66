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
            #expect(taken.errors.contains("another program listens there"), "\(taken)")
            #expect(!taken.errors.contains("errno"), "\(taken)")
            running.interrupt()
            _ = await running.outcome()
        }
    }

    @Test func `the entities of a database are shown, and nothing of it is changed`() async throws {
        try await withScratchDirectory("inspecting") { scratch in
            let file = try scratch.write(
                """
                {"entities": [{"identifier": "anna", "type": "person", "name": "Anna",
                "datestamp": {"date": "2026-01-01T00:00:00Z"}}]}
                """, to: "people.json")
            let path = scratch.file("people").path
            #expect(try await tool.run(["entities", "import", path, file.path]).status == 0)
            // What was imported is not in the index before it is asked for.
            #expect(try await tool.run(["entities", path]).status == 0)
            let before = try Data(contentsOf: scratch.file("people.settle/data.mdb"))
            let running = try tool.start(["inspect", path, "--json"])
            let line = try #require(await running.firstLine())
            let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
            let list = try await page("/d/people/entities?type=person", behind: address, scratch)
            #expect(list.status == "200" && list.text.contains("entity?id=anna"), "\(list)")
            let anna = try await page("/d/people/entity?id=anna", behind: address, scratch)
            #expect(anna.status == "200" && anna.text.contains("Anna"), "\(anna)")
            running.interrupt()
            #expect(await running.outcome().status == 0)
            #expect(try Data(contentsOf: scratch.file("people.settle/data.mdb")) == before)
        }
    }

    @Test func `a database that was removed or replaced is shown and changed no more`() async throws
    {
        try await withScratchDirectory("inspecting") { scratch in
            let path = scratch.file("shop").path
            #expect(try await tool.run(["put", path, "{\"id\": \"plum\"}"]).status == 0)
            let running = try tool.start(["inspect", path, "--json", "--write"])
            let line = try #require(await running.firstLine())
            let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
            let there = try await page("/d/shop/documents", behind: address, scratch)
            #expect(there.status == "200")
            try FileManager.default.moveItem(atPath: path + ".settle", toPath: path + "2.settle")
            let removed = try await page("/d/shop/documents", behind: address, scratch)
            #expect(removed.status == "410" && removed.text.contains("was removed or replaced"))
            #expect(try await tool.run(["put", path, "{\"id\": \"pear\"}"]).status == 0)
            let url = try #require(URL(string: address))
            let origin = "http://\(url.host() ?? ""):\(url.port ?? 0)"
            let jar = scratch.file("jar-\(url.port ?? 0)").path
            let saved = try await tool.runScript(
                "curl -s -m 60 -o /dev/null -b \"$1\" -w '%{http_code}' -H \"Origin: $2\" "
                    + "--data-urlencode 'id=new' --data-urlencode 'text={}' \"$2/d/shop/document/save\"",
                [jar, origin])
            #expect(saved.output == "410", "\(saved)")
            running.interrupt()
            #expect(await running.outcome().status == 0)
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
                    + "-d '{\"id\":\"plum\",\"type\":\"fruit\"}' \"$1/tables/items\"", [address])
            #expect(stored.output.contains("plum"))
            let second = try #require(await running.lines(reach: 2)).last ?? ""
            let inspector = try #require(
                try JSONValue(jsonText: second)["inspector"]?.stringValue)
            let fruit = try await page(
                "/d/t-items/documents?type=fruit", behind: inspector, scratch)
            #expect(fruit.status == "200" && fruit.text.contains("document?id=plum"), "\(fruit)")
            let counts = try await page("/server", behind: inspector, scratch)
            #expect(counts.status == "200" && counts.text.contains("Items written"))
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

    @Test func `a server shows its tables under a path, for tokens that claim it`() async throws {
        try await withScratchDirectory("inspecting") { scratch in
            let secret = scratch.file("secret").path
            try Data(String(repeating: "s", count: 40).utf8).write(to: scratch.file("secret"))
            let running = try tool.start([
                "serve", "--directory", scratch.file("server").path, "--port", "0",
                "--secret-file", secret, "--json", "--inspector-path",
                "--cors-origin", "https://elsewhere.example",
            ])
            let line = try #require(await running.firstLine())
            let json = try JSONValue(jsonText: line)
            let address = try #require(json["url"]?.stringValue)
            #expect(json["inspectorPath"]?.stringValue == address + "/inspector")
            func token(_ arguments: [String]) async throws -> String {
                let outcome = try await tool.run(["token", "--secret-file", secret] + arguments)
                return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let plain = try await token([])
            _ = try await tool.runScript(
                "curl -s -m 60 -H 'ZUMO-API-VERSION: 2.0.0' -H 'Content-Type: application/json' "
                    + "-H \"Authorization: Bearer $2\" -d '{\"id\":\"plum\"}' \"$1/tables/items\"",
                [address, plain])
            /// The status of an attempt to come in, and of the page of a table after it.
            func come(with token: String, origin: String? = nil) async throws -> [String] {
                let jar = scratch.file("jar").path
                let outcome = try await tool.runScript(
                    "rm -f \"$4\"; curl -s -m 60 -o /dev/null -w '%{http_code}\\n' -c \"$4\" -H \"Origin: $3\" "
                        + "--data-urlencode \"token=$2\" \"$1/inspector/enter\"; "
                        + "curl -s -m 60 -o /dev/null -w '%{http_code}\\n' -b \"$4\" "
                        + "\"$1/inspector/d/t-items/documents\"",
                    [address, token, origin ?? address, jar])
                return outcome.output.split(separator: "\n").map(String.init)
            }
            let good = try await token(["--claim", "inspector:=true"])
            #expect(try await come(with: good) == ["303", "200"])
            #expect(
                try await come(with: good, origin: "https://elsewhere.example") == ["403", "401"])
            for arguments in [
                [], ["--claim", "inspector:=false"], ["--claim", "inspector=true"],
            ] {
                let token = try await token(arguments)
                #expect(try await come(with: token) == ["401", "401"], "\(arguments)")
            }
            // A token in a header is one for the tables, and pages of other origins are not let in here.
            let headers = try await tool.runScript(
                "curl -s -m 60 -D - -o /dev/null -H \"Authorization: Bearer $2\" "
                    + "-H 'Origin: https://elsewhere.example' \"$1/inspector/\"", [address, good])
            #expect(headers.output.contains("401"))
            #expect(!headers.output.lowercased().contains("access-control-allow"))
            #expect(headers.output.lowercased().contains("content-security-policy"))
            let metrics = try await tool.runScript("curl -s -m 60 \"$1/metrics\"", [address])
            #expect(metrics.output.contains("route=\"/inspector\""))
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    @Test func `a path for the inspector needs tokens`() async throws {
        try await withScratchDirectory("inspecting") { scratch in
            let outcome = try await tool.run([
                "serve", "--directory", scratch.file("server").path, "--anonymous", "--port", "0",
                "--inspector-path",
            ])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("--inspector-path lets in by tokens"))
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
