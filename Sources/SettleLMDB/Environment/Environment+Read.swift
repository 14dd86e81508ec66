extension Environment {
    /// Runs the body with a consistent snapshot, on the calling thread.
    ///
    /// Never waits for the writer's work; it waits while the map grows, which needs all reads of
    /// this process ended. A read inside a read of the same thread shares the outer snapshot; a
    /// read inside a write of the same thread sees the state before that write. A long read keeps
    /// the pages of its snapshot from being used again: the file grows.
    ///
    /// - Parameters:
    ///   - name: Who reads, for the statistics and errors.
    ///   - body: The work; the transaction is invalid after it.
    /// - Returns: What the body returns.
    /// - Throws: ``LMDBError`` with `closed`, `openedBeforeFork`, `readersFull`, or the body's.
    package func read<R>(
        _ name: String = "read", _ body: (ReadTransaction) throws -> R
    ) throws -> R {
        try requireUsable("begin read")
        if let outer = outerRead() { return try body(outer) }
        let (transaction, token) = try beginRead(name)
        defer { endRead(transaction, token) }
        return try body(transaction)
    }

    private func outerRead() -> ReadTransaction? {
        let me = ThreadIdentity.current
        return monitor.withLock { state in
            state.active.first { $0.thread == me }?.transaction
        }
    }

    private func beginRead(_ name: String) throws(LMDBError) -> (ReadTransaction, UInt64) {
        var hasClearedReaders = false
        while true {
            do throws(LMDBError) {
                if let begun = try tryBeginRead(name) { return begun }
                try openUnknownTables()
            } catch {
                switch error.code {
                case .mapResized:
                    try adoptAsReader()
                case .readersFull where !hasClearedReaders:
                    hasClearedReaders = true
                    try engine.checkReaders()
                default:
                    throw error
                }
            }
        }
    }

    /// Begins a read; nil when tables have to be opened first.
    private func tryBeginRead(
        _ name: String
    ) throws(LMDBError) -> (ReadTransaction, UInt64)? {
        let (token, idle) = try enterRead(name)
        do throws(LMDBError) {
            let handle = try snapshot(reusing: idle)
            if try needsTableRefresh(handle) {
                retire(handle)
                leaveRead(token)
                return nil
            }
            let transaction = ReadTransaction(self, handle)
            monitor.withLock { state in
                guard let index = state.active.firstIndex(where: { $0.token == token })
                else { return }
                state.active[index].transaction = transaction
            }
            return (transaction, token)
        } catch {
            leaveRead(token)
            throw error
        }
    }

    private func endRead(_ transaction: ReadTransaction, _ token: UInt64) {
        retire(transaction.end())
        leaveRead(token)
    }

    /// Waits at the gate, then counts as a reader.
    func enterRead(_ name: String) throws(LMDBError) -> (token: UInt64, idle: EngineTransaction?) {
        let me = ThreadIdentity.current
        return try monitor.when { (state) throws(LMDBError) in
            if state.isClosed { throw closedError("begin read") }
            guard !state.isExclusive else { return nil }
            state.tokenLast += 1
            state.active.append(
                .init(token: state.tokenLast, thread: me, name: name, start: .now))
            return (state.tokenLast, state.idle.popLast())
        }
    }

    /// Runs the body without a snapshot, but counted as a reader, so that nobody closes meanwhile.
    func whileOpen<R>(
        _ name: String, _ body: () throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        let (token, idle) = try enterRead(name)
        if let idle { monitor.withLock { $0.idle.append(idle) } }
        defer { leaveRead(token) }
        return try body()
    }

    func leaveRead(_ token: UInt64) {
        monitor.withLock { state in
            guard let index = state.active.firstIndex(where: { $0.token == token }) else {
                preconditionFailure("A read ended twice.")
            }
            state.active.swapAt(index, state.active.count - 1)
            state.active.removeLast()
        }
    }

    private func snapshot(
        reusing idle: EngineTransaction?
    ) throws(LMDBError) -> EngineTransaction {
        guard let idle else { return try engine.begin(isReadOnly: true) }
        do throws(LMDBError) {
            try idle.renew()
            return idle
        } catch {
            idle.abort()
            throw error
        }
    }

    /// Lets go of a snapshot; the reader slot is kept for the next one.
    private func retire(_ handle: EngineTransaction) {
        handle.reset()
        let isKept = monitor.withLock { state in
            guard state.idle.count < EnvironmentTuning.idleReadersMax else { return false }
            state.idle.append(handle)
            return true
        }
        if !isKept { handle.abort() }
    }

    /// Adopts a new size for a read that is not counted as active.
    ///
    /// Takes the writer's place, because a write transaction must not be active either. Inside a
    /// write of this thread it cannot come to this: nobody else can have grown the file meanwhile.
    private func adoptAsReader() throws(LMDBError) {
        try enterWriter("grow")
        defer { leaveWriter() }
        try adoptMapSize()
    }
}
