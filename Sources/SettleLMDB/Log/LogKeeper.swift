import SettlePrimitives
import Synchronization

/// The commit log of an environment: when it is used, and what each commit does with it.
///
/// Everything but `work` is touched only by the thread that has the writer's place, and the log's file and the marks
/// only inside the engine's write transaction besides. `Docs/Formats/CommitLog.md` has the rules.
final class LogKeeper: @unchecked Sendable {
    let directory: String
    let options: EnvironmentOptions
    /// What the running transaction changes.
    let changes: LogChanges
    let work = Monitor(LogWork())
    /// Whether the file system has the locks that the log needs.
    private let isPossible: Bool
    /// Whether the environment wants it.
    private let isUsed: Lock<Bool>
    var session: LogSession?
    /// How many commits without the log must come before it is used.
    var plainCommitsLeft: Int
    /// The last transaction of this process that was flushed without the log.
    var flushedTransaction: UInt64 = 0
    private var hasFreedPages = false
    /// Whether no other process used the log since this one did.
    var wasLastUser = false
    private let dataFlush = DataFlush()
    /// Whether a flush of the meta pages has failed outside of a commit.
    var mustMend = false
    /// Lets go of the log when nothing was committed for a while.
    let whenIdle: Monitor<(@Sendable () -> Void)?> = Monitor(nil)
    var thread: DedicatedThread?

    init(directory: String, options: EnvironmentOptions, isPossible: Bool) {
        self.directory = directory
        self.options = options
        self.isPossible = isPossible
        isUsed = Lock(options.usesCommitLog)
        changes = LogChanges(limit: options.logTuning.recordBytesMax)
        plainCommitsLeft =
            options.durability == .relaxed ? 0 : options.logTuning.plainCommitsAtFirst
    }

    private var mayEnter: Bool { isPossible && isUsed.withLock { $0 } }

    /// Lets the next commits go through the log, whatever the options say.
    func use() {
        isUsed.withLock { $0 = true }
    }

    /// Says what is done, on the log's thread, when nothing was committed for a while.
    func setWhenIdle(_ body: @escaping @Sendable () -> Void) {
        whenIdle.withLock { $0 = body }
    }

    /// Begins a transaction: takes the log over that another process has left or uses.
    ///
    /// - Parameters:
    ///   - handle: The write transaction, in which nothing was written.
    ///   - engine: The engine.
    /// - Throws: ``LMDBError``; nothing may be written then.
    func begin(_ handle: EngineTransaction, _ engine: EngineEnvironment) throws(LMDBError) {
        if let failure = work.withLock({ $0.failure }) { throw failure }
        try requireName(engine)
        let mark = try DataMark.read(try engine.dataDescriptor(), path: directory)
        if mark.session != (session?.number ?? 0) {
            if session != nil { dropSession(engine) }
            wasLastUser = false
            if mark.session != 0 { try takeOver(mark, handle, engine) }
            plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
        }
        changes.begin(isKept: session != nil || (mayEnter && plainCommitsLeft <= 0))
    }

    /// Commits a transaction, through the log or past it.
    ///
    /// - Throws: ``LMDBError`` as the engine or the system reports it. With `panic` it may be committed nevertheless;
    ///   with any other error it is not, and the transaction has ended.
    func commit(_ handle: EngineTransaction, _ engine: EngineEnvironment) throws(LMDBError) {
        let number = handle.number
        if session == nil, changes.isComplete, !changes.isEmpty { enter(handle, engine) }
        // Another cause of failure than the engine's own: nothing may be written any more.
        if let failure = work.withLock({ $0.failure }) {
            handle.abort()
            throw failure
        }
        guard session != nil else { return try commitPlainly(handle, number, engine) }
        guard changes.isComplete, !changes.isEmpty else {
            return try commitUnlogged(handle, number, engine)
        }
        do throws(LMDBError) {
            try clearFailedRecord()
        } catch {
            handle.abort()
            throw error
        }
        do throws(LMDBError) {
            try makeRoom(handle, engine)
        } catch {
            handle.abort()
            throw poison(error)
        }
        do throws(LMDBError) {
            try append(handle)
        } catch {
            // What is there of it may be found until it is cleared.
            session?.hasFailedRecord = true
            handle.abort()
            throw error
        }
        do throws(LMDBError) {
            try flushRecord()
        } catch {
            // Whether it is on the medium nobody knows, and no later flush tells.
            handle.abort()
            try cutOff(engine)
            throw error
        }
        do throws(LMDBError) {
            try handle.commit()
        } catch {
            try cutOff(engine)
            throw error
        }
    }

