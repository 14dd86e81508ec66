/// Knows the token that a server lets us in with.
///
/// Asked by one task at a time, however many requests a server has refused together; they all wait
/// for its response. When none of them waits any more, because the replication was stopped, its task
/// is cancelled.
public protocol TokenProvider: Sendable {
    /// The token to use from now on.
    ///
    /// - Parameter refused: The token that the server has just refused; nil when one is asked for
    ///   for the first time.
    /// - Returns: A token; nil to go without. The same token again means that there is no better.
    /// - Throws: Anything. A ``/SettleSync/ReplicationError`` is handed on as it is: `unreachable`
    ///   means that trying again may help. After any other error the replication fails as
    ///   unauthorized, with the error as its cause.
    func token(replacing refused: String?) async throws -> String?
}
