import Configuration
import Foundation
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `Settings of a server` {
    private static func reader(_ values: [String: ConfigContent]) -> ConfigReader {
        ConfigReader(
            provider: InMemoryProvider(
                values: Dictionary(
                    uniqueKeysWithValues: values.map {
                        (AbsoluteConfigKey([$0]), ConfigValue($1, isSecret: false))
                    })))
    }

    private static func configuration(
        _ values: [String: ConfigContent]
    ) async throws -> ServerConfiguration {
        try await ServerConfiguration(
            reader: reader(["directory": "/nowhere"].merging(values) { $1 }))
    }

    @Test func `make the same server as values in a program`() async throws {
        try await withScratchDirectory("settings") { scratch in
            let secret = String(repeating: "s3cret", count: 8)
            let file = try scratch.write(secret + "\n", to: "secret").path
            let rules = try scratch.write("{\"tables\": {}}", to: "rules.json").path
            let configuration = try await Self.configuration([
                "host": "::1", "port": 0, "secretFile": .string(file),
                "issuer": "me", "audience": "tables", "rules": .string(rules), "anonymous": true,
                "hostName": .stringArray(["a.example"]), "corsOrigin": .stringArray(["*"]),
                "tlsCertificate": "c.pem", "tlsKey": "k.pem", "bodyMax": 1_000,
                "attachmentMax": 2_000, "bodyMemory": 3_000_000, "answerMemory": 4_000_000,
                "pageMax": 60, "rate": 2.5, "burst": 7, "connectionsMax": 9, "idleMax": "2m",
                "versionWhenMissing": "3", "metrics": false,
            ])
            #expect(configuration.host == "::1" && configuration.port == 0)
            guard case .secret(secret) = configuration.authentication.method else {
                Issue.record("\(configuration.authentication.method)")
                return
            }
            #expect(configuration.authentication.issuer == "me")
            #expect(configuration.authentication.audience == "tables")
            #expect(configuration.authentication.allowsAnonymous && configuration.rules != nil)
            #expect(configuration.hostNames == ["a.example"])
            #expect(configuration.crossOriginSharing == .allOrigins)
            #expect(configuration.tls?.key.lastPathComponent == "k.pem")
            #expect(configuration.bodyMaxBytes == 1_000)
            #expect(configuration.attachmentMaxBytes == 2_000)
            #expect(configuration.bodyMemoryMaxBytes == 3_000_000)
            #expect(configuration.answerMemoryMaxBytes == 4_000_000)
            #expect(configuration.topMax == 60 && configuration.pageSizeDefault == 50)
            #expect(configuration.rateLimit?.requestsPerSecond == 2.5)
            #expect(configuration.rateLimit?.burst == 7)
            #expect(configuration.connectionsMax == 9)
            #expect(configuration.idleTimeout == .seconds(120))
            #expect(configuration.versionWhenMissing == .version3)
            #expect(!configuration.servesMetrics)
            try configuration.check()
        }
    }

    @Test func `that are not set have the values that the list of them shows`() async throws {
        let made = try await Self.configuration(["anonymous": true])
        let shown = Dictionary(
            uniqueKeysWithValues: ServerSetting.all.compactMap { setting in
                setting.standard.map { (setting.key, $0) }
            })
        #expect(shown["host"] == made.host && shown["port"] == "\(made.port)")
        #expect(shown["bodyMax"] == "\(made.bodyMaxBytes)")
        #expect(shown["attachmentMax"] == "\(made.attachmentMaxBytes)")
        #expect(shown["bodyMemory"] == "\(made.bodyMemoryMaxBytes)")
        #expect(shown["answerMemory"] == "\(made.answerMemoryMaxBytes)")
        #expect(shown["pageMax"] == "\(made.topMax)")
        #expect(shown["connectionsMax"] == "\(made.connectionsMax)")
        #expect(shown["idleMax"].flatMap(DurationText.duration) == made.idleTimeout)
        #expect(shown["metrics"] == "\(made.servesMetrics)")
        #expect(made.rateLimit == nil && made.rules == nil && made.tls == nil)
        try made.check()
    }

    @Test(
        arguments: [
            (
                ["port": 70_000],
                "'port' cannot be '70000': it takes a whole number from 0 to 65535."
            ),
            (["port": "http"], "'port' cannot be 'http': it takes a whole number from 0 to 65535."),
            (["bodyMax": 0], "'bodyMax' cannot be '0'"), (["rate": 0.0], "'rate' cannot be '0.0'"),
            (["rate": .double(.nan)], "'rate'"),
            (["idleMax": "soon"], "'idleMax' cannot be 'soon'"),
            (["idleMax": "2d"], "'idleMax'"), (["versionWhenMissing": "4"], "it takes 2 or 3."),
            (["host": ""], "'host' needs a text that is not empty, and got nothing."),
            (["hostName": .stringArray(["a", ""])], "'hostName'"),
            (["metrics": "perhaps"], "'metrics' cannot be 'perhaps': it takes true or false."),
            (["burst": 3], "'burst' is part of the limit that 'rate' sets; give both."),
            (["tlsKey": "k.pem"], "'tlsCertificate' and 'tlsKey' need each other."),
            (["jwks": "a", "secretFile": "b"], "'jwks' and 'secretFile' exclude each other."),
            (["secretFile": "a", "jwtSecret": "b"], "and 'jwtSecret' exclude each other."),
            (["jwtSecret": "a"], "'anonymous' beside 'jwtSecret' needs 'rules'"),
            (["issuer": "x"], "which 'anonymous' alone does not look at"),
            (["jwks": "k.json"], "needs 'rules' that say"),
            (["anonymous": false], "Say how clients show who they are"),
            (["corsOrigin": .stringArray(["*", "x"])], "'corsOrigin' '*' is for all"),
            (["secretFile": "/nowhere/secret"], "'/nowhere/secret' cannot be read"),
        ] as [([String: ConfigContent], String)])
    func `that are bad are named with what is right`(
        values: [String: ConfigContent], sentence: String
    ) async throws {
        let error = await #expect(throws: ServerError.self) {
            try await Self.configuration(["anonymous": true].merging(values) { $1 })
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }

    @Test func `may be whole numbers and single texts where a reader of JSON gives those`()
        async throws
    {
        let configuration = try await Self.configuration([
            "anonymous": true, "idleMax": 90, "versionWhenMissing": 2, "hostName": "a.example",
        ])
        #expect(configuration.idleTimeout == .seconds(90))
        #expect(configuration.versionWhenMissing == .version2)
        #expect(configuration.hostNames == ["a.example"])
    }

    @Test func `need a directory where no store is given`() async throws {
        let error = await #expect(throws: ServerError.self) {
            try await ServerConfiguration(reader: Self.reader(["anonymous": true]))
        }
        #expect(error?.message.contains("'directory'") == true)
        let store = ServerStore.directory(URL(fileURLWithPath: "/nowhere", isDirectory: true))
        let configuration = try await ServerConfiguration(
            reader: Self.reader(["anonymous": true]), store: store)
        #expect(configuration.port == 8_080)
    }

    @Test func `that are secret are in no error`() async throws {
        let error = await #expect(throws: ServerError.self) {
            try await Self.configuration(["jwtSecret": .int(4_711)])
        }
        #expect(error?.message.contains("'jwtSecret'") == true)
        #expect(error?.message.contains("4711") == false)
    }

    @Test func `come from the environment under a prefix as with any other reader`() async throws {
        let reader = ConfigReader(
            provider: EnvironmentVariablesProvider(environmentVariables: [
                "SETTLE_DIRECTORY": "/nowhere", "SETTLE_ANONYMOUS": "yes",
                "SETTLE_BODY_MAX": "1000", "SETTLE_HOST_NAME": "a.example, b.example",
            ]))
        let configuration = try await ServerConfiguration(reader: reader.scoped(to: "settle"))
        #expect(configuration.bodyMaxBytes == 1_000)
        #expect(configuration.hostNames == ["a.example", "b.example"])
        #expect(ServerSetting.all.map(\.variable).contains("SETTLE_BODY_MAX"))
    }

    @Test func `are all in the guide`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(
            contentsOf: root.appendingPathComponent("Docs/Guides/ServerOperation.md"),
            encoding: .utf8)
        for setting in ServerSetting.all {
            let option = setting.option.map { "`\($0)`" } ?? "none"
            let standard = setting.standard.map { "`\($0)`" } ?? ""
            let row = "| `\(setting.key)` | \(option) | \(standard) |"
            #expect(guide.contains(row), "\(row)")
        }
    }
}
