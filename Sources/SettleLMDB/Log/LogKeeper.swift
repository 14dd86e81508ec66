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
    private let isUsed: Mutex<Bool>
    var session: LogSession?
    /// How many commits without the log must come before it is used.
    var plainCommitsLeft: Int
    /// The last transaction of this process that was flushed without the log.
    var flushedTransaction: UInt64 = 0
    private var hasFreedPages = false
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
        isUsed = Mutex(options.usesCommitLog)
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
        let mark = try DataMark.read(try engine.dataDescriptor(), path: directory)
        if mark.session != (session?.number ?? 0) {
            if session != nil { dropSession(engine) }
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
            try append(handle, engine)
        } catch {
            handle.abort()
            throw poison(error)
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

    private func append(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        noteFreedPages(handle)
        let bytes = LogLayout.padded(changes.bytes.count)
        if try isCheckpointDue(bytes, engine) { try turn(handle, engine) }
        guard var session else { preconditionFailure("A record without a log.") }
        changes.seal(as: session.place(handle.number), faults: options.logFaults)
        try session.file.write(changes.bytes, at: session.recordOffset)
        session.offset += changes.bytes.count
        session.commitCount += 1
        self.session = session
        let isFlushed = options.durability == .full
        if isFlushed, !options.logFaults.contains(.noLogFlush) { try session.file.flush() }
        let now = ContinuousClock.now
        let isFirst = work.withLock(waking: .none) { work in
            work.lastCommit = now
            guard !isFlushed, work.unflushedSince == nil else { return false }
            work.unflushedSince = now
            return true
        }
        if isFirst { work.withLock { _ in } }
    }

    /// Whether the last commit has failed and the log was ended for it; asked once.
    ///
    /// The pages that it kept are free then, so that what found no room may find it now.
    func takeHasFreedPages() -> Bool {
        defer { hasFreedPages = false }
        return hasFreedPages
    }

    /// A record is on the medium whose transaction the engine could not commit: it must not come back.
    private func cutOff(_ engine: EngineEnvironment) throws(LMDBError) {
        do throws(LMDBError) {
            try withOwnLog(engine) { (handle) throws(LMDBError) in try leave(handle, engine) }
        } catch {
            throw poison(error)
        }
        plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
        hasFreedPages = true
    }

    /// Runs the body in a write transaction of its own, if the log is still this process'.
    ///
    /// If it is not, another process has flushed all that there was.
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
            plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
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
    private let turn = Mutex<Void>(())

    func withLock(_ body: () throws(LMDBError) -> Void) throws(LMDBError) {
        try turn.withLock { (_) throws(LMDBError) in try body() }
    }
}
