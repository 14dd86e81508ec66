import Foundation
import Settle
import TestSupport
import Testing

/// `settle serve` with settings of the command line, the environment and a file.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Serving by settings` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    /// The settings in effect, each with its value and where that comes from.
    private func printed(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> JSONValue {
        let outcome = try await tool.run(
            ["serve", "--print-config", "--json"] + arguments, environment: environment)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        return try JSONValue(jsonText: outcome.output)
    }

    @Test func `takes options before the environment, that before the file, and then defaults`()
        async throws
    {
        try await withScratchDirectory("settings") { scratch in
            let file = try scratch.write(
                """
                {"directory": "from-file", "port": 1, "pageMax": 2, "idleMax": 90, "rate": 5,
                 "hostName": ["a.example", "b.example"], "anonymous": true, "metrics": false}
                """, to: "settle.json"
            ).path
            let environment = [
                "SETTLE_CONFIG": file, "SETTLE_PORT": "3", "SETTLE_PAGE_MAX": "4",
                "SETTLE_ANONYMOUS": "no", "SETTLE_HOST": "",
                "SETTLE_JWT_SECRET": String(repeating: "s", count: 32),
            ]
            let settings = try await printed(["--port", "5", "--metrics"], environment)
            let expected: [String: [JSONValue]] = [
                "port": [5, "option"], "metrics": [true, "option"],
                "pageMax": [4, "environment"], "anonymous": [false, "environment"],
                "directory": ["from-file", "file"], "idleMax": ["90", "file"],
                "rate": [5.0, "file"], "hostName": [["a.example", "b.example"], "file"],
                "jwtSecret": ["(secret)", "environment"],
                // An empty variable is none.
                "host": ["127.0.0.1", "default"], "bodyMax": [20_971_520, "default"],
                "postgres": [.null, "default"], "verbose": [false, "default"],
            ]
            for (key, pair) in expected {
                #expect(settings[key]?["value"] == pair[0], "\(key)")
                #expect(settings[key]?["from"] == pair[1], "\(key)")
            }
            let other = try scratch.write(
                "{\"port\": 6, \"directory\": \"other\", \"anonymous\": true}", to: "other.json"
            ).path
            let named = try await printed(["--config", other], ["SETTLE_CONFIG": file])
            #expect(named["port"]?["value"] == 6 && named["directory"]?["value"] == "other")
            #expect(named["metrics"]?["from"] == "default")
            let listed = try await tool.run(
                ["serve", "--print-config", "--config", file], environment: [:])
            #expect(
                listed.lines.contains { $0.hasPrefix("pageMax") && $0.contains("SETTLE_PAGE_MAX") })
            // The list is there, and says too that no server would start.
            let burst = try await tool.run(
                ["serve", "--print-config", "--config", file],
                environment: ["SETTLE_DIRECTORY": "x", "SETTLE_POSTGRES": "postgres://h/d"])
            #expect(burst.status == 1 && burst.lines.count > 20, "\(burst)")
            #expect(burst.errors.contains("SETTLE_DIRECTORY and SETTLE_POSTGRES exclude"))
        }
    }

    @Test func `warns of a variable that is a setting but for a slip, and of no other`()
        async throws
    {
        let outcome = try await tool.run(
            ["serve", "--print-config", "--directory", "x", "--anonymous"],
            environment: ["SETTLE_BODYMAX": "1", "SETTLE_OF_ANOTHER_PROGRAM": "2"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.errors == "Warning: The variable SETTLE_BODYMAX is no setting. "
                + "Did you mean SETTLE_BODY_MAX?\n")
    }

    @Test func `reads a secret from a pipe, and says what is wrong with a file of one`()
        async throws
    {
        try await withScratchDirectory("settings") { scratch in
            let secret = String(repeating: "s", count: 32)
            let piped = try await tool.runScript(
                #"""
                "$0" serve --print-config --directory x --secret-file <(printf '%s' "$1") &&
                    "$0" token --secret-file <(printf '%s' "$1") --subject a
                """#, [secret])
            #expect(piped.status == 0, "\(piped)")
            for (path, sentence) in [
                (scratch.file("none").path, "Is it there?"),
                (scratch.path, "this user may read"),
            ] {
                let outcome = try await tool.run(
                    ["serve", "--directory", scratch.file("x").path, "--secret-file", path])
                #expect(outcome.status == 1 && outcome.errors.contains(sentence), "\(outcome)")
            }
        }
    }

    @Test func `shows no secret, wherever it comes from`() async throws {
        try await withScratchDirectory("settings") { scratch in
            let secret = String(repeating: "hunter2", count: 6)
            let file = try scratch.write(
                "{\"jwtSecret\": \"\(secret)\", \"postgres\": \"postgres://u:hunter2@h/d\"}",
                to: "settle.json"
            ).path
            let runs: [([String], [String: String])] = [
                (["--print-config", "--config", file], [:]),
                (["--print-config", "--json", "--config", file], [:]),
                (
                    ["--print-config", "--postgres", "postgres://u:hunter2@h/d"],
                    ["SETTLE_JWT_SECRET": secret]
                ),
                (["--print-config"], ["SETTLE_POSTGRES": "hunter2"]),
                (["--print-config", "--jwks", "https://u:hunter2@h/k?t=hunter2"], [:]),
                (["--print-config", "--directory", "postgres://u:hunter2@h/d"], [:]),
                (["--print-config", "--jwks", "https://[hunter2"], [:]),
                ([], ["SETTLE_POSTGRES": "hunter2", "SETTLE_JWT_SECRET": secret]),
                (["--config", file, "--directory", "x", "--burst", "3"], [:]),
            ]
            for (arguments, environment) in runs {
                let log = scratch.file("access.log").path
                let outcome = try await tool.run(
                    ["serve"] + arguments,
                    environment: environment.merging(["CONFIG_ACCESS_LOG_FILE": log]) { $1 })
                #expect(!outcome.output.contains("hunter2"), "\(outcome)")
                #expect(!outcome.errors.contains("hunter2"), "\(outcome)")
                let logged = try? String(contentsOfFile: log, encoding: .utf8)
                #expect(logged?.contains("hunter2") != true)
            }
        }
    }

    @Test func `is not opened by a place that counts less than that of the secret`() async throws {
        try await withScratchDirectory("settings") { scratch in
            let secret = String(repeating: "s", count: 32)
            let file = try scratch.write("{\"anonymous\": true}", to: "settle.json").path
            let base = ["serve", "--directory", scratch.file("server").path, "--port", "0"]
            let refused = try await tool.run(
                base + ["--config", file], environment: ["SETTLE_JWT_SECRET": secret])
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("beside SETTLE_JWT_SECRET needs --rules"))
            #expect(!refused.errors.contains(secret))
            #expect(!FileManager.default.fileExists(atPath: scratch.file("server").path))
            // Further up it is what is meant.
            let open = try tool.start(
                base + ["--anonymous", "--json"], environment: ["SETTLE_JWT_SECRET": secret])
            #expect(await open.firstLine()?.contains("\"url\"") == true)
            open.interrupt()
            #expect(await open.outcome().status == 0)
        }
    }

    @Test func `names a bad setting, where it is, and what is right, and starts nothing`()
        async throws
    {
        try await withScratchDirectory("settings") { scratch in
            func file(_ text: String) throws -> String {
                try scratch.write(text, to: "settle.json").path
            }
            let base = ["--directory", scratch.file("none").path, "--anonymous"]
            let cases: [(file: String, [String], [String: String], Int32, String)] = [
                (
                    "{}", [], ["SETTLE_PORT": "http"], 1,
                    "SETTLE_PORT cannot be 'http': it takes a whole"
                ),
                ("{}", [], ["SETTLE_BODY_MAX": "0"], 1, "SETTLE_BODY_MAX cannot be '0'"),
                ("{}", [], ["SETTLE_METRICS": "maybe"], 1, "it takes true or false"),
                (
                    "{}", [], ["SETTLE_LOG_FORMAT": "xml"], 1,
                    "SETTLE_LOG_FORMAT cannot be 'xml': it takes text or json"
                ),
                ("{\"port\": 70000}", [], [:], 1, "'port' in '"),
                ("{\"port\": \"80\"}", [], [:], 1, "is of the wrong kind: it takes a whole number"),
                ("{\"port\": null}", [], [:], 1, "wrong kind"),
                ("{\"body-max\": 5}", [], [:], 1, "Did you mean 'bodyMax'?"),
                (
                    "{\"prot\": 5}", [], [:], 1,
                    "have 'prot', which there is not. Did you mean 'port'?"
                ),
                ("{\"xyzzy\": 5}", [], [:], 1, "--print-config"),
                ("{\n  \"port\": }", [], [:], 1, "line 2"), ("[]", [], [:], 1, "no JSON object"),
                ("{\"jwks\": \"k\"}", [], [:], 64, "--anonymous beside 'jwks' in '"),
                (
                    "{\"secretFile\": \"k\"}", [], ["SETTLE_JWT_SECRET": "s"], 64,
                    "--anonymous beside SETTLE_JWT_SECRET needs --rules"
                ),
                (
                    "{\"secretFile\": \"k\", \"jwtSecret\": \"s\"}", [], [:], 1,
                    "'secretFile' in '"
                ),
                ("{}", [], ["SETTLE_JWKS": "https://["], 1, "https://login.example.com/keys.json"),
                ("{\"burst\": 3}", [], [:], 1, "'burst' in '"),
                (
                    "{\"burst\": 3}", ["--tls-key", "k"], [:], 64,
                    "--tls-certificate and --tls-key need each other"
                ),
                ("{}", [], ["SETTLE_TLS_KEY": "k"], 1, "--tls-certificate and SETTLE_TLS_KEY need"),
                (
                    "{}", ["--postgres", "postgres://h/d"], [:], 64,
                    "--directory and --postgres exclude"
                ),
            ]
            for (text, arguments, environment, status, sentence) in cases {
                let path = try file(text)
                let outcome = try await tool.run(
                    ["serve", "--config", path] + base + arguments, environment: environment)
                #expect(outcome.status == status, "\(text) \(environment): \(outcome)")
                #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
                #expect(outcome.output.isEmpty)
            }
            let gone = try await tool.run(
                ["serve", "--config", scratch.file("gone.json").path] + base)
            #expect(gone.status == 1 && gone.errors.contains("gone.json"))
            #expect(!FileManager.default.fileExists(atPath: scratch.file("none").path))
        }
    }

    @Test func `starts a server by a file and the environment alone`() async throws {
        try await withScratchDirectory("settings") { scratch in
            let folder = scratch.file("tables").path
            let file = try scratch.write(
                "{\"directory\": \"\(folder)\", \"postgres\": \"postgres://h/d\", \"port\": 0}",
                to: "settle.json"
            ).path
            // What is set further up overrides what excludes it below.
            let server = try tool.start(
                ["serve", "--json"],
                environment: [
                    "SETTLE_CONFIG": file, "SETTLE_ANONYMOUS": "true", "SETTLE_DIRECTORY": folder,
                ])
            let line = try #require(await server.firstLine())
            let address = try #require(try JSONValue(jsonText: line)["url"]?.stringValue)
            let reply = try await tool.runScript(
                "curl -s -m 300 '\(address)/healthz'", [])
            #expect(reply.output.contains("status"))
            server.interrupt()
            #expect(await server.outcome().status == 0)
            #expect(FileManager.default.fileExists(atPath: folder))
        }
    }
}
