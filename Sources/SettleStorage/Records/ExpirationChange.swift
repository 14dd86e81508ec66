package import SettleDocuments

/// What a write does to the date at which a document is purged.
package enum ExpirationChange: Sendable, Equatable {
    /// The date stays, if there is one.
    case unchanged
    /// The date becomes this one; nil for never.
    case set(Timestamp?)

    func applied(to date: Timestamp?) -> Timestamp? {
        switch self {
        case .unchanged: date
        case .set(let new): new
        }
    }
}
