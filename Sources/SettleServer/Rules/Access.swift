import Settle

/// What of a table is whose: by the rules, or without any by the claim `channels`.
struct Access: Sendable {
    /// Nil when there are none.
    var rules: AccessRules?

    /// The paths that a table is to have indexes on.
    func indexes(of table: TableName) -> [[String]] {
        rules?.indexes(of: table) ?? []
    }

    /// What of a table is a sender's.
    ///
    /// Without rules the claim `channels`, an array of strings, is what the sender may read and
    /// write, and one who has no such claim may everything.
    ///
    /// - Throws: ``Problem`` 401 for a claim `channels` of another kind when there are no rules, so
    ///   that a slip of the issuer never widens the rights.
    func identity(of sender: Sender, in table: TableName) throws(Problem) -> Identity {
        try identity(of: sender, named: table.text)
    }

    /// What of a table, or of a database of CouchDB's protocol, is a sender's, by its name.
    func identity(of sender: Sender, named name: String) throws(Problem) -> Identity {
        if let rules { return rules.rule(named: name).identity(of: sender) }
        guard let claim = sender.claims?["channels"] else {
            return Identity(subject: sender.subject, readable: nil, writable: nil)
        }
        let channels = claim.arrayValue?.compactMap(\.stringValue)
        guard let channels, channels.count == claim.arrayValue?.count else {
            throw Authenticator.problem(
                "The claim 'channels' of the token is not an array of strings.")
        }
        return Identity(
            subject: sender.subject, readable: Set(channels), writable: Set(channels))
    }
}
