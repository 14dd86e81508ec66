package import Configuration

/// Reads settings, and says of a bad one where it comes from and what is right.
package struct SettingsReader: Sendable {
    private let reader: ConfigReader
    private let origin: @Sendable (ServerSetting) -> SettingOrigin

    /// - Parameters:
    ///   - reader: Where the settings are, by their keys.
    ///   - origin: Where the value of a setting that was read comes from.
    package init(
        _ reader: ConfigReader,
        origin: @escaping @Sendable (ServerSetting) -> SettingOrigin = {
            SettingOrigin(rank: 0, name: "'\($0.key)'")
        }
    ) {
        self.reader = reader
        self.origin = origin
    }

    /// A text; nil when it is not set.
    ///
    /// - Throws: ``SettingFault`` for an empty one, and for what is none.
    package func text(_ setting: ServerSetting) async throws(SettingFault) -> String? {
        let text = try await value(setting) { key in
            do {
                return try await reader.fetchString(forKey: key, isSecret: setting.isSecret)
            } catch {
                // `90` of a JSON file is a number for its provider.
                guard setting.mayBeNumber else { throw error }
                return try await reader.fetchInt(forKey: key).map { "\($0)" }
            }
        }
        guard text?.isEmpty != true else {
            throw fault(
                of: [setting],
                "\(name(setting)) needs \(setting.expectation), and got nothing.")
        }
        if let text, case .choice(let words) = setting.kind, !words.contains(text) {
            throw await fault(of: setting)
        }
        return text
    }

    /// Whether something is switched on; nil when it is not set.
    ///
    /// - Throws: ``SettingFault`` for what is neither true nor false.
    package func flag(_ setting: ServerSetting) async throws(SettingFault) -> Bool? {
        try await value(setting) {
            try await reader.fetchBool(forKey: $0, isSecret: setting.isSecret)
        }
    }

    /// A whole number; nil when it is not set.
    ///
    /// - Throws: ``SettingFault`` for one out of its range, and for what is none.
    package func number(_ setting: ServerSetting) async throws(SettingFault) -> Int? {
        let number = try await value(setting) {
            try await reader.fetchInt(forKey: $0, isSecret: setting.isSecret)
        }
        if let number, case .number(let range) = setting.kind, !range.contains(number) {
            throw await fault(of: setting, "\(number)")
        }
        return number
    }

    /// A number more than 0; nil when it is not set.
    ///
    /// - Throws: ``SettingFault`` for one out of its range, and for what is none.
    package func rate(_ setting: ServerSetting) async throws(SettingFault) -> Double? {
        let rate = try await value(setting) {
            try await reader.fetchDouble(forKey: $0, isSecret: setting.isSecret)
        }
        if let rate, !(rate > 0 && rate <= 1_000_000) { throw await fault(of: setting, "\(rate)") }
        return rate
    }

    /// A length of time; nil when it is not set.
    ///
    /// - Throws: ``SettingFault`` for what is none.
    package func duration(_ setting: ServerSetting) async throws(SettingFault) -> Duration? {
        guard let text = try await text(setting) else { return nil }
        guard let duration = DurationText.duration(text), duration <= .seconds(86_400) else {
            throw await fault(of: setting)
        }
        return duration
    }

    /// Several texts; empty when it is not set.
    ///
    /// - Throws: ``SettingFault`` for a text among them that is empty, and for what is no list.
    package func list(_ setting: ServerSetting) async throws(SettingFault) -> [String] {
        let texts = try await value(setting) { key in
            do {
                return try await reader.fetchStringArray(forKey: key, isSecret: setting.isSecret)
            } catch {
                return try await reader.fetchString(forKey: key).map { [$0] }
            }
        }
        guard texts?.contains("") != true else { throw await fault(of: setting) }
        return texts ?? []
    }

    /// Which of some settings that exclude each other counts: what is set further up overrides the others.
    ///
    /// - Throws: ``SettingFault`` when two are set in one place, with nothing further up.
    package func choice(
        _ settings: ServerSetting...
    ) async throws(SettingFault) -> (ServerSetting, String)? {
        var chosen: (ServerSetting, String)?
        var other: ServerSetting?
        for setting in settings {
            guard let text = try await text(setting) else { continue }
            guard let before = chosen?.0, !isSet(setting, furtherUpThan: before) else {
                (chosen, other) = ((setting, text), nil)
                continue
            }
            if !isSet(before, furtherUpThan: setting) { other = setting }
        }
        if let chosen, let other {
            throw combination(
                [chosen.0, other], "\(name(chosen.0)) and \(name(other)) exclude each other.")
        }
        return chosen
    }

    /// Whether one of two settings that were read comes from a place that counts before the other's.
    package func isSet(_ first: ServerSetting, furtherUpThan second: ServerSetting) -> Bool {
        (origin(first).rank ?? 0) < (origin(second).rank ?? 0)
    }

    /// What a setting is called where its value comes from.
    package func name(_ setting: ServerSetting) -> String { origin(setting).name }

    /// The fault of settings that do not go together.
    package func combination(_ settings: [ServerSetting], _ message: String) -> SettingFault {
        SettingFault(isCombination: true, settings: settings, message: message)
    }

    private func fault(of settings: [ServerSetting], _ message: String) -> SettingFault {
        SettingFault(isCombination: false, settings: settings, message: message)
    }

    /// The fault of a value that is not what it has to be.
    private func fault(of setting: ServerSetting, _ shown: String? = nil) async -> SettingFault {
        var shown = shown
        if shown == nil, !setting.isSecret {
            // Whatever it is, a text is often how it was given.
            shown = try? await reader.fetchString(forKey: ConfigKey([setting.key]))
        }
        let value = shown.map { "'\($0.prefix(80))'" } ?? "what it is"
        return fault(
            of: [setting],
            "\(name(setting)) cannot be \(value): it takes \(setting.expectation).")
    }

    private func value<Value>(
        _ setting: ServerSetting, _ fetch: (ConfigKey) async throws -> Value?
    ) async throws(SettingFault) -> Value? {
        do {
            return try await fetch(ConfigKey([setting.key]))
        } catch {
            throw await fault(of: setting)
        }
    }
}
