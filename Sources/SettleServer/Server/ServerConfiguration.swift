public import CoreMetrics
public import Foundation

/// Where a server listens, what it stores and whom it lets in.
///
/// ```swift
/// var configuration = ServerConfiguration(
///     directory: directory, authentication: .jwt(keySetURL: url).expecting(audience: "tables"))
/// configuration.rules = try AccessRules(contentsOf: rulesFile)
/// let server = try TableServer(configuration: configuration)
/// ```
public struct ServerConfiguration: Sendable {
    /// Where the tables are kept.
    public var store: ServerStore
    /// The name or address to listen on.
    ///
    /// By default only this machine can connect.
    public var host: String
    /// The port to listen on, 0 for a free one; ``TableServer/boundPort()`` tells which.
    public var port: Int
    /// How the server knows who sends a request.
    public var authentication: Authentication
    /// The version of the protocol of requests that name none, as the clients of the Community
    /// Toolkit do not; nil to refuse them.
    public var versionWhenMissing: ProtocolVersion?
    /// How many items a list holds when `$top` is not given; at least 1.
    ///
    /// Nil for what the version of the protocol has: 50 in version 2, 100 in version 3.
    public var pageSizeDefault: Int?
    /// The largest `$top` that is accepted; more is answered 400.
    public var topMax: Int
    /// The longest body of a request, in bytes; more is answered 413.
    public var bodyMaxBytes: Int
    /// The longest content of an attachment, in bytes; more is answered 413.
    public var attachmentMaxBytes: Int
    /// How many tables there may be; an insert into one more is answered 403.
    public var tableCountMax: Int
    /// The clock, for `createdAt`, `updatedAt` and the expiry of tokens.
    public var now: @Sendable () -> Date
    /// Who may read and write which channels; nil for what the claim `channels` says.
    ///
    /// Nil by default.
    public var rules: AccessRules?
    /// The certificate and the key to speak TLS with; nil, the default, for plain HTTP.
    public var tls: TLSFiles?
    /// How many requests each sender may make, more is answered 429; nil, the default, for no limit.
    public var rateLimit: RateLimit?
    /// More names and addresses that the server answers to without a token.
    ///
    /// A request that shows no token must name a host that is known to be this server: `localhost` or
    /// another name or address of this machine itself, ``host``, the address that the connection came
    /// to, or one of these; else it is answered 421, since a page in a browser may have had its own name
    /// lead here. Without scheme and port; in any case. None by default.
    public var hostNames: [String] = []
    /// Whose pages may use the server from a browser; nil, the default, for those that come from the
    /// server itself alone.
    ///
    /// Without it a request of a page from elsewhere that shows no token is answered 403.
    public var crossOriginSharing: CrossOriginSharing?
    /// How many connections there may be at once; more wait until one ends.
    ///
    /// 1,024 by default.
    public var connectionsMax = 1_024
    /// How long a connection may be silent between requests, or while it sends one.
    ///
    /// 75 seconds by default, longer than clients keep connections that they may use again.
    public var idleTimeout: Duration = .seconds(75)
    /// How many bytes of bodies of requests there may be in memory at once; over it a body is left on its
    /// connection until there is room, and after 20 seconds answered 503.
    ///
    /// Bodies up to 64 KiB do not count. One sender has at most half of it, of which one body leaves
    /// an eighth to smaller ones; that is at least ``bodyMaxBytes``. 64 MiB by default.
    public var bodyMemoryMaxBytes = 64 << 20
    /// How many bytes of answers there may be in memory at once, from when they are made until they are sent;
    /// over it a request waits, and after 20 seconds is answered 503.
    ///
    /// Answers up to 128 KiB do not count. One sender has at most half of it, of which one answer leaves an
    /// eighth to smaller ones: a page is at most as long as that. 72 MiB by default.
    public var answerMemoryMaxBytes = 72 << 20
    /// Whether `/metrics` is answered, without a token; true by default.
    public var servesMetrics = true
    /// Where the server counts, beside what `/metrics` answers; nil, the default, for the factory that
    /// `MetricsSystem` has when the server is made.
    ///
    /// Labels and dimensions are those of `/metrics`. Durations are timers, what can go down is a meter.
    public var metrics: (any MetricsFactory)?
    /// Pages under a path that something else makes; nil, the default, for none.
    package var mountedPages: MountedPages?
    /// How often keys are fetched and how long that may take; more patient in tests.
    var keyPace = TokenKeySource.Pace()
    /// What waits are measured with; another one in tests.
    var clock: any Clock<Duration> = ContinuousClock()
    /// What the rate limit and the age of keys are measured with; another one in tests.
    var elapsed: @Sendable () -> Duration = Uptime.elapsed

