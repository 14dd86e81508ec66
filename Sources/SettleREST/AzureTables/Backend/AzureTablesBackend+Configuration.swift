public import SettleSync

extension AzureTablesBackend {
    /// The names that ``/SettleSync/ReplicationConfiguration/options`` may have for this back-end.
    public enum OptionName {
        /// A token, a `String`.
        public static let token = "token"
        /// A ``TokenProvider``, in the place of a token.
        public static let tokenProvider = "tokenProvider"
        /// An ``HTTPTransport``.
        public static let transport = "transport"
        /// How long a request may stay without a response, in seconds: a `Double` or an `Int`.
        public static let timeoutSeconds = "timeoutSeconds"
        /// An ``ODataPredicate``: which rows to pull.
        public static let filter = "filter"
        /// A ``AzureTablesBackend/Dialect``: what the server speaks.
        public static let dialect = "dialect"
        /// A ``AzureTablesBackend/Paging``: how a pull gets from page to page.
        public static let paging = "paging"
        /// How long a row may take from its time to its commit, in seconds: a `Double` or an `Int`.
        public static let safetyWindowSeconds = "safetyWindowSeconds"
        /// An array of ``HTTPInterceptor``: who sees every request and answer.
        public static let interceptors = "interceptors"
        /// A `Bool`: whether attachments travel; without it they do if the server announces that it
        /// has them, as `settle serve` does.
        public static let carriesAttachments = "carriesAttachments"

        /// A `[String: String]`: what else stands in the query of every request that fetches rows,
        /// for servers with parameters of their own; see ``TableQuery/parameters``.
        public static let parameters = "parameters"

        /// All of them.
        static let all = [
            token, tokenProvider, transport, timeoutSeconds, filter, dialect, paging,
            safetyWindowSeconds, interceptors, carriesAttachments, parameters,
        ]
    }

    /// The table that a configuration names by its URL and options.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL is no table's address, or
    ///   an option is unknown or of another type.
    public init(_ configuration: ReplicationConfiguration) throws(ReplicationError) {
        try self.init(configuration, asking: TableQuery())
    }

    /// The table that a configuration names, and which of its rows to fetch.
    ///
    /// - Throws: As ``init(_:)``, and when the query cannot be asked.
    init(
        _ configuration: ReplicationConfiguration, asking query: TableQuery
    ) throws(ReplicationError) {
        var options = OptionReader(configuration.options, names: OptionName.all)
        let token = try options.take(OptionName.token, as: String.self)
        var provider = try options.take(OptionName.tokenProvider, as: (any TokenProvider).self)
        var transport = try options.take(OptionName.transport, as: (any HTTPTransport).self)
        let timeout = try options.takeNumber(OptionName.timeoutSeconds)
        let filter = try options.take(OptionName.filter, as: ODataPredicate.self)
        let dialect = try options.take(OptionName.dialect, as: Dialect.self)
        let paging = try options.take(OptionName.paging, as: Paging.self)
        let window = try options.takeNumber(OptionName.safetyWindowSeconds)
        let interceptors = try options.take(OptionName.interceptors, as: [any HTTPInterceptor].self)
        let carriesAttachments = try options.take(OptionName.carriesAttachments, as: Bool.self)
        let parameters = try options.take(OptionName.parameters, as: [String: String].self)
        try options.finish()
        if let timeout, !(timeout > 0 && timeout.isFinite) {
            throw ReplicationError(
                .misconfigured,
                "The replication option '\(OptionName.timeoutSeconds)' has to be above 0.")
        }
        if let window, !(window >= 0 && window <= RESTTuning.safetyWindowSecondsMax) {
            throw ReplicationError(
                .misconfigured,
                "The replication option '\(OptionName.safetyWindowSeconds)' has to be from 0 to "
                    + "\(Int(RESTTuning.safetyWindowSecondsMax)).")
        }
        if provider == nil, let token { provider = FixedToken(text: token) }
        if transport == nil {
            let connections = max(1, configuration.concurrentRequestsMax)
            transport = URLSessionTransport(
                timeoutSeconds: timeout ?? 60, connectionCountMax: connections)
        }
        if let interceptors, !interceptors.isEmpty, let base = transport {
            transport = InterceptedTransport(base, interceptors: interceptors)
        }
        try self.init(
            url: configuration.url, tokenProvider: provider, transport: transport, filter: filter,
            dialect: dialect, paging: paging ?? .keyset,
            safetyWindow: window.map { .seconds($0) },
            carriesAttachments: carriesAttachments)
        if let parameters { try narrow(to: TableQuery(parameters: parameters)) }
        try narrow(to: query)
        if let timeout, timeout < 2 * Double(listeningSeconds) {
            // The server has to speak up before the transport gives up.
            listeningSeconds = Int(timeout / 2)
        }
    }
}
