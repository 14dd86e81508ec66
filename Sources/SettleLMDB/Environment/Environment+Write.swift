import SettlePrimitives

extension Environment {
    /// How an attempt to write ended, when it is to be made again.
    private enum Outcome<R> {
        case done(R)
        case mapFull(bytesWanted: Int)
        case mapResized
        case again
    }

    /// Runs the body with the one write transaction and commits it, on the calling thread.
    ///
    /// All or nothing: an error thrown by the body rolls everything back. Waits for a writer of
    /// another thread or process. When the map is full, everything is rolled back, the map grows,
    /// and **the body runs again**; so it must have no effect but through the transaction. A write
    /// inside a write, or inside a read, of the same thread and environment is a bug and traps.
    ///
    /// - Parameter body: The work; the transaction is invalid after it.
    /// - Returns: What the body returns, after the commit.
    /// - Throws: ``LMDBError`` with `readOnly`, `closed`, `openedBeforeFork`, `mapFull`,
    ///   `readersBusy`, `diskFull`, or the body's.
    @available(*, noasync, message: "A write transaction belongs to one thread.")
    package func write<R>(_ body: (WriteTransaction) throws -> R) throws -> R {
        try requireUsable("begin write")
        guard !options.isReadOnly else {
            throw LMDBError(
                code: .readOnly, operation: "begin write", path: path,
                message: "The database was opened for reading only.")
        }
        try enterWriter("begin write")
        defer { leaveWriter() }
        reportLongReaders()
        try clearStaleReadersIfDue()
        while true {
            switch try attempt(body) {
            case .done(let result): return result
            case .mapFull(let bytesWanted):
                if try freeKeptPages() { continue }
                try grow(bytesWanted: bytesWanted)
            case .mapResized: try adoptMapSize()
            case .again: continue
            }
        }
    }

    private func attempt<R>(_ body: (WriteTransaction) throws -> R) throws -> Outcome<R> {
        // Read before the transaction begins: handles published later are not known to it.
        let (generation, mustMend) = monitor.withLock { ($0.tablesGeneration, $0.mustMend) }
        let handle: EngineTransaction
        do throws(LMDBError) {
            handle = try engine.begin(isReadOnly: false)
        } catch {
            if error.code == .mapResized { return .mapResized }
            throw error
        }
        if mustMend || log?.mustMend == true { try mend(handle) }
        do throws(LMDBError) {
            try log?.begin(handle, engine)
        } catch {
            handle.abort()
            throw error
        }
        let transaction = WriteTransaction(self, handle, tablesGeneration: generation)
        let result = Result { try body(transaction) }
        return try finish(transaction, result)
    }

    private func finish<R>(
        _ transaction: WriteTransaction, _ result: Result<R, any Error>
    ) throws -> Outcome<R> {
        let handle = transaction.end()
        let isCommitted: Bool
        do {
            switch (transaction.retry, transaction.spoiled, result) {
            case (.none, .none, .success):
                isCommitted = try commit(transaction, handle)
            default:
                handle.abort()
                isCommitted = false
            }
        } catch {
            forgetTables(of: transaction)
            throw error
        }
        if isCommitted {
            publishTables(of: transaction)
            try DriveFlush.run(engine, options.durability)
            return .done(try result.get())
        }
        forgetTables(of: transaction)
        switch transaction.retry {
        case .mapFull: return .mapFull(bytesWanted: transaction.bytesWritten)
        case .tablesChanged, .pagesFreed: return .again
        case .none:
            _ = try result.get()
            // Hidden by the closure.
            if let error = transaction.spoiled { throw error }
            preconditionFailure("A transaction without a failure was not committed.")
        }
    }

    /// Commits; false when the map turned out to be full.
    private func commit(
        _ transaction: WriteTransaction, _ handle: EngineTransaction
    ) throws(LMDBError) -> Bool {
        do throws(LMDBError) {
            if transaction.dropped.isEmpty {
                try commitLogged(handle)
            } else {
                try commitDropping(transaction, handle)
            }
        } catch {
            let hasFreedPages = log?.takeHasFreedPages() == true
            if hasFreedPages, error.code == .diskFull || error.code == .mapFull {
                transaction.retry = .pagesFreed
                return false
            }
            guard error.code == .mapFull else {
                if options.durability == .relaxed { monitor.withLock { $0.mustMend = true } }
                throw error
            }
            transaction.retry = .mapFull
            return false
        }
        return true
    }

    private func commitLogged(_ handle: EngineTransaction) throws(LMDBError) {
        guard let log else { return try handle.commit() }
        try log.commit(handle, engine)
    }

    /// Writes the meta pages again, after a flush that failed may have lost them.
    ///
    /// The system takes what it could not flush for clean and reports it once. With
    /// `Durability.relaxed` the last commit's meta page was among it; later commits use pages again
    /// that the meta pages on the device still need.
    private func mend(_ handle: EngineTransaction) throws(LMDBError) {
        do throws(LMDBError) {
            try MetaPages.writeAgain(try engine.dataDescriptor(), path: path)
        } catch {
            handle.abort()
            throw error
        }
        monitor.withLock { $0.mustMend = false }
        log?.mustMend = false
    }

    /// Removes dropped tables and commits while nobody of this process reads.
    ///
    /// The engine frees a removed table's handle at once, under the feet of readers that use it.
    private func commitDropping(
        _ transaction: WriteTransaction, _ handle: EngineTransaction
    ) throws(LMDBError) {
        var isOver = false
        do throws(LMDBError) {
            try withoutReaders("drop a table") { () throws(LMDBError) in
                transaction.claimTables()
                for table in transaction.dropped.values {
                    guard let slot = slots.handle(of: table) else { continue }
                    slots.free(table)
                    try handle.drop(slot, removing: true)
                }
                isOver = true
                log?.changes.giveUp()
                try commitLogged(handle)
            }
        } catch {
            if !isOver { handle.abort() }
            throw error
        }
    }

    private func clearStaleReadersIfDue() throws(LMDBError) {
        let isDue = monitor.withLock { state in
            let age = ContinuousClock.now - state.readersChecked
            guard age > .seconds(options.readerCheckSeconds) else { return false }
            state.readersChecked = .now
            return true
        }
        if isDue { try engine.checkReaders() }
    }

    /// Names the reads that keep the file growing.
    private func reportLongReaders() {
        guard let report = options.onLongReader else { return }
        let now = ContinuousClock.now
        let limit = Duration.seconds(options.longReaderSeconds)
        let found = monitor.withLock { state in
            var found: [(name: String, age: Duration)] = []
            for index in state.active.indices where !state.active[index].isReported {
                let age = now - state.active[index].start
                guard age > limit else { continue }
                state.active[index].isReported = true
                found.append((state.active[index].name, age))
            }
            return found
        }
        for reader in found { report(reader.name, reader.age / .seconds(1)) }
    }
}