    /// A configuration with a database for each table, in one directory.
    ///
    /// All values but the first are those of the initializer with a store.
    ///
    /// - Parameters:
    ///   - directory: The directory of the databases.
    ///   - host: The name or address to listen on.
    ///   - port: The port to listen on, 0 for a free one.
    ///   - authentication: How the server knows who sends a request.
    ///   - versionWhenMissing: The version of the protocol of requests that name none.
    ///   - pageSizeDefault: Items in a list without `$top`; nil for what the version has.
    ///   - topMax: The largest `$top`.
    ///   - bodyMaxBytes: The longest body, in bytes.
    ///   - attachmentMaxBytes: The longest content of an attachment, in bytes.
    ///   - tableCountMax: How many tables there may be.
    ///   - now: The clock.
    public init(
        directory: URL, host: String = "127.0.0.1", port: Int = 0,
        authentication: Authentication = .anonymous, versionWhenMissing: ProtocolVersion? = nil,
        pageSizeDefault: Int? = nil, topMax: Int = 1000, bodyMaxBytes: Int = 1 << 20,
        attachmentMaxBytes: Int = 256 << 20, tableCountMax: Int = 256,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            store: .directory(directory), host: host, port: port, authentication: authentication,
            versionWhenMissing: versionWhenMissing, pageSizeDefault: pageSizeDefault,
            topMax: topMax, bodyMaxBytes: bodyMaxBytes, attachmentMaxBytes: attachmentMaxBytes,
            tableCountMax: tableCountMax, now: now)
    }

    /// A configuration.
    ///
    /// - Parameters:
    ///   - store: Where the tables are kept.
    ///   - host: The name or address to listen on.
    ///   - port: The port to listen on, 0 for a free one.
    ///   - authentication: How the server knows who sends a request.
    ///   - versionWhenMissing: The version of the protocol of requests that name none.
    ///   - pageSizeDefault: Items in a list without `$top`; nil for what the version has.
    ///   - topMax: The largest `$top`.
    ///   - bodyMaxBytes: The longest body, in bytes.
    ///   - attachmentMaxBytes: The longest content of an attachment, in bytes.
    ///   - tableCountMax: How many tables there may be.
    ///   - now: The clock.
    public init(
        store: ServerStore, host: String = "127.0.0.1", port: Int = 0,
        authentication: Authentication = .anonymous, versionWhenMissing: ProtocolVersion? = nil,
        pageSizeDefault: Int? = nil,
        topMax: Int = 1000, bodyMaxBytes: Int = 1 << 20,
        attachmentMaxBytes: Int = 256 << 20, tableCountMax: Int = 256,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.host = host
        self.port = port
        self.authentication = authentication
        self.versionWhenMissing = versionWhenMissing
        self.pageSizeDefault = pageSizeDefault
        self.topMax = topMax
        self.bodyMaxBytes = bodyMaxBytes
        self.attachmentMaxBytes = attachmentMaxBytes
        self.tableCountMax = tableCountMax
        self.now = now
    }

    /// Refuses values that make no server.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` naming the value.
    func check() throws(ServerError) {
        try Self.check("port", port, in: 0...65_535)
        try Self.check("topMax", topMax, in: 1...1_000_000)
        if let pageSizeDefault {
            try Self.check("pageSizeDefault", pageSizeDefault, in: 1...topMax)
        }
        try Self.check("bodyMaxBytes", bodyMaxBytes, in: 1...(20 << 20))
        try Self.check("bodyMemoryMaxBytes", bodyMemoryMaxBytes, in: (2 << 20)...(1 << 40))
        try Self.check("answerMemoryMaxBytes", answerMemoryMaxBytes, in: (2 << 20)...(1 << 40))
        try Self.check("attachmentMaxBytes", attachmentMaxBytes, in: 1...(1 << 40))
        try Self.check("tableCountMax", tableCountMax, in: 1...100_000)
        try Self.check("connectionsMax", connectionsMax, in: 1...1_000_000)
        try Self.check("idleTimeout", Int(idleTimeout.components.seconds), in: 1...86_400)
        if let rateLimit { try Self.check(rateLimit) }
        guard !authentication.allowsAnonymous || !authentication.looksAtTokens || rules != nil
        else {
            throw ServerError(
                .invalidConfiguration,
                "Who may come without a token where others show one is said by rules; give some, or "
                    + "do not allow anonymous senders.")
        }
        if let fault = store.fault { throw ServerError(.invalidConfiguration, fault) }
    }

    private static func check(_ limit: RateLimit) throws(ServerError) {
        guard limit.requestsPerSecond > 0, limit.requestsPerSecond <= 1_000_000 else {
            throw ServerError(
                .invalidConfiguration,
                "The rate of \(limit.requestsPerSecond) requests a second cannot be used; it must be "
                    + "more than 0 and at most 1000000.")
        }
        try check("burst", limit.burst, in: 1...1_000_000)
    }

    private static func check(
        _ name: String, _ value: Int, in range: ClosedRange<Int>
    ) throws(ServerError) {
        guard range.contains(value) else {
            throw ServerError(
                .invalidConfiguration,
                "The value \(value) of '\(name)' cannot be used; it must be from "
                    + "\(range.lowerBound) to \(range.upperBound).")
        }
    }
}

extension ServerConfiguration {
    /// What takes in the bodies of requests.
    ///
    /// - Parameters:
    ///   - threads: Where large bodies are worked on.
    ///   - onIdle: Called each time that no large body is in memory any more.
    /// - Returns: The intake.
    func intake(
        _ threads: WorkThreads, onIdle: @escaping @Sendable () -> Void = {}
    ) -> BodyIntake {
        // However little there is: a body that is allowed must come in, and be worked on.
        let shareMin = SharedCapacity.share(for: bodyMaxBytes)
        let total = max(bodyMemoryMaxBytes, shareMin)
        let workMax = max(total / 3, shareMin)
        return BodyIntake(
            bytesMax: bodyMaxBytes,
            memory: SharedCapacity(
                total: total, shareMax: max(total / 2, shareMin), keepsRoom: true, clock: clock,
                onIdle: onIdle),
            work: SharedCapacity(
                total: workMax, shareMax: workMax, keepsRoom: true, waitMax: .seconds(60),
                clock: clock),
            threads: threads)
    }
}
