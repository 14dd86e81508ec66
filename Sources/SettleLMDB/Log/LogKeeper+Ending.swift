import SettlePrimitives

extension LogKeeper {
    /// Ends the use of the log: the data file stands by itself afterwards, with no page kept.
    ///
    /// The caller must have the writer's place.
    ///
    /// - Parameters:
    ///   - engine: The engine.
    ///   - isPlainForLong: Whether the next commits are made without it.
    /// - Returns: Whether it was in use.
    /// - Throws: ``LMDBError`` with `panic` when a flush fails.
    @discardableResult
    func end(_ engine: EngineEnvironment, isPlainForLong: Bool) throws(LMDBError) -> Bool {
        guard session != nil else { return false }
        if let failure = work.withLock({ $0.failure }) { throw failure }
        do throws(LMDBError) {
            try withOwnLog(engine) { (handle) throws(LMDBError) in try leave(handle, engine) }
        } catch {
            throw poison(error)
        }
        if isPlainForLong { plainCommitsLeft = options.logTuning.plainCommitsAfterOthers }
        return true
    }

    /// As ``end(_:isPlainForLong:)``, inside a write transaction of the caller's that has changed nothing.
    func end(
        under handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        try requirePlace(engine)
        try begin(handle, engine)
        guard session != nil else { return }
        do throws(LMDBError) {
            try leave(handle, engine)
        } catch {
            throw poison(error)
        }
    }

    /// Lets go of a log that another process has taken over.
    func dropIfLost(_ engine: EngineEnvironment) throws(LMDBError) {
        guard let session else { return }
        let mark = try DataMark.read(try engine.dataDescriptor(), path: directory)
        if mark.session != session.number { dropSession(engine) }
    }

    /// Whether there is something to end that nobody used for a while.
    func isIdle() -> Bool {
        work.withLock { work in
            work.session != 0 && work.failure == nil
                && ContinuousClock.now - work.lastCommit >= .seconds(options.logTuning.idleSeconds)
        }
    }

    /// Flushes the records of commits with `Durability.relaxed`.
    func flush() throws(LMDBError) {
        let (file, failure) = work.withLock { ($0.file, $0.failure) }
        if let failure { throw failure }
        guard let file else { return }
        // Before: what is written from now on wants another one.
        work.withLock(waking: .none) { $0.unflushedSince = nil }
        do throws(LMDBError) {
            try file.flush()
        } catch {
            throw poison(error)
        }
    }

    /// Removes the file of the log, if the data file stands by itself: who copies or counts files need not know of it.
    private func removeFile(_ engine: EngineEnvironment) throws(LMDBError) {
        let handle = try engine.begin(isReadOnly: false)
        defer { handle.abort() }
        let mark = try DataMark.read(try engine.dataDescriptor(), path: directory)
        guard mark.session == 0 else { return }
        try requirePlace(engine)
        // What says so must be on the medium first.
        try flushData(engine)
        FileSystem.remove(directory + "/" + LogLayout.name)
    }

    /// Ends the use of the log and its thread, and removes its file; the engine may be closed afterwards.
    ///
    /// What fails is left to the next open.
    ///
    /// - Parameter engine: The engine; nil when it has been closed before.
    func close(_ engine: EngineEnvironment?) {
        let isSound = work.withLock { $0.failure == nil }
        if isSound, let engine {
            _ = try? end(engine, isPlainForLong: false)
            if session == nil, wasLastUser { try? removeFile(engine) }
        }
        work.withLock { $0.isStopping = true }
        thread?.join()
        thread = nil
        if let engine { releasePins(engine) }
    }

    /// Gives the engine its read transactions back, which must not outlive it.
    func releasePins(_ engine: EngineEnvironment) {
        if session != nil { dropSession(engine) }
        let spare = work.withLock { work in
            defer { work.spare = nil }
            return work.spare
        }
        spare?.abort()
    }
}
