import SettlePrimitives

/// Which items a pull asks for.
public struct PullQuery: Sendable, Hashable {
    /// Only items in at least one of these channels; empty for all that the remote lets us see.
    public var channels: Set<String>
    /// Which items we are let see; see ``Backend/scope()``.
    public var scope: String
    /// A condition in the back-end's own words; see ``Backend/filter``.
    public var filter: String

    /// What the app calls the query; its tokens are kept apart from those of others.
    public var queryId: String?

    /// A query.
    public init(
        channels: Set<String> = [], scope: String = "", filter: String = "", queryId: String? = nil
    ) {
        self.channels = channels
        self.scope = scope
        self.filter = filter
        self.queryId = queryId
    }

    /// A text that is the same for equal queries and differs for others; tokens are kept under it.
    var name: String {
        // Lengths make the join unambiguous whatever is in the names.
        let names = channels.sorted().map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        // Each part says how long it is, so that no text can pass for another.
        var text = (queryId.map { Self.namePrefix(ofQueryWithId: $0) } ?? "") + "channels \(names)"
        if !scope.isEmpty { text += " scope \(scope.utf8.count):\(scope)" }
        if !filter.isEmpty { text += " filter \(filter.utf8.count):\(filter)" }
        return text
    }

    /// What the names of all queries with an identifier begin with.
    static func namePrefix(ofQueryWithId id: String) -> String { "id \(id.utf8.count):\(id) " }

    /// Whether the query asks for everything that we may see.
    var isUnlimited: Bool { channels.isEmpty && filter.isEmpty }

    /// Stands for the query in stored rows; never 0.
    var hash: UInt64 { max(1, StableHash.of(name.utf8)) }
}

/// The checkpoint after a page, in the back-end's own words.
public struct PullToken: Sendable, Hashable {
    /// The words; only the back-end that wrote them reads them.
    public var text: String

    /// A token.
    public init(_ text: String) {
        self.text = text
    }
}
