/// Knows the token that a server lets us in with.
public protocol TokenProvider: Sendable {
    /// The token to use from now on.
    ///
    /// - Parameter refused: The token that the server has just refused; nil when one is asked for
    ///   for the first time.
    /// - Returns: A token; nil to go without. The same token again means that there is no better.
    /// - Throws: Anything; the replication fails as unauthorized, with the error as its cause.
    func token(replacing refused: String?) async throws -> String?
}
