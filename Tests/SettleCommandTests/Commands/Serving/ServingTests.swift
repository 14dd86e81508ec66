import Foundation
import Settle
import TestSupport
import Testing

/// `settle serve` with its flags, asked by curl as those do who run it.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Serving with flags` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// A server in a process of its own; what it said on standard error at the end.
    private func withServer(
        _ options: [String], in scratch: ScratchDirectory,
        _ body: (_ address: String) async throws -> Void
    ) async throws -> BuiltTool.Outcome {
        let server = try tool.start(
            ["serve", "--directory", scratch.file("server").path, "--port", "0", "--json"]
                + options)
        let line = try #require(await server.firstLine())
        let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
        do {
            try await body(address)
        } catch {
            server.interrupt()
            _ = await server.outcome()
            throw error
        }
        server.interrupt()
        return await server.outcome()
    }

    /// The status of an answer, and its body.
    private func curl(_ arguments: String) async throws -> (status: String, body: String) {
        let outcome = try await tool.runScript(
            "curl -s -m 300 -H 'ZUMO-API-VERSION: 2.0.0' -H 'Content-Type: application/json' "
                + "-w '\\n%{http_code}' \(arguments)", [])
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    private func token(_ arguments: [String], _ scratch: ScratchDirectory) async throws -> String {
        let outcome = try await tool.run(
            ["token", "--secret-file", scratch.file("secret").path] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.lines.first ?? ""
    }

    @Test func `rules, claims, metrics and the log are as the flags say`() async throws {
        try await withScratchDirectory("serving") { scratch in
            try scratch.write(String(repeating: "s3cret", count: 8), to: "secret")
            let rules = try scratch.write(
                """
                {"tables": {"t": {"grants": [{"claims": {"role": "driver"}, "read": ["${region}"],
                "write": ["${region}"]}, {"anonymous": true, "read": ["public"]}]}}}
                """, to: "rules.json")
            let outcome = try await withServer(
                [
                    "--secret-file", scratch.file("secret").path, "--rules", rules.path,
                    "--anonymous", "--issuer", "me", "--audience", "tables", "--rate", "1000",
                    "--burst", "1000", "--connections-max", "50", "--page-max", "10",
                    "--idle-max", "5m", "--verbose", "--log-format", "json",
                ], in: scratch
            ) { address in
                let good = try await token(
                    [
                        "--claim", "iss=me", "--claim", "aud:=[\"tables\"]", "--claim",
                        "role=driver", "--claim", "region:=[\"north\"]", "--subject", "ann-secret",
                    ], scratch)
                let bad = try await token(["--claim", "role=driver"], scratch)
                let item = "-d '{\"id\":\"hidden\",\"channels\":[\"north\"]}' \(address)/tables/t"
                let stored = try await curl("-H 'X-ZUMO-AUTH: \(good)' \(item)")
                #expect(stored.status == "201", "\(stored)")
                #expect(try await curl("-H 'X-ZUMO-AUTH: \(bad)' \(item)").status == "401")
                #expect(try await curl("'\(address)/tables/t'").body == "[]")
                let page = "-H 'X-ZUMO-AUTH: \(good)' '\(address)/tables/t?%24top=11'"
                #expect(try await curl(page).status == "400")
                #expect(try await curl("\(address)/readyz").status == "200")
                let metrics = try await curl("\(address)/metrics")
                #expect(metrics.body.contains("settle_token_failures_total 1"))
            }
            #expect(outcome.status == 0)
            #expect(!outcome.errors.contains("hidden") && !outcome.errors.contains("ann-secret"))
            let lines = try outcome.errors.split(separator: "\n").map {
                try JSONValue(jsonText: String($0))
            }
            let requests = lines.filter { $0["message"] == "request" }
            let statuses = requests.compactMap { $0["status"]?.integerValue }
            #expect(statuses == [201, 401, 200, 400, 200, 200])
            let routes = requests.compactMap { $0["route"]?.stringValue }
            #expect(routes.suffix(2) == ["/readyz", "/metrics"])
            #expect(requests.allSatisfy { $0["id"] != nil && $0["milliseconds"] != nil })
            #expect(requests.allSatisfy { $0["level"] == "info" && $0["time"] != nil })
        }
    }

    @Test func `TLS is spoken with the files that are named`() async throws {
        try await withScratchDirectory("serving") { scratch in
            let (key, certificate) = (scratch.file("k.pem").path, scratch.file("c.pem").path)
            let made = try await tool.runScript(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
                    + " -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
                    + " -keyout \"$1\" -out \"$2\"", [key, certificate])
            #expect(made.status == 0, "\(made)")
            let flags = ["--anonymous", "--tls-certificate", certificate, "--tls-key", key]
            let outcome = try await withServer(flags + ["--no-metrics"], in: scratch) { address in
                #expect(address.hasPrefix("https://"))
                let trusted = try await curl("--cacert '\(certificate)' \(address)/healthz")
                #expect(trusted.status == "200")
                #expect(try await curl("\(address)/healthz").status == "000")
                let metrics = try await curl("--cacert '\(certificate)' \(address)/metrics")
                #expect(metrics.status == "404")
            }
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            let swapped = try await tool.run([
                "serve", "--directory", scratch.path, "--port", "0", "--anonymous",
                "--tls-certificate", key, "--tls-key", key,
            ])
            #expect(swapped.status == 1 && swapped.errors.contains("k.pem"), "\(swapped)")
        }
    }

    @Test func `names and origins are let in as the flags say`() async throws {
        try await withScratchDirectory("serving") { scratch in
            let flags = [
                "--anonymous", "--host-name", "db.example", "--host-name", "192.0.2.1",
                "--cors-origin", "https://app.example", "--cors-origin", "http://localhost:3000",
            ]
            let outcome = try await withServer(flags, in: scratch) { address in
                for (headers, status) in [
                    ("-H 'Host: db.example'", "200"), ("-H 'Host: 192.0.2.1:80'", "200"),
                    ("-H 'Host: evil.example'", "421"), ("-H 'Origin: https://app.example'", "200"),
                    ("-H 'Origin: http://localhost:3000'", "200"),
                    ("-H 'Origin: https://evil.example'", "403"),
                ] {
                    let reply = try await curl("\(headers) '\(address)/tables/t'")
                    #expect(reply.status == status, "\(headers)")
                }
            }
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        }
    }

    @Test func `a second server in a directory says whose it is, and a killed one is no hindrance`()
        async throws
    {
        try await withScratchDirectory("serving") { scratch in
            let folder = try scratch.folder("tables").path
            let link = scratch.file("link").path
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: folder)
            let arguments = { (folder: String) in
                ["serve", "--anonymous", "--port", "0", "--json", "--directory", folder]
            }
            let first = try tool.start(arguments(folder))
            _ = try #require(await first.firstLine())
            for path in [folder, link] {
                let second = try await tool.run(arguments(path))
                #expect(second.status == 1 && second.output.isEmpty)
                #expect(second.errors.contains("'\(path)'"), "\(second)")
                #expect(second.errors.contains("process \(first.identifier)"), "\(second)")
                #expect(second.errors.contains("end it first"), "\(second)")
            }
            let copied = try await tool.run(["copy-tables", folder, scratch.file("copy").path])
            #expect(copied.status == 0, "\(copied)")
            let back = try await tool.run(["copy-tables", scratch.file("copy").path, folder])
            #expect(back.status == 1 && back.errors.contains("end it first"), "\(back)")
            first.kill()
            _ = await first.outcome()
            let third = try tool.start(arguments(link))
            _ = try #require(await third.firstLine())
            third.interrupt()
            #expect(await third.outcome().status == 0)
        }
    }

    @Test func `a wrong flag is said before anything runs`() async throws {
        try await withScratchDirectory("serving") { scratch in
            let secret = try scratch.write(String(repeating: "s3cret", count: 8), to: "secret").path
            let rules = try scratch.write("{\"tables\":\n {\"t\": []}}", to: "rules.json").path
            let keys = try scratch.write("{}", to: "keys.json").path
            let cases: [([String], Int32, String)] = [
                (["--anonymous", "--secret-file", secret], 64, "--rules"),
                (["--jwks", keys, "--secret-file", secret], 64, "exclude each other"),
                (["--anonymous", "--issuer", "x"], 64, "--issuer"),
                (["--anonymous", "--burst", "3"], 64, "--rate"),
                (["--anonymous", "--tls-key", secret], 64, "--tls-certificate"),
                (["--anonymous", "--log-format", "xml"], 64, "log-format"),
                (["--anonymous", "--version-when-missing", "4"], 64, "version-when-missing"),
                (["--anonymous", "--cors-origin", "app.example"], 1, "'app.example'"),
                (["--anonymous", "--cors-origin", "*", "--cors-origin", "x"], 64, "--cors-origin"),
                (["--anonymous", "--host-name", "http://x"], 1, "'http://x'"),
                (["--anonymous", "--rate", "0"], 1, "rate"),
                (["--anonymous", "--connections-max", "0"], 64, "1 or more"),
                (["--anonymous", "--page-max", "0"], 64, "1 or more"),
                (["--anonymous", "--rules", rules], 1, "line 2, column 8 (tables.t)"),
                (["--anonymous", "--rules", rules + "x"], 1, "rules.jsonx"),
                (["--jwks", keys], 1, "keys.json"), (["--jwks", keys + "x"], 1, "keys.jsonx"),
                (["--jwks", "http://keys.example.com/"], 1, "https://"),
            ]
            for (flags, status, text) in cases {
                let outcome = try await tool.run(
                    ["serve", "--directory", scratch.file("none").path, "--port", "0"] + flags,
                    environment: ["SETTLE_JWT_SECRET": ""])
                #expect(outcome.status == status, "\(flags): \(outcome)")
                #expect(outcome.errors.contains(text), "\(flags): \(outcome.errors)")
                #expect(outcome.output.isEmpty)
            }
            for claims in [["x"], ["=x"], ["sub=x"], ["a:={"], ["a=1", "a=2"], [":=1"]] {
                let outcome = try await tool.run(
                    ["token", "--secret-file", secret] + claims.flatMap { ["--claim", $0] })
                #expect(outcome.status == 64, "\(claims): \(outcome)")
            }
        }
    }
}