    private func commitPlainly(
        _ handle: EngineTransaction, _ number: UInt64, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        try handle.commit()
        guard mayEnter else { return }
        if try engine.info().transactionLast == number {
            plainCommitsLeft = max(0, plainCommitsLeft - 1)
            if options.durability == .full { flushedTransaction = number }
        }
    }

    /// Commits what no record holds, and makes a storage checkpoint of it.
    private func commitUnlogged(
        _ handle: EngineTransaction, _ number: UInt64, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        try handle.commit()
        options.logTuning.afterUnloggedCommit?()
        // One that changes nothing has no number.
        guard try engine.info().transactionLast >= number else { return }
        do throws(LMDBError) {
            try withOwnLog(engine) { (handle) throws(LMDBError) in
                try checkpoint(handle, engine)
            }
        } catch {
            throw poison(error)
        }
        work.withLock(waking: .none) { $0.lastCommit = .now }
    }

    /// Whether the last commit has failed and the log was ended for it; asked once.
    ///
    /// The pages that it kept are free then, so that what found no room may find it now.
    func takeHasFreedPages() -> Bool {
        defer { hasFreedPages = false }
        return hasFreedPages
    }

    /// A record is on the medium, or may be, whose transaction the engine has not committed: it must not come back.
    private func cutOff(_ engine: EngineEnvironment) throws(LMDBError) {
        do throws(LMDBError) {
            try withOwnLog(engine) { (handle) throws(LMDBError) in
                waitForCheckpoint()
                // The records before are of no use any more once the data file is flushed, and the head is written
                // anew: the flush that failed is nothing to either.
                session?.file.forgetFailure()
                try leave(handle, engine)
            }
        } catch {
            throw poison(error)
        }
        plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
        hasFreedPages = true
    }

    /// Runs the body in a write transaction of its own, if the log is still this process'.
    ///
    /// If it is not, the data file stands by itself when this returns: another process has seen to that, or has died before
    /// it had.
    func withOwnLog(
        _ engine: EngineEnvironment, _ body: (EngineTransaction) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let handle: EngineTransaction
        do throws(LMDBError) {
            handle = try engine.begin(isReadOnly: false)
        } catch {
            // Who has made the file larger has taken the log over.
            guard error.code == .mapResized else { throw error }
            try dropIfLost(engine)
            if session == nil { return }
            throw error
        }
        defer { handle.abort() }
        let mark = try DataMark.read(try engine.dataDescriptor(), path: directory)
        guard mark.session == session?.number else {
            dropSession(engine)
            wasLastUser = false
            plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
            if mark.session != 0, !options.logFaults.contains(.trustsOthers) {
                try takeOver(mark, handle, engine)
            }
            return
        }
        try body(handle)
    }

    /// Flushes the data file; one at a time, since the system tells only one of two of a failure that meets both.
    ///
    /// - Throws: ``LMDBError`` as the system reports it; from then on nothing is written while the log is in use.
    func flushData(_ engine: EngineEnvironment) throws(LMDBError) {
        try dataFlush.withLock { () throws(LMDBError) in
            let (failure, isUsed) = work.withLock { ($0.failure, $0.session != 0) }
            if let failure { throw failure }
            do throws(LMDBError) {
                try engine.sync()
            } catch {
                if isUsed { poison(error) }
                throw error
            }
        }
    }

    /// From now on nothing is written; says why.
    @discardableResult
    func poison(_ error: LMDBError) -> LMDBError {
        let failure = LMDBError(
            code: .panic, operation: error.operation, path: directory,
            message:
                "The log or the data file could not be written or flushed, so nothing is written "
                + "any more: close the database and open it again. \(error.message)")
        let (first, file, session) = work.withLock { work in
            if work.failure == nil { work.failure = failure }
            return (work.failure ?? failure, work.file, work.session)
        }
        if session != 0 { file?.notePoison(session: session) }
        return first
    }

    func dropSession(_ engine: EngineEnvironment) {
        guard let session else { return }
        waitForCheckpoint()
        session.pin.abort()
        self.session = nil
        work.withLock { work in
            work.file = nil
            work.session = 0
            work.unflushedSince = nil
        }
        try? engine.setFlushing(true)
    }

    func waitForCheckpoint() {
        work.when { $0.checkpoint == nil ? () : nil }
    }
}

/// Lets one thread at a time flush the data file.
private final class DataFlush: Sendable {
    private let turn = Lock<Void>(())

    func withLock(_ body: () throws(LMDBError) -> Void) throws(LMDBError) {
        try turn.withLock { (_) throws(LMDBError) in try body() }
    }
}
