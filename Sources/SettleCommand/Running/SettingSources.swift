import ArgumentParser
import Configuration
import SettlePrimitives
import SettleServer
import Synchronization

/// Where settings come from, highest first: options, the environment, a file; and which came from where.
final class SettingSources: AccessReporter {
    /// The places.
    enum Place: Int {
        case options, environment, file

        var name: String {
            switch self {
            case .options: "option"
            case .environment: "environment"
            case .file: "file"
            }
        }
    }

    /// What was found for a setting.
    struct Found: Sendable {
        var place: Place
        /// The value as text; nil for a secret.
        var text: String?
    }

    private let found = Lock<[String: Found]>([:])
    private let filePath: String?

    /// - Parameter filePath: The file, when there is one.
    private init(filePath: String?) {
        self.filePath = filePath
    }

    /// The variable that names the file.
    static let fileVariable = "SETTLE_CONFIG"

    /// The settings of all places.
    ///
    /// A variable that is empty counts as one that is not there.
    ///
    /// - Parameters:
    ///   - options: What was given on the command line.
    ///   - file: The file that was named there; nil for the one of the environment.
    ///   - environment: The environment of the process.
    /// - Returns: What reads them, and what knows afterwards where each came from.
    /// - Throws: ``CommandFailure`` for a file that cannot be used.
    static func settings(
        _ options: [ServerSetting: ConfigContent?], file: String?, environment: [String: String]
    ) throws -> (reader: SettingsReader, sources: SettingSources) {
        let variables = environment.filter { !$0.value.isEmpty }
        let path = file ?? variables[fileVariable]
        let sources = SettingSources(filePath: path)
        let inFile = try path.map { try SettingsFile($0).settings } ?? [:]
        let known = ServerSetting.all.compactMap { setting in
            variables[setting.variable].map { (setting, $0) }
        }
        let secret = SecretsSpecifier<String, String>.specific(
            Set(known.filter { isSecret($0, $1) }.map(\.0.variable)))
        let reader = ConfigReader(
            providers: [
                provider(options.compactMapValues { $0 }),
                EnvironmentVariablesProvider(
                    environmentVariables: Dictionary(
                        uniqueKeysWithValues: known.map { ($0.variable, $1) }),
                    secretsSpecifier: secret
                ).prefixKeys(with: "settle"),
                provider(inFile),
            ], accessReporter: sources)
        return (SettingsReader(reader) { sources.origin(of: $0) }, sources)
    }

    /// What to say of variables that may be meant to be settings and are none.
    ///
    /// - Parameter environment: The environment of the process.
    /// - Returns: A sentence for each variable that is one of ours but for a slip, in their order.
    static func misspellings(in environment: [String: String]) -> [String] {
        let known = ServerSetting.all.map(\.variable) + [fileVariable]
        let prefix = ServerSetting.variablePrefix
        return environment.keys.sorted()
            .filter { $0.hasPrefix(prefix) && !known.contains($0) }
            .compactMap { name in
                Misspelling.nearest(to: name, among: known).map {
                    "The variable \(ScreenText.printable(name)) is no setting. Did you mean \($0)?"
                }
            }
    }

    /// Whether a value is not to be shown: a secret, or an address with a password or a query.
    private static func isSecret(_ setting: ServerSetting, _ text: String?) -> Bool {
        guard let text, text.contains("://") else { return setting.isSecret }
        return setting.isSecret || StoreArgument.withoutPassword(text) != text
    }

    private static func provider(_ settings: [ServerSetting: ConfigContent]) -> InMemoryProvider {
        InMemoryProvider(
            values: Dictionary(
                uniqueKeysWithValues: settings.map { setting, content in
                    (
                        AbsoluteConfigKey([setting.key]),
                        ConfigValue(content, isSecret: isSecret(setting, Self.text(of: content)))
                    )
                }))
    }

    func report(_ event: AccessEvent) {
        guard let key = event.metadata.key.components.last,
            let place = Place(rawValue: event.providerResults.count - 1),
            let result = event.providerResults.last?.result
        else { return }
        switch result {
        case .success(let lookup):
            guard let value = lookup.value else { return }
            let text = value.isSecret ? nil : Self.text(of: value.content)
            found.withLock { $0[key] = Found(place: place, text: text) }
        case .failure: found.withLock { $0[key] = Found(place: place) }
        }
    }

    private static func text(of content: ConfigContent) -> String? {
        switch content {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .stringArray(let texts): texts.joined(separator: ",")
        default: nil
        }
    }

    /// What was found for a setting that was read; nil when it is set nowhere.
    func found(_ setting: ServerSetting) -> Found? { found.withLock { $0[setting.key] } }

    /// Where a setting that was read comes from, as its owner calls it.
    func origin(of setting: ServerSetting) -> SettingOrigin {
        let place = found(setting)?.place
        let name =
            switch place {
            case .environment: setting.variable
            case .file: "'\(setting.key)' in '\(filePath ?? "")'"
            case .options, nil: setting.option ?? setting.variable
            }
        return SettingOrigin(rank: place?.rawValue, name: name)
    }

    /// The error for a fault: of the command line when it is one of options, or of what is not set at all.
    func error(for fault: SettingFault) -> any Error {
        let places = fault.settings.compactMap { found($0)?.place }
        let isOfOptions = places.isEmpty || places.contains(.options)
        return fault.isCombination && isOfOptions
            ? ValidationError(fault.message) : CommandFailure(fault.message)
    }
}
