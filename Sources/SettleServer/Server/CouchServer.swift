public import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
public import ServiceLifecycle

/// Serves databases over HTTP in CouchDB's protocol, for whatever replicates with CouchDB.
///
/// Each database is a Settle database in the directory, made when an administrator makes it. Tokens and rules are
/// those of a ``TableServer``: a sender sees the documents whose member `channels` has one of the token's, and a
/// token with `_admin` in the claim `_couchdb.roles` is an administrator's. Without authentication whoever
/// reaches the port may read and write everything, so it belongs on a loopback address. Pages in a browser are kept
/// out as they are of a ``TableServer``. Docs/Guides/CouchDB.md says what is answered, and what is
/// not.
public final class CouchServer: Service, Sendable {
    /// Where a server listens, and what it serves.
    public struct Configuration: Sendable {
        /// The directory of the databases; made when it is not there.
        public var directory: URL
        /// The name or address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        public var port = 5_984
        /// How the server knows who sends a request; everybody by default.
        public var authentication = Authentication.anonymous
        /// Who may read and write which channels, by the name of the database; nil for the claim `channels`.
        public var rules: AccessRules?
        /// Certificate and key for TLS; nil for none.
        public var tls: TLSFiles?
        /// Names that requests may call the server by, beside its address.
        public var hostNames: [String] = []
        /// Whose pages may use the server from a browser, although they come from elsewhere; nil for none.
        ///
        /// A page whose origin is named may also have the browser send the cookie of its session.
        public var crossOriginSharing: CrossOriginSharing?
        /// How many readers may wait for changes at once; of one subject 64, of one address without one half of all.
        public var liveReadersMax = 512
        /// What replicates when an administrator asks for it by `_replicate`; nil for a server that begins no
        /// replication.
        public var replicator: (any CouchReplicator)?
        /// The hosts that `_replicate` may replicate with, `name` or `name:port`; none by default.
        ///
        /// With one the databases of this server may replicate with each other as well; with TLS, by the first of
        /// ``hostNames``, which has to be a name of the certificate and lead to this server.
        public var replicationHosts: [String] = []
        /// The longest body of a request, in bytes; without the contents of attachments that come as they are.
        public var bodyMaxBytes = 64 << 20
        /// The longest content of an attachment that comes as it is, in bytes; such content is read in constant memory.
        ///
        /// A request whose body is packed has ``bodyMaxBytes`` at most.
        public var attachmentMaxBytes = 1 << 30

        /// A configuration of a directory, with CouchDB's port on this machine.
        public init(directory: URL) {
            self.directory = directory
        }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let life = ServerRun()

    /// Makes a server; nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Where it listens, and what it serves.
    ///   - logger: Where failures of the framework are logged, never contents of documents.
    public init(
        configuration: Configuration, logger: Logger = Logger(label: "settle.couchdb")
    ) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Serves until it is told to stop, then closes the databases.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when a host is none, or keys or files for TLS cannot be
    ///   used, `addressUnusable`, `alreadyRun` at a second call; why the directory cannot be used.
    public func run() async throws {
        try await life.once { try await serve() }
    }

    /// The port the server listens on, as soon as it does.
    ///
    /// - Returns: The port; the one of the configuration unless that is 0.
    /// - Throws: The error of ``run()`` when the server does not come to listening; `CancellationError`.
    public func boundPort() async throws -> Int {
        try await life.port.value
    }

    /// How connections are spoken on: HTTP/1.1, with TLS or without, with bodies that may come packed by gzip.
    private func channels() throws -> HTTPServerBuilder {
        // Also of contents that come as they are: a packed body costs its sender next to nothing.
        let unpackedBytesMax = configuration.bodyMaxBytes
        let plain = HTTPServerBuilder { responder in
            TableChannel(HTTP1Channel(responder: responder), unpackedBytesMax: unpackedBytesMax)
        }
        guard let tls = configuration.tls else { return plain }
        return try .tls(plain, tlsConfiguration: try tls.configuration())
    }

    /// Who sends requests, and what is theirs.
    private func authorization() async throws -> CouchAuthorization {
        let authentication = configuration.authentication
        if authentication.letsInEverybody, configuration.rules == nil { return .none }
        return CouchAuthorization(
            authenticator: try await Authenticator(authentication, now: Date.init, logger: logger),
            access: Access(rules: configuration.rules), now: Date.init)
    }

    /// What `_replicate` begins; nil unless hosts are allowed.
    private func replications() -> CouchReplications? {
        guard let replicator = configuration.replicator, !configuration.replicationHosts.isEmpty
        else { return nil }
        return CouchReplications(
            replicator, hosts: configuration.replicationHosts,
            address: { [life, configuration] in
                try Self.ownAddress(configuration, port: try await life.port.value)
            })
    }

    /// The address at which a server reaches itself, for a replication between two of its databases.
    ///
    /// - Throws: ``CouchError`` 501 for a server with TLS whose certificate is for no name that is known.
    static func ownAddress(
        _ configuration: Configuration, port: Int
    ) throws(CouchError) -> String {
        var name = configuration.host
        if configuration.tls != nil {
            guard let first = configuration.hostNames.first else {
                throw CouchError(
                    501, "not_implemented",
                    "With TLS a replication between two databases of this server needs the host name of the certificate; "
                        + "the configuration of the server gives it (hostNames).")
            }
            name = first
        } else if name == "0.0.0.0" {
            name = "127.0.0.1"
        } else if name == "::" {
            name = "::1"
        }
        let host = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
        return "\(configuration.tls == nil ? "http" : "https")://\(host):\(port)"
    }

    /// What pages of other origins may send, and see of answers: what clients of the protocol do.
    private static let sharedHeaders = OriginPolicy.SharedHeaders(
        ofRequests: [
            "Accept", "Authorization", "Content-Encoding", "Content-Type", "Destination",
            "If-Match", "If-None-Match", "If-Range", "Last-Event-ID", "Range",
            "X-Couch-Full-Commit", "X-Requested-With",
        ],
        ofAnswers: [
            "Accept-Ranges", "Content-MD5", "Content-Range", "ETag", "Location", "Server",
            "WWW-Authenticate",
        ],
        allowsCredentials: true)

    private func serve() async throws {
        let origins = try OriginPolicy(
            host: configuration.host, hostNames: configuration.hostNames,
            sharing: configuration.crossOriginSharing, headers: Self.sharedHeaders)
        let databases = try CouchDatabases(directory: configuration.directory)
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        let port = life.port
        let authorization = try await authorization()
        let replications = replications()
        let application = Application(
            responder: CouchHTTPResponder(
                responder: CouchResponder(
                    databases, authorization: authorization, shutdown: life.shutdown,
                    isSecure: configuration.tls != nil,
                    liveReaders: LiveReaders(countMax: max(1, configuration.liveReadersMax)),
                    replications: replications), origins: origins,
                bodyMaxBytes: configuration.bodyMaxBytes,
                attachmentMaxBytes: configuration.attachmentMaxBytes), server: try channels(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in
                port.resolve(.success(channel.localAddress?.port ?? 0))
            },
            logger: quiet)
        var failure: (any Error)?
        do {
            try await life.run(application, logger) { replications?.cancelAll() }
        } catch {
            failure = error
        }
        life.shutdown.begin()
        await replications?.stop()
        await databases.close()
        if let failure {
            throw ServerRun.translated(
                failure, listeningOn: configuration.host, port: configuration.port)
        }
    }
}
