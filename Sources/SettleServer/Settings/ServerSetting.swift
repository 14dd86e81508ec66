/// A setting of a server, as a configuration names it.
package struct ServerSetting: Sendable, Hashable {
    /// What its value is.
    package enum Kind: Sendable, Hashable {
        case text
        case flag
        case number(ClosedRange<Int>)
        /// More than 0, up to a million.
        case rate
        /// Seconds, or a number with a unit.
        case duration
        /// Several texts; one text stands for a list of one.
        case list
        case choice([String])
    }

    /// Its key, in camel case.
    package let key: String
    package let kind: Kind
    /// Whether its value is never to be shown.
    package let isSecret: Bool
    /// The value when nothing is set, for people; nil when there is none.
    package let standard: String?

    private init(_ key: String, _ kind: Kind, isSecret: Bool = false, standard: String? = nil) {
        self.key = key
        self.kind = kind
        self.isSecret = isSecret
        self.standard = standard
    }

    package static let directory = ServerSetting("directory", .text)
    package static let postgres = ServerSetting("postgres", .text, isSecret: true)
    package static let host = ServerSetting("host", .text, standard: "127.0.0.1")
    package static let port = ServerSetting("port", .number(0...65_535), standard: "8080")
    package static let jwtSecret = ServerSetting("jwtSecret", .text, isSecret: true)
    package static let secretFile = ServerSetting("secretFile", .text)
    package static let jwks = ServerSetting("jwks", .text)
    package static let issuer = ServerSetting("issuer", .text)
    package static let audience = ServerSetting("audience", .text)
    package static let rules = ServerSetting("rules", .text)
    package static let anonymous = ServerSetting("anonymous", .flag, standard: "false")
    package static let hostName = ServerSetting("hostName", .list)
    package static let corsOrigin = ServerSetting("corsOrigin", .list)
    package static let tlsCertificate = ServerSetting("tlsCertificate", .text)
    package static let tlsKey = ServerSetting("tlsKey", .text)
    package static let bodyMax = ServerSetting(
        "bodyMax", .number(1...(20 << 20)), standard: "20971520")
    package static let attachmentMax = ServerSetting(
        "attachmentMax", .number(1...(1 << 40)), standard: "268435456")
    package static let bodyMemory = ServerSetting(
        "bodyMemory", .number((2 << 20)...(1 << 40)), standard: "67108864")
    package static let answerMemory = ServerSetting(
        "answerMemory", .number((2 << 20)...(1 << 40)), standard: "75497472")
    package static let pageMax = ServerSetting(
        "pageMax", .number(1...1_000_000), standard: "1000")
    package static let rate = ServerSetting("rate", .rate)
    package static let burst = ServerSetting("burst", .number(1...1_000_000))
    package static let connectionsMax = ServerSetting(
        "connectionsMax", .number(1...1_000_000), standard: "1024")
    package static let idleMax = ServerSetting("idleMax", .duration, standard: "75s")
    package static let versionWhenMissing = ServerSetting(
        "versionWhenMissing", .choice(["2", "3"]))
    package static let metrics = ServerSetting("metrics", .flag, standard: "true")
    package static let verbose = ServerSetting("verbose", .flag, standard: "false")
    package static let logFormat = ServerSetting(
        "logFormat", .choice(["text", "json"]), standard: "text")

    /// All settings, in the order of the guide; the last two are of the tool alone.
    package static let all: [ServerSetting] = [
        directory, postgres, host, port, jwtSecret, secretFile, jwks, issuer, audience, rules,
        anonymous, hostName, corsOrigin, tlsCertificate, tlsKey, bodyMax, attachmentMax, bodyMemory,
        answerMemory, pageMax, rate, burst, connectionsMax, idleMax, versionWhenMissing, metrics,
        verbose, logFormat,
    ]

    /// Whether a whole number stands for its text.
    var mayBeNumber: Bool {
        switch kind {
        case .duration: true
        case .choice(let words): words.contains { Int($0) != nil }
        case .text, .flag, .number, .rate, .list: false
        }
    }

    /// The words of the key, in lower case.
    private var words: [String] {
        key.reduce(into: [""]) { words, character in
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
    }

    /// Its option on the command line; nil for a secret that would show in the list of processes.
    package var option: String? {
        self == .jwtSecret ? nil : "--" + words.joined(separator: "-")
    }

    /// Its variable in the environment.
    package var variable: String {
        Self.variablePrefix + words.joined(separator: "_").uppercased()
    }

    /// What all variables begin with.
    package static let variablePrefix = "SETTLE_"

    /// What a value has to be, as the end of a sentence.
    package var expectation: String {
        switch kind {
        case .text: "a text that is not empty"
        case .flag: "true or false"
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .rate: "a number more than 0 and at most 1000000"
        case .duration:
            "a length of time from a second to a day: seconds, or a number with s, m or h, such as 15m"
        case .list: "a list of texts"
        case .choice(let words): words.joined(separator: " or ")
        }
    }
}
