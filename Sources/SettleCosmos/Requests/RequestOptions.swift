extension Cosmos {
    /// How a reader sees what others write.
    ///
    /// A request may ask for a weaker level than the account has, never for a stronger one.
    public enum ConsistencyLevel: String, Sendable, Hashable, CaseIterable {
        /// Reads see the latest committed write.
        case strong = "Strong"
        /// Reads lag by at most so many versions or so much time.
        case boundedStaleness = "BoundedStaleness"
        /// A client sees its own writes.
        case session = "Session"
        /// Reads see no gaps in the order of writes.
        case consistentPrefix = "ConsistentPrefix"
        /// Reads see any version.
        case eventual = "Eventual"
    }

    /// Whether a document that is written gets into the indexes.
    public enum IndexingDirective: String, Sendable, Hashable, CaseIterable {
        /// It does.
        case include = "Include"
        /// It does not, and only its id finds it.
        case exclude = "Exclude"
    }

    /// On which version of a resource a write depends.
    public enum WriteCondition: Sendable, Hashable {
        /// On the version of the resource that was handed in; on none when it has no etag, or the
        /// conflict strategy says so.
        case automatic
        /// On none.
        case none
        /// On this one.
        case matches(etag: String)
    }

    /// What a request may ask for beside its resource.
    public struct RequestOptions: Sendable, Hashable {
        /// A weaker consistency than the account's; nil for the account's.
        public var consistencyLevel: ConsistencyLevel?
        /// The session to read in; nil for this client's own.
        public var sessionToken: String?
        /// Whether the document gets into the indexes; nil for what the collection says.
        public var indexingDirective: IndexingDirective?
        /// On which version a replace, delete or patch depends.
        public var condition: WriteCondition = .automatic
        /// The ids of triggers that run before the write.
        public var preTriggers: [String] = []
        /// The ids of triggers that run after the write.
        public var postTriggers: [String] = []
        /// The throughput of a new database or collection, in request units a second; nil for none of its own.
        public var throughput: Int?
        /// How long what the service has sent before answers a get without a question to the service; nil for what the
        /// collection or the cache says, zero to ask.
        public var cacheLifetime: Duration?

        /// Options, none of which is set.
        public init() {}
    }
}
