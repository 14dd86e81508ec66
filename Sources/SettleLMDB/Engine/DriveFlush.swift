#if canImport(Darwin)
    import Darwin
#endif

/// The last step of a durable commit on systems whose `fsync` ends at the drive's cache.
enum DriveFlush {
    /// Makes the drive write its cache, where the engine's own flush does not.
    ///
    /// On Linux `fdatasync` reaches the medium and this does nothing. On Apple systems it protects a
    /// commit that was reported from a power failure; it does not stand between the engine's
    /// data and meta page, so a failure in the middle of a commit may still meet them in the wrong
    /// order. **The branch for Apple systems has never been run.**
    ///
    /// - Parameters:
    ///   - engine: The engine that has committed.
    ///   - durability: Nothing is done for `relaxed`.
    /// - Throws: ``LMDBError`` when the drive refuses; the commit is in the file all the same.
    static func run(_ engine: EngineEnvironment, _ durability: Durability) throws(LMDBError) {
        #if canImport(Darwin)
            guard durability == .full else { return }
            guard fcntl(try engine.dataDescriptor(), F_FULLFSYNC) == -1 else { return }
            let failure = errno
            // A file system without the call, such as one of a memory card.
            guard failure != ENOTSUP, failure != EINVAL else { return }
            throw LMDBError(
                code: .system(failure), operation: "flush", path: engine.path,
                message: "The transaction was committed, but the drive did not flush its cache: "
                    + "a power failure may undo it.")
        #endif
    }
}
