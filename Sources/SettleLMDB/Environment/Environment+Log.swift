import SettlePrimitives

extension Environment {
    /// Lets the next small commits go through the commit log, as `EnvironmentOptions.usesCommitLog` does from the start.
    ///
    /// For who has to note in the file first that it may have a log. It does nothing in an environment for reading, or
    /// on a file system without the locks that the log needs.
    package func useCommitLog() {
        log?.use()
    }

    /// Ends the use of the commit log that nobody has needed for a while.
    ///
    /// Called by the log's thread, which writers may wait for: so it does not wait for a writer.
    func endIdleLog() {
        guard let log, tryEnterWriter() else { return }
        defer { leaveWriter() }
        guard log.isIdle() else { return }
        _ = try? log.end(engine, isPlainForLong: false)
    }

    private func tryEnterWriter() -> Bool {
        let me = ThreadIdentity.current
        return monitor.withLock { state in
            guard !state.isClosed, state.writer == nil else { return false }
            state.writer = me
            return true
        }
    }

    /// Ends the use of the log, so that pages which were freed can be used again.
    ///
    /// - Returns: Whether it was in use: then the transaction that found the map full is tried once more.
    /// - Throws: ``LMDBError`` with `panic` when a flush fails.
    func freeKeptPages() throws(LMDBError) -> Bool {
        try log?.end(engine, isPlainForLong: true) ?? false
    }
}
