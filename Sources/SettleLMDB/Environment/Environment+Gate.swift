import SettlePrimitives

extension Environment {
    /// Runs the body while no read of this process is active, and none begins.
    ///
    /// The caller must be in `write` or hold the writer's place, and must not be inside a read.
    ///
    /// - Parameters:
    ///   - operation: What is being done, for the error's text.
    ///   - body: What needs the quiet.
    /// - Returns: What the body returns.
    /// - Throws: ``LMDBError`` with `readersBusy` when readers do not end in time, or the body's.
    func withoutReaders<R>(
        _ operation: String, _ body: () throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        // Nobody else can be exclusive: that takes the writer's place, which we hold.
        monitor.withLock { state in
            precondition(!state.isExclusive, "Two threads want to be alone.")
            state.isExclusive = true
        }
        defer { monitor.withLock { $0.isExclusive = false } }
        let isQuiet: Void? = monitor.when(withinSeconds: options.gateWaitSeconds) { state in
            state.active.isEmpty ? () : nil
        }
        guard isQuiet != nil else { throw busyError(operation) }
        return try body()
    }

    private func busyError(_ operation: String) -> LMDBError {
        let now = ContinuousClock.now
        let holders = monitor.withLock { state in
            state.active.map { "\($0.name) for \((now - $0.start).components.seconds) s" }
        }
        return LMDBError(
            code: .readersBusy, operation: operation, path: path,
            message: "The database must wait for its readers before it can \(operation), and "
                + "they did not end within \(options.gateWaitSeconds) s: "
                + "\(holders.joined(separator: ", ")). End them and try again.")
    }

    /// Makes the map larger after a transaction found it full and was rolled back.
    ///
    /// - Parameter bytesWanted: What the transaction wrote, to grow far enough at once.
    /// - Throws: ``LMDBError`` with `mapFull` at the largest size, `readersBusy`, or the system's.
    func grow(bytesWanted: Int) throws(LMDBError) {
        let size = try engine.info().mapSizeBytes
        // Whole pages of any host's size.
        let wanted = max(size * 2, size + bytesWanted * 2 + 0xFFFF) & ~0xFFFF
        let target = min(wanted, options.mapSizeMax)
        guard target > size else {
            throw LMDBError(
                code: .mapFull, operation: "grow", path: path,
                message: "The database has reached its largest size of \(options.mapSizeMax) "
                    + "bytes; nothing of this transaction was kept. Delete something or open with "
                    + "a larger mapSizeMax.")
        }
        try withoutReaders("grow") { () throws(LMDBError) in
            try remap(to: target, orBackTo: size)
        }
    }

    /// Takes over the size another process has given the file.
    func adoptMapSize() throws(LMDBError) {
        // Who has made it larger has taken the log over.
        try log?.dropIfLost(engine)
        let size = try engine.info().mapSizeBytes
        try withoutReaders("grow") { () throws(LMDBError) in
            try remap(to: 0, orBackTo: size)
        }
    }

    private func remap(to target: Int, orBackTo size: Int) throws(LMDBError) {
        do throws(LMDBError) {
            try engine.setMapSize(target)
        } catch {
            // The engine has let go of the old map and has no other: only a new engine has one.
            try reopenEngine(mapSize: size) {}
            throw error
        }
    }

    /// Takes the writer's place in this process.
    ///
    /// - Parameter operation: What is being done, for the error's text.
    /// - Throws: ``LMDBError`` with `closed`.
    func enterWriter(_ operation: String) throws(LMDBError) {
        let me = ThreadIdentity.current
        try monitor.when { (state) throws(LMDBError) -> Void? in
            precondition(
                state.writer != me,
                "A write was begun inside a write of the same database: use its transaction.")
            precondition(
                !state.active.contains { $0.thread == me },
                "A write was begun inside a read of the same database on the same thread: "
                    + "end the read first.")
            if state.isClosed { throw closedError(operation) }
            guard state.writer == nil else { return nil }
            state.writer = me
            return ()
        }
    }

    func leaveWriter() {
        monitor.withLock { $0.writer = nil }
    }

    /// Waits for every transaction and closes the file; from then on all calls throw `closed`.
    func endAll() {
        let me = ThreadIdentity.current
        monitor.withLock { state in
            precondition(
                state.writer != me && !state.active.contains { $0.thread == me },
                "A database was closed inside one of its own transactions.")
            state.isClosed = true
        }
        let idle = monitor.when { state -> [EngineTransaction]? in
            guard state.writer == nil, state.active.isEmpty else { return nil }
            defer { state.idle = [] }
            return state.idle
        }
        log?.close(holder.isOpen ? engine : nil)
        for transaction in idle { transaction.abort() }
        holder.close()
    }
}
