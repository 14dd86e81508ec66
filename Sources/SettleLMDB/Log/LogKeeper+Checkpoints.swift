import SettlePrimitives

extension LogKeeper {
    /// The head of a storage checkpoint at the state before the transaction, and what keeps its pages.
    func nextCheckpoint(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) -> (head: LogHead, pin: EngineTransaction) {
        guard let session else { preconditionFailure("A checkpoint without a log.") }
        let checkpoint = handle.number - 1
        var head = session.head
        head.sequence += 1
        head.checkpoint = checkpoint
        head.generation = session.generation + 1
        head.segment = 1 - session.segment
        head.meta = try MetaPages.copy(
            of: checkpoint, try engine.dataDescriptor(), pageSizeBytes: head.pageSizeBytes,
            path: directory)
        let spare = work.withLock { work in
            defer { work.spare = nil }
            return work.spare
        }
        guard let pin = spare else { preconditionFailure("Both pins are in use.") }
        do throws(LMDBError) {
            if !options.logFaults.contains(.noPin) { try pin.renew() }
        } catch {
            work.withLock { $0.spare = pin }
            throw error
        }
        return (head, pin)
    }

    /// Lets the records go on in the other segment, and the log's thread make the storage checkpoint.
    func turn(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        waitForCheckpoint()
        if let failure = work.withLock({ $0.failure }) { throw failure }
        let next = try nextCheckpoint(handle, engine)
        guard let old = session else { return }
        move(to: next)
        let task = LogWork.Checkpoint(
            head: next.head, previous: old.head, pin: old.pin, file: old.file, engine: engine)
        work.withLock { $0.checkpoint = task }
    }

    /// Makes a storage checkpoint of the state before the transaction, and waits for it.
    func checkpoint(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        waitForCheckpoint()
        if let failure = work.withLock({ $0.failure }) { throw failure }
        let next = try nextCheckpoint(handle, engine)
        guard let old = session else { return }
        move(to: next)
        let isNoted = try finish(
            LogWork.Checkpoint(
                head: next.head, previous: old.head, pin: old.pin, file: old.file, engine: engine))
        // No other process can take the log over during this transaction.
        guard isNoted else {
            throw LMDBError(
                code: .invalid, operation: "note checkpoint", path: directory,
                message: "The head of the log \(LogLayout.name) is not the one that was written.")
        }
    }

    func move(to next: (head: LogHead, pin: EngineTransaction)) {
        session?.head = next.head
        session?.pin = next.pin
        session?.segment = next.head.segment
        session?.generation = next.head.generation
        session?.offset = 0
        session?.commitCount = 0
        session?.pageCount = 0
    }

    /// Flushes the data file, notes the head, and only then lets go of the pages of the checkpoint before.
    ///
    /// - Returns: False when the head was not noted, because another process has taken the log over, and flushed everything.
    @discardableResult
    func finish(_ task: LogWork.Checkpoint) throws(LMDBError) -> Bool {
        var head = task.head
        if !options.logFaults.contains(.headFirst), !options.logFaults.contains(.noDataFlush) {
            try flushData(task.engine)
        }
        if options.logFaults.contains(.metaOfEnd) {
            let last = try task.engine.info().transactionLast
            if let meta = try? MetaPages.copy(
                of: last, try task.engine.dataDescriptor(), pageSizeBytes: head.pageSizeBytes,
                path: directory)
            {
                head.meta = meta
            }
        }
        let isNoted = try task.file.locked { () throws(LMDBError) in
            guard try task.file.head() == task.previous else { return false }
            try task.file.write(head)
            try task.file.flush()
            return true
        }
        if options.logFaults.contains(.headFirst) { try flushData(task.engine) }
        task.pin.reset()
        work.withLock { $0.spare = task.pin }
        return isNoted
    }

    /// Makes the data file stand by itself.
    func leave(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        waitForCheckpoint()
        if let failure = work.withLock({ $0.failure }) { throw failure }
        guard let session else { return }
        if !options.logFaults.contains(.noDataFlush) { try flushData(engine) }
        let head = session.head.cleaned(
            checkpoint: handle.number - 1, generation: session.generation)
        try session.file.locked { () throws(LMDBError) in
            try session.file.write(head)
            try session.file.flush()
        }
        try DataMark(identifier: head.identifier, session: 0)
            .write(
                try engine.dataDescriptor(), pageSizeBytes: head.pageSizeBytes, path: directory)
        flushedTransaction = handle.number - 1
        dropSession(engine)
        plainCommitsLeft = 0
    }
}
