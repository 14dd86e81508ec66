import SettlePrimitives

extension Environment {
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
