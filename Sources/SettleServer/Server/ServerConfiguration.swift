public import Foundation

/// Where a server listens, what it stores and whom it lets in.
public struct ServerConfiguration: Sendable {
    /// The directory of the databases, one for each table; made when it is not there.
    public var directory: URL
    /// The name or address to listen on.
    ///
    /// By default only this machine can connect.
    public var host: String
    /// The port to listen on, 0 for a free one; ``TableServer/boundPort()`` tells which.
    public var port: Int
    /// How the server knows who sends a request.
    public var authentication: Authentication
    /// How many items a list holds when `$top` is not given; at least 1.
    public var pageSizeDefault: Int
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

    /// A configuration.
    ///
    /// - Parameters:
    ///   - directory: The directory of the databases.
    ///   - host: The name or address to listen on.
    ///   - port: The port to listen on, 0 for a free one.
    ///   - authentication: How the server knows who sends a request.
    ///   - pageSizeDefault: Items in a list without `$top`.
    ///   - topMax: The largest `$top`.
    ///   - bodyMaxBytes: The longest body, in bytes.
    ///   - attachmentMaxBytes: The longest content of an attachment, in bytes.
    ///   - tableCountMax: How many tables there may be.
    ///   - now: The clock.
    public init(
        directory: URL, host: String = "127.0.0.1", port: Int = 0,
        authentication: Authentication = .anonymous, pageSizeDefault: Int = 50,
        topMax: Int = 1000, bodyMaxBytes: Int = 1 << 20,
        attachmentMaxBytes: Int = 256 << 20, tableCountMax: Int = 256,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.directory = directory
        self.host = host
        self.port = port
        self.authentication = authentication
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
        try Self.check("pageSizeDefault", pageSizeDefault, in: 1...topMax)
        try Self.check("bodyMaxBytes", bodyMaxBytes, in: 1...(20 << 20))
        try Self.check("attachmentMaxBytes", attachmentMaxBytes, in: 1...(1 << 40))
        try Self.check("tableCountMax", tableCountMax, in: 1...100_000)
        guard directory.isFileURL else {
            throw ServerError(
                .invalidConfiguration, "The directory must be a file URL, a place on this disk.")
        }
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
