import SettlePrimitives

extension LogKeeper {
    /// Takes away what is left of a record that could not be written.
    ///
    /// The next need not take its place: in the other segment it would come behind this one.
    func clearFailedRecord() throws(LMDBError) {
        guard let session, session.hasFailedRecord else { return }
        try session.file.write(LogLayout.zeros, at: session.recordOffset)
        self.session?.hasFailedRecord = false
    }

    /// Begins the next storage checkpoint where one is due.
    func makeRoom(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        noteFreedPages(handle)
        let bytes = LogLayout.padded(changes.bytes.count)
        if try isCheckpointDue(bytes, engine) { try turn(handle, engine) }
    }

    func append(_ handle: EngineTransaction) throws(LMDBError) {
        guard var session else { preconditionFailure("A record without a log.") }
        changes.seal(as: session.place(handle.number), faults: options.logFaults)
        try session.file.write(changes.bytes, at: session.recordOffset)
        session.offset += changes.bytes.count
        session.commitCount += 1
        self.session = session
    }

    /// Flushes the record at `Durability.full`; else sees to it that the log's thread does in time.
    func flushRecord() throws(LMDBError) {
        let isFlushed = options.durability == .full
        if isFlushed, !options.logFaults.contains(.noLogFlush) { try session?.file.flush() }
        let now = ContinuousClock.now
        let isFirst = work.withLock(waking: .none) { work in
            work.lastCommit = now
            guard !isFlushed, work.unflushedSince == nil else { return false }
            work.unflushedSince = now
            return true
        }
        if isFirst { work.withLock { _ in } }
    }

    /// Whether the pages of the storage checkpoint have been kept for long enough.
    private func isCheckpointDue(
        _ bytes: Int, _ engine: EngineEnvironment
    ) throws(LMDBError) -> Bool {
        guard let session else { return false }
        guard session.hasRoom(bytes) else { return true }
        let tuning = options.logTuning
        let isSoon = session.commitCount >= tuning.commitsMax
        let used = try engine.info().pageLast
        let pagesMax = max(tuning.pagesMaxAtLeast, used / tuning.pagesMaxPart)
        guard isSoon || session.pageCount >= pagesMax else { return false }
        // While one is under way it can wait, but not without end.
        let isBusy = work.withLock { $0.checkpoint != nil }
        return !isBusy || session.pageCount >= 2 * pagesMax
    }

    /// Counts the pages that the last commit has freed, which stay kept until the next checkpoint.
    private func noteFreedPages(_ handle: EngineTransaction) {
        let last = handle.number - 1
        let key = withUnsafeBytes(of: Int(last)) { Array($0) }
        guard let value = try? handle.value(for: key, in: 0),
            value.count >= MemoryLayout<Int>.size
        else { return }
        session?.pageCount += value.loadUnaligned(as: Int.self)
    }
}
