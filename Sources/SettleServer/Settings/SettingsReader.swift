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
        let text = try await value(setting) {
            try await reader.fetchString(forKey: $0, isSecret: setting.isSecret)
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
        let texts = try await value(setting) {
            try await reader.fetchStringArray(forKey: $0, isSecret: setting.isSecret)
        }
        guard texts?.contains("") != true else { throw await fault(of: setting) }
        return texts ?? []
    }

    /// Which of two settings that exclude each other counts: what is set further up overrides the other.
    ///
    /// - Throws: ``SettingFault`` when both are set in one place.
    package func choice(
        _ first: ServerSetting, _ second: ServerSetting
    ) async throws(SettingFault) -> (ServerSetting, String)? {
        let values = (try await text(first), try await text(second))
        switch values {
        case (nil, nil): return nil
        case (let value?, nil): return (first, value)
        case (nil, let value?): return (second, value)
        case (let one?, let other?):
            if isSet(first, furtherUpThan: second) { return (first, one) }
            guard isSet(second, furtherUpThan: first) else {
                throw combination(
                    [first, second], "\(name(first)) and \(name(second)) exclude each other.")
            }
            return (second, other)
        }
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
