import SettlePrimitives

extension Environment {
    /// The number of the last commit, whichever process made it.
    ///
    /// It rises with every commit that wrote something. A compaction keeps it, or raises it where the copy took
    /// more commits than there ever were. Read from the map: no system call, no transaction, and no waiting for one.
    ///
    /// - Returns: The number; nil while the map is about to be exchanged, and once it is closed.
    /// - Throws: ``LMDBError`` with `openedBeforeFork`, or as the engine reports it.
    package func lastTransaction() throws(LMDBError) -> UInt64? {
        try requireUsable("look for commits")
        // Who exchanges the map or closes it says so under this lock first.
        return try monitor.withLock { (state) throws(LMDBError) -> UInt64? in
            guard !state.isClosed, !state.isExclusive else { return nil }
            return try engine.info().transactionLast
        }
    }
}
