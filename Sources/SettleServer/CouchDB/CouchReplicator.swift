public import Foundation
public import Settle

/// Replicates databases of a ``CouchServer`` when a request to `_replicate` asks for it.
///
/// `SettleHosting` has one, `CouchReplication`.
public protocol CouchReplicator: Sendable {
    /// Replicates a database, once, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - database: The database of the server.
    ///   - order: What it replicates with, and how.
    ///   - progress: Called with what was done so far, whenever it changes; from any thread.
    /// - Returns: What was done; an order that is continuous has no end but its cancellation.
    /// - Throws: ``CouchReplicationFailure`` when it did not get to its end; `CancellationError`.
    func replicate(
        _ database: Database, _ order: CouchReplicationOrder,
        progress: @escaping @Sendable (CouchReplicationCounts) -> Void
    ) async throws -> CouchReplicationCounts
}

/// What a request to `_replicate` asks for.
public struct CouchReplicationOrder: Sendable, Hashable {
    /// How the server is to be asked who we are.
    public enum Credentials: Sendable, Hashable {
        /// Not at all.
        case none
        /// By a name and a password.
        case password(name: String, password: String)
        /// By a token that goes as `Bearer`.
        case token(String)
    }

    /// The other database, `http(s)://HOST[:PORT]/DATABASE`, without credentials.
    public var remote: URL
    /// Who asks there.
    public var credentials = Credentials.none
    /// Whether documents go from the remote to the database of the server; otherwise the other way.
    public var isPull: Bool
    /// Whether it goes on until it is cancelled.
    public var isContinuous = false
    /// Whether the remote is made when it is not there.
    public var createsRemote = false
    /// Only these documents are fetched; nil for all.
    public var documentIds: [String]?
    /// A condition in Mango that fetched documents fulfil; nil for none.
    public var selector: JSONValue?
    /// The function of a design document of the remote that chooses documents; nil for none.
    public var filter: String?
    /// What the function is called with.
    public var parameters: [String: String] = [:]

    /// An order for a remote.
    public init(remote: URL, isPull: Bool) {
        self.remote = remote
        self.isPull = isPull
    }
}

/// Why a replication that `_replicate` began did not get to its end.
public struct CouchReplicationFailure: Error, Sendable, Hashable {
    /// The kinds of failures that have a status of their own.
    public enum Kind: Sendable, Hashable {
        /// The remote does not let us in.
        case unauthorized
        /// The remote database is not there.
        case notFound
        /// Anything else.
        case other
    }

    /// The kind of the failure, which decides the status of the response.
    public var kind: Kind
    /// A sentence without secrets.
    public var reason: String

    /// A failure of a kind.
    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

/// What a replication that `_replicate` began has done.
public struct CouchReplicationCounts: Sendable, Hashable {
    /// Revisions that came, or were offered.
    public var read = 0
    /// Revisions that were stored where they were to go.
    public var written = 0
    /// Revisions that were refused there, or cannot be stored.
    public var failed = 0
    /// The last sequence of the source, when it is a database of the server.
    public var sequence: UInt64?

    /// Nothing was done.
    public init() {}
}
