/// What an account of the model begins with.
package struct AccountConfiguration: Sendable {
    /// The key of the emulator, which is public.
    package static let emulatorKey =
        "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

    /// The name of the account.
    package var name = "localhost"
    /// The keys that allow everything, in base64.
    package var keys = [Self.emulatorKey]
    /// The keys that allow reading, in base64.
    package var readOnlyKeys: [String] = []
    /// The tokens of Microsoft Entra ID that are accepted.
    package var accessTokens: [String: AccessToken] = [:]
    /// Where identifiers and etags come from.
    package var seed: UInt64 = 1
    /// How many ranges a new collection has; more when its throughput needs them.
    package var rangeCount = 1
    /// The items of a page when the request names no number.
    package var pageSize = 100
    /// How far a request's date may be from the clock; nil for any distance.
    package var dateToleranceSeconds: Double?
    /// The consistency of reads that ask for none.
    package var consistency = "Session"
    /// Whether ORDER BY of several members is refused without a composite index of them, as the service does.
    package var needsCompositeIndexes = true
    /// What scripts do.
    package var scripts = ScriptTable()

    /// An account with the emulator's key.
    package init() {}
}
