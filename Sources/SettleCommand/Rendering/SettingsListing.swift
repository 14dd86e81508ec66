import Settle
import SettleServer

/// All settings of a server with their values in effect and where those come from.
struct SettingsListing {
    /// One setting.
    private struct Entry {
        var setting: ServerSetting
        /// Its value for people; nil when there is none.
        var text: String?
        /// Its value for programs.
        var json: JSONValue
        var source: String
    }

    private let entries: [Entry]

    /// Reads every setting.
    ///
    /// - Throws: `SettingFault` for one whose value is not what it has to be.
    init(_ reader: SettingsReader, _ sources: SettingSources) async throws {
        var entries: [Entry] = []
        for setting in ServerSetting.all {
            let value = try await Self.value(of: setting, reader)
            guard let found = sources.found(setting) else {
                // The defaults of numbers and flags are JSON as they stand.
                let json = setting.standard.map { (try? JSONValue(jsonText: $0)) ?? .string($0) }
                entries.append(
                    Entry(
                        setting: setting, text: setting.standard, json: json ?? .null,
                        source: "default"))
                continue
            }
            let json = found.text == nil ? .string(Self.masked) : value
            entries.append(
                Entry(
                    setting: setting, text: found.text ?? Self.masked, json: json ?? .null,
                    source: found.place.name))
        }
        self.entries = entries
    }

    /// The value of a setting; nil when it is not set.
    private static func value(
        of setting: ServerSetting, _ reader: SettingsReader
    ) async throws -> JSONValue? {
        switch setting.kind {
        case .text, .choice: return try await reader.text(setting).map { .string($0) }
        case .flag: return try await reader.flag(setting).map { .bool($0) }
        case .number: return try await reader.number(setting).map { .integer(Int64($0)) }
        case .rate: return try await reader.rate(setting).map { .double($0) }
        case .duration:
            _ = try await reader.duration(setting)
            return try await reader.text(setting).map { .string($0) }
        case .list: return .array(try await reader.list(setting).map { .string($0) })
        }
    }

    /// What stands in the place of a secret.
    private static let masked = "(secret)"

    /// The settings as a table for people.
    func lines(on screen: Screen) -> [String] {
        var table = TextTable([
            .left("setting"), .name("value"), .left("from"), .left("variable"),
        ])
        for entry in entries {
            table.add([
                entry.setting.key, entry.text ?? "", entry.source, entry.setting.variable,
            ])
        }
        return table.lines(on: screen)
    }

    /// The settings as a JSON object with a member for each.
    var json: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: entries.map { entry in
                    (entry.setting.key, ["value": entry.json, "from": .string(entry.source)])
                }))
    }
}
