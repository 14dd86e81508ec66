import Settle

/// What the rules say of one table, or of all that are not named.
struct TableRule: Sendable, Equatable {
    var grants: [Grant] = []
    var operations = Set(TableOperation.allCases)
    /// The paths of indexes.
    var indexes: [[String]] = []

    /// A table that the rules do not know: nobody sees or writes anything in it.
    static let closed = TableRule()

    /// What of the table is a sender's: all that the grants give that hold for the sender.
    func identity(of sender: Sender) -> Identity {
        let grants = grants.filter { $0.holds(for: sender) }
        let claims = sender.claims ?? [:]
        return Identity(
            subject: sender.subject,
            readable: Self.channels(grants.flatMap(\.read), claims),
            writable: Self.channels(grants.flatMap(\.write), claims), operations: operations)
    }

    /// Nil for all channels.
    private static func channels(
        _ templates: [ChannelTemplate], _ claims: [String: JSONValue]
    ) -> Set<String>? {
        var channels: Set<String> = []
        for template in templates {
            if template.isEverything { return nil }
            channels.formUnion(template.channels(claims))
        }
        return channels
    }
}
