public import Foundation
import HTTPTypes
import Settle
public import SettleSync

/// A table of an Azure Mobile Apps server, or of `settle serve`, as the far side.
///
/// It speaks version 2.0.0 of the protocol: one table, items with the columns `id`, `createdAt`,
/// `updatedAt`, `version` and `deleted`. The table must have soft delete; rows that vanish from it
/// are never heard of again. Docs/Formats/AzureTables.md says how documents become items.
public struct AzureTablesBackend: Backend {
    /// The table's address without credentials.
    public var identifier: String { address.identifier }

    let address: TableAddress
    let transport: any HTTPTransport
    let tokens: TokenKeeper

    /// A table.
    ///
    /// - Parameters:
    ///   - url: `http(s)://HOST[:PORT]/tables/NAME`; there may be more path before `tables`.
    ///   - tokenProvider: Knows the token; nil to go without.
    ///   - transport: The way to the server; nil for a ``URLSessionTransport``.
    /// - Throws: ``ReplicationError`` with `misconfigured` when the URL is no such address.
    public init(
        url: URL, tokenProvider: (any TokenProvider)? = nil,
        transport: (any HTTPTransport)? = nil
    ) throws(ReplicationError) {
        address = try TableAddress(url)
        self.transport = transport ?? URLSessionTransport()
        tokens = TokenKeeper(tokenProvider)
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
}
