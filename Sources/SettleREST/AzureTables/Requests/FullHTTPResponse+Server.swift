import HTTPTypes
import SettleTableProtocol

extension FullHTTPResponse {
    /// What the server offers beside the table protocol; nil when the response does not say.
    var features: ServerFeatures? {
        head.headerFields[.settleFeatures].map { ServerFeatures(header: $0) }
    }

    /// Whether the server gives rows their times in the order of their commits, each later than the
    /// one before whatever its clock does, as `settle serve` does.
    var timesFollowCommits: Bool { isOfSettle }

    /// Whether the server stores items as the JSON they are, as `settle serve` does: null is a member
    /// then, and in other tables may be a column that the row has nothing in.
    var storesJSON: Bool { isOfSettle }

    private var isOfSettle: Bool {
        ServerIdentity.isSettle(head.headerFields[.serverVersion])
    }
}
