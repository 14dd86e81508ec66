public import Configuration
import Foundation

extension ServerConfiguration {
    /// A configuration as the settings of swift-configuration say, by the keys that `settle serve` has.
    ///
    /// What is not set has the default of the tool, which the guide `ServerOperation.md` lists with all keys.
    /// Of providers the first that has a key counts. Secrets are read as such, so no access reporter shows them.
    ///
    /// ```swift
    /// let settings = ConfigReader(providers: [EnvironmentVariablesProvider(), file])
    /// let configuration = try await ServerConfiguration(reader: settings.scoped(to: "settle"))
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The settings, each as a key of its own; with `scoped(to:)` they may be among others.
    ///   - store: Where the tables are kept; nil for the directory that the key `directory` names. The key
    ///     `postgres` is looked at by the tool alone.
    /// - Throws: ``ServerError`` with `invalidConfiguration` that names the key and says what is right, for a
    ///   bad value, values that do not go together, and files of secrets or rules that cannot be used.
    public init(reader: ConfigReader, store: ServerStore? = nil) async throws {
        do {
            try await self.init(SettingsReader(reader), store: store)
        } catch let fault as SettingFault {
            throw ServerError(.invalidConfiguration, fault.message)
        }
    }

    /// A configuration as settings say.
    ///
    /// - Throws: ``SettingFault``; ``ServerError`` for files that cannot be used.
    package init(_ settings: SettingsReader, store: ServerStore?) async throws {
        var chosen = store
        if chosen == nil, let directory = try await settings.text(.directory) {
            chosen = .directory(URL(fileURLWithPath: directory, isDirectory: true))
        }
        guard let chosen else {
            throw settings.combination(
                [.directory],
                "Say where the tables are kept: \(settings.name(.directory)) names a folder.")
        }
        self.init(
            store: chosen, host: try await settings.text(.host) ?? "127.0.0.1",
            port: try await settings.number(.port) ?? 8_080,
            authentication: try await Self.authentication(settings),
            bodyMaxBytes: try await settings.number(.bodyMax) ?? 20 << 20,
            attachmentMaxBytes: try await settings.number(.attachmentMax) ?? 256 << 20)
        rules = try await settings.text(.rules).map {
            try AccessRules(contentsOf: URL(fileURLWithPath: $0))
        }
        tls = try await Self.tls(settings)
        versionWhenMissing = try await settings.text(.versionWhenMissing).map {
            $0 == "2" ? .version2 : .version3
        }
        servesMetrics = try await settings.flag(.metrics) ?? true
        hostNames = try await settings.list(.hostName)
        crossOriginSharing = try await Self.sharing(settings)
        try await setLimits(settings)
    }

    private mutating func setLimits(_ settings: SettingsReader) async throws(SettingFault) {
        if let bytes = try await settings.number(.bodyMemory) { bodyMemoryMaxBytes = bytes }
        if let bytes = try await settings.number(.answerMemory) { answerMemoryMaxBytes = bytes }
        if let count = try await settings.number(.pageMax) { topMax = count }
        // A page without $top has up to 100 items, which a low limit must not forbid.
        if topMax < 100 { pageSizeDefault = min(topMax, 50) }
        let burst = try await settings.number(.burst)
        rateLimit = try await settings.rate(.rate).map {
            RateLimit(requestsPerSecond: $0, burst: burst)
        }
        guard burst == nil || rateLimit != nil else {
            throw settings.combination(
                [.burst, .rate],
                "\(settings.name(.burst)) is part of the limit that \(settings.name(.rate)) sets; "
                    + "give both.")
        }
        if let count = try await settings.number(.connectionsMax) { connectionsMax = count }
        if let time = try await settings.duration(.idleMax) { idleTimeout = time }
    }

