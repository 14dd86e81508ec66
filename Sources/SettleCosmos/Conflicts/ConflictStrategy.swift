extension Cosmos {
    /// What happens when the service has another version of a resource than the one that a write depends on.
    public enum ConflictStrategy: Sendable {
        /// The write fails with `preconditionFailed`, whose error shows both versions.
        case none
        /// The service's version replaces ours: the call gives it back, and nothing is written.
        case latestWins
        /// Ours replaces the service's: it is written without a condition, whatever is there.
        case mineWins
        /// The resolver makes one of both, which is written on the condition that the service still has the version
        /// that it was made of; otherwise it is asked again, ten times at the most.
        case custom(ConflictResolver)

        /// The same as ``mineWins``, under the name that AzureData has for it.
        public static var overwrite: ConflictStrategy { .mineWins }
    }

    /// Makes one version of two.
    ///
    /// - Parameters:
    ///   - local: What was to be written; nil for a deletion.
    ///   - remote: What the service has.
    /// - Returns: What is to be written; nil to delete it. Its etag and other members of the service do not matter.
    /// - Throws: Anything; the write fails with `preconditionFailed` and this as its cause.
    public typealias ConflictResolver =
        @Sendable (_ local: ResourceBody?, _ remote: ResourceBody) async throws -> ResourceBody?
}
