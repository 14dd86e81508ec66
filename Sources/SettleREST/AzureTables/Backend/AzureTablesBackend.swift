public import Foundation
import HTTPTypes
import Settle
public import SettleSync
import SettleTableProtocol

/// A table of an Azure Mobile Apps server, of its predecessor or successors, or of `settle serve`,
/// as the server.
///
/// One table, whose rows are the documents. It must have soft delete; rows that vanish from it are
/// only found to be missing by listing it. Docs/Formats/AzureTables.md says how documents become
/// rows, and what is asked of the server.
///
/// ```swift
/// let backend = try AzureTablesBackend(
///     url: url, tokenProvider: keychain, transport: transport,
///     filter: .field("done") == false, safetyWindow: .seconds(30))
/// try await database.replicate(with: configuration, using: backend)
/// ```
public struct AzureTablesBackend: Backend {
    /// How a pull gets from one page to the next.
    public enum Paging: String, Sendable, Hashable, CaseIterable {
        /// Each page begins behind the last row of the one before, by time and identifier.
        ///
        /// Passes by no row, whatever happens to the table meanwhile.
        case keyset
        /// Each page begins some rows behind a time, as with the official clients: `updatedAt ge`
        /// and `$skip` as long as the time stays the same.
        ///
        /// For servers that cannot compare identifiers. When rows with one time are changed while
        /// they are read, the rows behind them move up, and one of those may be passed by for
        /// good. There is no safety window, and a pull with nothing new takes two requests.
        case skip
    }

    /// The table's address without credentials.
    public var identifier: String { address.identifier }

    /// The text of the predicate and of the own parameters that every pull has beside the channels;
    /// empty without any.
    public private(set) var filter: String

    /// Whether attachments travel: as it was given, and otherwise if the server said that it has
    /// them, as `settle serve` does.
    public var carriesAttachments: Bool {
        givenAttachments ?? memory.features?.contains(.attachments) ?? false
    }

    let address: TableAddress
    let transport: any HTTPTransport
    let tokens: TokenKeeper
    private(set) var predicate: ODataPredicate?
    /// What else stands in the query of every page that is asked for.
    private(set) var givenParameters: [QueryParameter] = []
    /// A query with an order, a limit or an offset of its own.
    private(set) var selection: TableQuery?
    let memory: DialectMemory
    let paging: Paging
    /// Whether attachments travel, where the user said so.
    let givenAttachments: Bool?
    /// The safety window in seconds, where the user gave one.
    let givenWindow: Double?
    /// How long the server is asked to wait for a change, in seconds.
    var listeningSeconds = RESTTuning.listeningSeconds

    /// What our own clock says.
    package var now: @Sendable () -> Date = { Date() }

    /// A table.
    ///
    /// **The safety window.** A server gives a row its `updatedAt` before it commits it. A pull in
    /// between does not see the row, and must not go on behind its time. So rows count as final
    /// only when they are older than the window by the server's own clock (the `Date` of its
    /// answers), and the next pull begins with those that are not; what is here already changes
    /// nothing. The window has to be longer than the server's longest transaction, and than the
    /// difference between the clocks of the database and of the machine that answers. Without a
    /// `Date` the last time is read again with every pull, and no more. Zero is for servers that
    /// give out times in the order of their commits, as `settle serve` does: there it is zero unless
    /// it is given.
    ///
    /// **Clocks that go back.** What the server's clock and our own said is kept with the token.
    /// When the server's lags behind what ours makes of the time since, rows may have come in
    /// before the token: as much more is read again. What cannot be caught: a clock that went back
    /// and forth again between two pulls; ours going back together with the server's, by at least
    /// as much; a database whose clock is not the answering machine's. The times of `settle serve`
    /// go on even then, and nothing is read again.
    ///
    /// - Parameters:
    ///   - url: `http(s)://HOST[:PORT]/tables/NAME`; there may be more path before `tables`.
    ///   - tokenProvider: Knows the token; nil to go without.
    ///   - transport: The way to the server; nil for a ``URLSessionTransport``.
    ///   - filter: Which rows to pull; nil for all.
    ///   - dialect: What the server speaks; nil to find out by its responses, with one read more
    ///     where the first request is a write.
    ///   - paging: How a pull gets from page to page.
    ///   - safetyWindow: How long a row may take from its time to its commit, 0 or more; nil for
    ///     10 seconds, and for none with `settle serve`.
    ///   - carriesAttachments: Whether attachments travel; nil to go by what the server announces,
    ///     as `settle serve` does.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL is no such address, the
    ///   filter cannot be written, or the window is negative.
    public init(
        url: URL, tokenProvider: (any TokenProvider)? = nil,
        transport: (any HTTPTransport)? = nil, filter: ODataPredicate? = nil,
        dialect: Dialect? = nil, paging: Paging = .keyset,
        safetyWindow: Duration? = nil, carriesAttachments: Bool? = nil
    ) throws(ReplicationError) {
        address = try TableAddress(url)
        self.transport = transport ?? URLSessionTransport()
        tokens = TokenKeeper(tokenProvider)
        predicate = filter
        self.filter = try Self.text(of: filter, dialect)
        memory = DialectMemory(dialect)
        self.paging = paging
        givenAttachments = carriesAttachments
        if let safetyWindow, safetyWindow < .zero {
            throw ReplicationError(.misconfigured, "The safety window has to be 0 or more.")
        }
        givenWindow = safetyWindow.map {
            min($0 / .seconds(1), RESTTuning.safetyWindowSecondsMax)
        }
    }

    /// Asks for less, or in another order.
    ///
    /// - Parameter query: The query; its filter and parameters hold beside those there are.
    /// - Throws: ``ReplicationError`` with `misconfigured` when it cannot be asked.
    mutating func narrow(to query: TableQuery) throws(ReplicationError) {
        try query.check()
        selection = query.isSelection ? query : nil
        if let given = query.filter { predicate = predicate.map { $0 && given } ?? given }
        var parameters: [String: String] = [:]
        for parameter in givenParameters { parameters[parameter.name] = parameter.value }
        parameters.merge(query.parameters) { $1 }
        givenParameters = parameters.sorted { $0.key < $1.key }
            .map { QueryParameter($0.key, $0.value) }
        filter = try Self.text(of: predicate, memory.dialect)
        if !parameters.isEmpty { filter += "?" + TableQuery.text(of: parameters) }
    }

    /// A table with a token that never changes.
    ///
    /// - Parameters:
    ///   - url: As above.
    ///   - token: The token.
    ///   - transport: As above.
    /// - Throws: As above.
    public init(
        url: URL, token: String, transport: (any HTTPTransport)? = nil
    ) throws(ReplicationError) {
        try self.init(url: url, tokenProvider: FixedToken(text: token), transport: transport)
    }

    /// The text that a filter is known by, whatever dialect the server turns out to speak.
    private static func text(
        of filter: ODataPredicate?, _ dialect: Dialect?
    ) throws(ReplicationError) -> String {
        guard let filter else { return "" }
        if let dialect { return try filter.text(for: dialect.odata) }
        // The same words in every run; only where version 3 has no words for it, those of 4.
        if let text = try? filter.text(for: .v3) { return text }
        return try filter.text(for: .v4)
    }
}
