public import SettleSync

extension AzureTablesBackend {
    /// The names that ``SettleSync/ReplicationConfiguration/options`` may have for this back-end.
    public enum OptionName {
        /// A token, a `String`.
        public static let token = "token"
        /// A ``TokenProvider``, in the place of a token.
        public static let tokenProvider = "tokenProvider"
        /// An ``HTTPTransport``.
        public static let transport = "transport"
        /// How long a request may stay without an answer, in seconds: a `Double` or an `Int`.
        public static let timeoutSeconds = "timeoutSeconds"
    }

    /// The table that a configuration names by its URL and options.
    ///
    /// - Throws: ``ReplicationError`` with `misconfigured` when the URL is no table's address, or
    ///   an option is unknown or of another type.
    public init(_ configuration: ReplicationConfiguration) throws(ReplicationError) {
        var options = configuration.options
        func take<Value>(
            _ name: String, as type: Value.Type
        ) throws(ReplicationError) -> Value? {
            guard let value = options.removeValue(forKey: name) else { return nil }
            guard let value = value as? Value else {
                throw ReplicationError(
                    .misconfigured,
                    "The replication option '\(name)' has to be a \(type), which it is not.")
            }
            return value
        }
        let token = try take(OptionName.token, as: String.self)
        var provider = try take(OptionName.tokenProvider, as: (any TokenProvider).self)
        var transport = try take(OptionName.transport, as: (any HTTPTransport).self)
        var timeout: Double?
        if let seconds = options[OptionName.timeoutSeconds] as? Int {
            options[OptionName.timeoutSeconds] = nil
            timeout = Double(seconds)
        } else {
            timeout = try take(OptionName.timeoutSeconds, as: Double.self)
        }
        if let unknown = options.keys.min() {
            throw ReplicationError(
                .misconfigured,
                "The replication option '\(unknown)' is not known. There are '\(OptionName.token)'"
                    + ", '\(OptionName.tokenProvider)', '\(OptionName.transport)' and "
                    + "'\(OptionName.timeoutSeconds)'.")
        }
        if let timeout, !(timeout > 0 && timeout.isFinite) {
            throw ReplicationError(
                .misconfigured,
                "The replication option '\(OptionName.timeoutSeconds)' has to be above 0.")
        }
        if provider == nil, let token { provider = FixedToken(text: token) }
        if transport == nil {
            let connections = max(1, configuration.concurrentRequestsMax)
            transport = URLSessionTransport(
                timeoutSeconds: timeout ?? 60, connectionCountMax: connections)
        }
        try self.init(url: configuration.url, tokenProvider: provider, transport: transport)
    }
}
