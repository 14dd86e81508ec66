import SettlePrimitives

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
        switch try beginRead(name) {
        case .inside(let outer):
            return try body(outer)
        case .begun(let transaction, let token):
            defer { endRead(transaction, token) }
            return try body(transaction)
        }
    }

    /// How a read goes on after it passed the gate.
    private enum Begun {
        case inside(ReadTransaction)
        case begun(ReadTransaction, token: UInt64)
    }

    private func beginRead(_ name: String) throws(LMDBError) -> Begun {
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
                    try whileOpen("check readers") { () throws(LMDBError) in
                        _ = try engine.checkReaders()
                    }
                default:
                    throw error
                }
            }
        }
    }

    /// Opens the tables of a file that was just opened, and may be growing.
    func openAllTables() throws(LMDBError) {
        while true {
            do throws(LMDBError) {
                return try openUnknownTables()
            } catch {
                guard error.code == .mapResized else { throw error }
                try adoptAsReader()
            }
        }
    }

    /// Begins a read; nil when tables have to be opened first.
    private func tryBeginRead(_ name: String) throws(LMDBError) -> Begun? {
        let transaction = ReadTransaction(self)
        let entry = try enterRead(name, transaction)
        if let outer = entry.outer { return .inside(outer) }
        do throws(LMDBError) {
            let handle = try snapshot(reusing: entry.idle)
            transaction.begin(handle)
            if try needsTableRefresh(handle, entry) {
                endRead(transaction, entry.token)
                return nil
            }
            return .begun(transaction, token: entry.token)
        } catch {
            if transaction.isLive {
                endRead(transaction, entry.token)
            } else {
                leaveRead(entry.token)
            }
            throw error
        }
    }

    /// Waits at the gate, then counts as a reader, unless the thread reads already.
    ///
    /// One visit to the monitor does all that a begin needs of it.
    private func enterRead(
        _ name: String, _ transaction: ReadTransaction?
    ) throws(LMDBError) -> ReadEntry {
        let me = ThreadIdentity.current
        return try monitor.when { (state) throws(LMDBError) in
            if transaction != nil {
                for reader in state.active where reader.thread == me {
                    guard let outer = reader.transaction else { continue }
                    return ReadEntry(token: 0, outer: outer)
                }
            }
            if state.isClosed { throw closedError("begin read") }
            guard !state.isExclusive else { return nil }
            state.tokenLast += 1
            state.active.append(
                .init(
                    token: state.tokenLast, thread: me, name: name, start: .now,
                    transaction: transaction))
            return ReadEntry(
                token: state.tokenLast, outer: nil,
                idle: transaction == nil ? nil : state.idle.popLast(),
                namesSeen: state.namesSeen, isInsideWrite: state.writer == me)
        }
    }

    /// Lets go of a snapshot; its slot of the lock file is kept for the next one.
    private func endRead(_ transaction: ReadTransaction, _ token: UInt64) {
        let handle = transaction.end()
        handle.reset()
        let isKept = monitor.withLock { state in
            guard state.idle.count < EnvironmentTuning.idleReadersMax else { return false }
            state.idle.append(handle)
            state.endRead(token)
            return true
        }
        if isKept { return }
        // Still counted, so that nobody closes the engine first.
        handle.abort()
        leaveRead(token)
    }

    /// Runs the body without a snapshot, but counted as a reader, so that nobody closes meanwhile.
    func whileOpen<R>(
        _ name: String, _ body: () throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        let entry = try enterRead(name, nil)
        defer { leaveRead(entry.token) }
        return try body()
    }

    func leaveRead(_ token: UInt64) {
        monitor.withLock { $0.endRead(token) }
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

/// What a read met at the gate.
struct ReadEntry {
    /// Its number among the active reads.
    let token: UInt64
    /// The snapshot of a read around this one, which it shares.
    let outer: ReadTransaction?
    /// A snapshot's slot to use again.
    var idle: EngineTransaction?
    /// Names of tables when they were last looked through.
    var namesSeen = 0
    /// Whether it is inside a write of its thread, which may hold the right to open tables.
    var isInsideWrite = false
}

extension EnvironmentState {
    /// Counts a read out.
    fileprivate mutating func endRead(_ token: UInt64) {
        guard let index = active.firstIndex(where: { $0.token == token }) else {
            preconditionFailure("A read ended twice.")
        }
        active.swapAt(index, active.count - 1)
        active.removeLast()
    }
}
