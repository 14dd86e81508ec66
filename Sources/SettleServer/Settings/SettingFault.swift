/// A setting, or some that do not go together, with which no server starts.
package struct SettingFault: Error {
    /// Whether each value is fine by itself.
    package let isCombination: Bool
    /// The settings that it is about.
    package let settings: [ServerSetting]
    /// Which settings, where they come from, and what is right.
    package let message: String
}

/// Where a value comes from.
package struct SettingOrigin: Sendable, Hashable {
    /// How far up it is: 0 for what overrides everything else; nil for what is set nowhere.
    package var rank: Int?
    /// What the setting is called there.
    package var name: String

    /// - Parameters:
    ///   - rank: How far up it is.
    ///   - name: What the setting is called there.
    package init(rank: Int?, name: String) {
        self.rank = rank
        self.name = name
    }
}
