/// A version of the table protocol that servers are asked for by its number.
///
/// Version 1, of Azure Mobile Services, has none.
package enum TableVersion: Int, Sendable, CaseIterable {
    /// Azure Mobile Apps: `2.0.0`.
    case version2 = 2
    /// Datasync, of Azure Mobile Apps 6 and of the Community Toolkit: `3.0.0`.
    case version3 = 3

    /// What `ZUMO-API-VERSION` says, `2.0.0` for example.
    package var text: String { "\(rawValue).0.0" }

    /// Reads what a request names: `2.0.` or `3.0.` and a number; nil for anything else.
    package init?(text: some StringProtocol) {
        let patch = text.utf8.dropFirst(4)
        guard let version = Self.allCases.first(where: { text.hasPrefix("\($0.rawValue).0.") }),
            !patch.isEmpty, patch.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self = version
    }
}
