import Settle

/// Which channels somebody may read and write, and who that is.
struct Grant: Sendable, Equatable {
    /// What the token must claim: name -> the values of which it must have one; all must hold.
    var conditions: [String: [JSONValue]] = [:]
    /// Whether senders without a token have it, too.
    var isForAnonymous = false
    var read: [ChannelTemplate] = []
    var write: [ChannelTemplate] = []

    /// Whether a sender has this grant.
    func holds(for sender: Sender) -> Bool {
        guard let claims = sender.claims else { return isForAnonymous }
        return conditions.allSatisfy { name, accepted in
            guard let claim = claims[name] else { return false }
            let claimed = claim.arrayValue ?? [claim]
            return accepted.contains(where: claimed.contains)
        }
    }
}
