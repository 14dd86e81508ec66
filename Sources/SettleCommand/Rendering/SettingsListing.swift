import Settle
import SettleServer

/// All settings of a server with their values in effect and where those come from.
struct SettingsListing {
    /// One setting.
    private struct Entry {
        var setting: ServerSetting
        var value: String?
        var source: String
    }

    private let entries: [Entry]

    /// Reads every setting.
    ///
    /// - Throws: `SettingFault` for one whose value is not what it has to be.
    init(_ reader: SettingsReader, _ sources: SettingSources) async throws {
        var entries: [Entry] = []
        for setting in ServerSetting.all {
            switch setting.kind {
            case .text, .choice: _ = try await reader.text(setting)
            case .flag: _ = try await reader.flag(setting)
            case .number: _ = try await reader.number(setting)
            case .rate: _ = try await reader.rate(setting)
            case .duration: _ = try await reader.duration(setting)
            case .list: _ = try await reader.list(setting)
            }
            let found = sources.found(setting)
            let shown = found.map { $0.text ?? Self.masked } ?? setting.standard
            entries.append(
                Entry(setting: setting, value: shown, source: found?.place.name ?? "default"))
        }
        self.entries = entries
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
                entry.setting.key, entry.value ?? "", entry.source, entry.setting.variable,
            ])
        }
        return table.lines(on: screen)
    }

    /// The settings as a JSON object with a member for each.
    var json: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: entries.map { entry in
                    let value = entry.value.map { JSONValue.string($0) } ?? .null
                    return (entry.setting.key, ["value": value, "from": .string(entry.source)])
                }))
    }
}
