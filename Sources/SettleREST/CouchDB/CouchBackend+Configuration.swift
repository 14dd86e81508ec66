import Foundation
import Settle
public import SettleSync

extension CouchBackend {
    /// The names that ``/SettleSync/ReplicationConfiguration/options`` may have for this back-end.
    public enum OptionName {
        /// A name, a `String`; with ``password``.
        public static let user = "user"
        /// A password, a `String`: a session is begun with it or, where the server has none, it goes with each
        /// request.
        public static let password = "password"
        /// A token that goes as `Bearer`, a `String`.
        public static let token = "token"
        /// A ``TokenProvider``, in the place of a token.
        public static let tokenProvider = "tokenProvider"
        /// An ``HTTPTransport``.
        public static let transport = "transport"
        /// How long a request may stay without a response, in seconds: a `Double` or an `Int`.
        public static let timeoutSeconds = "timeoutSeconds"
        /// An array of ``HTTPInterceptor``: who sees every request and answer.
        public static let interceptors = "interceptors"
        /// A `Bool`: whether the remote database is made when it is not there; false unless given.
        public static let createsDatabase = "createsDatabase"
        /// A `Bool`: whether bodies of requests go packed by gzip as long as the server takes them; unless given, to other
        /// machines and not to this one.
        public static let packsRequests = "packsRequests"
        /// A `[String]`: only these documents are fetched.
        public static let documentIds = "documentIds"
        /// A condition in Mango, JSON text in a `String`: only documents that fulfil it are fetched.
        public static let selector = "selector"
        /// The filter of a design document, `design/name`, a `String`: only what it lets pass is fetched.
        public static let filter = "filter"
        /// A `[String: String]`: what the filter is called with.
        public static let parameters = "parameters"
        /// A `Bool`: whether design documents are fetched and sent as others are; false unless given.
        public static let designDocuments = "designDocuments"

        /// All of them.
        static let all = [
            user, password, token, tokenProvider, transport, timeoutSeconds, interceptors,
            createsDatabase, packsRequests, documentIds, selector, filter, parameters,
            designDocuments,
        ]
    }

    /// The database that a configuration names by its URL and options.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL is no address of a database, an option is
    ///   unknown or of another type, or two options contradict each other.
    public init(_ configuration: ReplicationConfiguration) throws(ReplicationError) {
        let address = try CouchAddress(configuration.url)
        var options = OptionReader(configuration.options, names: OptionName.all)
        let user = try options.take(OptionName.user, as: String.self)
        let password = try options.take(OptionName.password, as: String.self)
        let token = try options.take(OptionName.token, as: String.self)
        let provider = try options.take(OptionName.tokenProvider, as: (any TokenProvider).self)
        let given = try options.take(OptionName.transport, as: (any HTTPTransport).self)
        let timeout = try options.takeSeconds(OptionName.timeoutSeconds)
        let interceptors = try options.take(
            OptionName.interceptors, as: [any HTTPInterceptor].self)
        let packs = try options.take(OptionName.packsRequests, as: Bool.self)
        let creates = try options.take(OptionName.createsDatabase, as: Bool.self)
        var documents = CouchSelection()
        documents.identifiers = try options.take(OptionName.documentIds, as: [String].self)
        documents.filter = try options.take(OptionName.filter, as: String.self)
        documents.functionParameters =
            try options.take(OptionName.parameters, as: [String: String].self) ?? [:]
        if let text = try options.take(OptionName.selector, as: String.self) {
            documents.selector = try Self.selector(text)
        }
        documents.hasDesigns =
            try options.take(OptionName.designDocuments, as: Bool.self) ?? false
        try options.finish()
        let asked = documents.within(Set(configuration.limitToChannels))
        if let fault = asked.fault { throw ReplicationError(.misconfigured, fault) }
        let means: CouchAuthorizer.Means
        switch (user, password, provider ?? token.map { FixedToken(text: $0) }) {
        case (nil, nil, nil): means = .nothing
        case (nil, nil, let provider?): means = .token(TokenKeeper(provider))
        case (let user?, let password?, nil): means = .password(name: user, password: password)
        default:
            throw ReplicationError(
                .misconfigured,
                "A name goes with a password, and without a token; give one or the other.")
        }
        var transport =
            given
            ?? URLSessionTransport(
                timeoutSeconds: timeout ?? 60,
                connectionCountMax: max(1, configuration.concurrentRequestsMax))
        if let interceptors, !interceptors.isEmpty {
            transport = InterceptedTransport(transport, interceptors: interceptors)
        }
        // The server has to speak up before the transport gives up.
        let listening = RESTTuning.listeningSeconds
        self.init(
            address: address, transport: transport, means: means, documents: documents,
            createsDatabase: creates ?? false,
            listeningSeconds: timeout.map { max(1, min(listening, Int(min($0, 3_600) / 2))) }
                ?? listening,
            packsRequests: packs ?? !address.isThisMachine,
            bulkCountMax: max(
                1, min(RESTTuning.bulkCountMax, configuration.concurrentRequestsMax)))
    }

    private static func selector(_ text: String) throws(ReplicationError) -> JSONValue {
        guard let selector = try? JSONText.value(from: Array(text.utf8)),
            selector.objectValue != nil
        else {
            throw ReplicationError(
                .misconfigured, "The selector is no JSON object: write {\"type\": \"note\"}.")
        }
        return selector
    }
}