    private static func tls(_ settings: SettingsReader) async throws(SettingFault) -> TLSFiles? {
        let certificate = try await settings.text(.tlsCertificate)
        let key = try await settings.text(.tlsKey)
        guard let certificate, let key else {
            guard certificate == nil, key == nil else {
                throw settings.combination(
                    [.tlsCertificate, .tlsKey],
                    "\(settings.name(.tlsCertificate)) and \(settings.name(.tlsKey)) need each other."
                )
            }
            return nil
        }
        return TLSFiles(
            certificate: URL(fileURLWithPath: certificate), key: URL(fileURLWithPath: key))
    }

    private static func sharing(
        _ settings: SettingsReader
    ) async throws(SettingFault) -> CrossOriginSharing? {
        let origins = try await settings.list(.corsOrigin)
        guard !origins.contains("*") || origins.count == 1 else {
            throw settings.combination(
                [.corsOrigin],
                "\(settings.name(.corsOrigin)) '*' is for all; leave the others out.")
        }
        if origins.isEmpty { return nil }
        return origins == ["*"] ? .allOrigins : .origins(origins)
    }

    private static func authentication(_ settings: SettingsReader) async throws -> Authentication {
        let keys = try await settings.choice(.jwks, .secretFile, .jwtSecret)
        let issuer = try await settings.text(.issuer)
        let audience = try await settings.text(.audience)
        if try await isOpen(settings) {
            guard issuer == nil, audience == nil else {
                let named = [ServerSetting.issuer, .audience]
                throw settings.combination(
                    named,
                    "\(named.map(settings.name).joined(separator: " and ")) are about tokens, which "
                        + "\(settings.name(.anonymous)) alone does not look at; give "
                        + "\(settings.name(.jwks)) or \(settings.name(.secretFile)) too.")
            }
            return .anonymous
        }
        guard let (key, value) = keys else {
            throw settings.combination(
                [.secretFile, .jwks, .jwtSecret, .anonymous],
                "Say how clients show who they are: with tokens "
                    + "(\(settings.name(.secretFile)), \(settings.name(.jwks)), or "
                    + "\(settings.name(.jwtSecret))) or not at all "
                    + "(\(settings.name(.anonymous))).")
        }
        let way: Authentication =
            switch key {
            case .secretFile: .jwt(secret: try SecretFile.read(value))
            case .jwtSecret: .jwt(secret: value)
            default: try keySet(at: value, settings)
            }
        let expecting = way.expecting(issuer: issuer, audience: audience)
        guard try await settings.flag(.anonymous) == true else { return expecting }
        guard try await settings.text(.rules) != nil else {
            throw settings.combination(
                [.anonymous, key, .rules],
                "\(settings.name(.anonymous)) beside \(settings.name(key)) needs "
                    + "\(settings.name(.rules)) that say what those without a token may do; else "
                    + "take one of the two away.")
        }
        return expecting.allowingAnonymous()
    }

    /// Whether no key counts beside `anonymous`, as there is none or a secret alone, further down than that.
    ///
    /// A variable that is always there does not keep an option from opening a server.
    private static func isOpen(_ settings: SettingsReader) async throws(SettingFault) -> Bool {
        guard try await settings.flag(.anonymous) == true else { return false }
        for setting in [ServerSetting.jwks, .secretFile] {
            if try await settings.text(setting) != nil { return false }
        }
        return try await settings.text(.jwtSecret) == nil
            || settings.isSet(.anonymous, furtherUpThan: .jwtSecret)
    }

    private static func keySet(
        at place: String, _ settings: SettingsReader
    ) throws(SettingFault) -> Authentication {
        guard place.contains("://") else {
            return .jwt(keySetFile: URL(fileURLWithPath: place))
        }
        guard let url = URL(string: place) else {
            throw settings.combination(
                [.jwks],
                "\(settings.name(.jwks)) is no address. It takes one such as "
                    + "https://login.example.com/keys.json, or the name of a file.")
        }
        return .jwt(keySetURL: url)
    }
}
