import HTTPTypes

/// What `settle serve` offers beside the table protocol, as its responses announce it.
struct ServerFeatures: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// Many operations in one request; Docs/Formats/AzureTables.md.
    static let batch = ServerFeatures(rawValue: 1)
    /// Waiting for changes.
    static let changes = ServerFeatures(rawValue: 2)
    /// Attachments of items.
    static let attachments = ServerFeatures(rawValue: 4)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reads `Settle-Features: batch, changes, removed, attachments`; nil when the response has no such header.
    ///
    /// Names that are not known mean nothing.
    init?(_ response: FullHTTPResponse) {
        guard let field = response.head.headerFields[.settleFeatures] else { return nil }
        self = []
        for name in field.split(separator: ",") {
            switch name.filter({ $0 != " " && $0 != "\t" }).lowercased() {
            case "batch": insert(.batch)
            case "changes": insert(.changes)
            case "attachments": insert(.attachments)
            default: continue
            }
        }
    }
}

extension FullHTTPResponse {
    /// Whether the server gives rows their times in the order of their commits, each later than the
    /// one before whatever its clock does, as `settle serve` does.
    var timesFollowCommits: Bool { isOfSettle }

    /// Whether the server stores items as the JSON they are, as `settle serve` does: null is a member
    /// then, and in other tables may be a column that the row has nothing in.
    var storesJSON: Bool { isOfSettle }

    private var isOfSettle: Bool {
        head.headerFields[.serverVersion]?.lowercased().hasPrefix("settle-") ?? false
    }
}
