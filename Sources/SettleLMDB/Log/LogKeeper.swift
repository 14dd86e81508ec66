import SettlePrimitives

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
    private(set) var session: LogSession?
    /// How many commits without the log must come before it is used.
    private var plainCommitsLeft: Int
    /// The last transaction of this process that was flushed without the log.
    private var flushedTransaction: UInt64 = 0
    private var hasFreedPages = false
    /// Lets go of the log when nothing was committed for a while.
    private let whenIdle: Monitor<(@Sendable () -> Void)?> = Monitor(nil)
    private var thread: DedicatedThread?

    init(directory: String, options: EnvironmentOptions, isPossible: Bool) {
        self.directory = directory
        self.options = options
        self.isPossible = isPossible && options.usesCommitLog
        changes = LogChanges(limit: options.logTuning.recordBytesMax)
        plainCommitsLeft = options.durability == .relaxed ? 0 : options.logTuning.plainCommitsAtFirst
    }

    /// Says what is done, on the log's thread, when nothing was committed for a while.
    func setWhenIdle(_ body: @escaping @Sendable () -> Void) {
        whenIdle.withLock { $0 = body }
    }

    // MARK: Inside write transactions

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
        changes.begin(isKept: session != nil || (isPossible && plainCommitsLeft <= 0))
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
        guard isPossible else { return }
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

    // MARK: Between transactions

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

    /// Ends the use of the log and its thread; the engine may be closed afterwards.
    ///
    /// What fails is left to the next open.
    ///
    /// - Parameter engine: The engine; nil when it has been closed before.
    func close(_ engine: EngineEnvironment?) {
        let isSound = work.withLock { $0.failure == nil }
        if isSound, let engine { _ = try? end(engine, isPlainForLong: false) }
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

    // MARK: Parts

    /// Runs the body in a write transaction of its own, if the log is still this process'.
    ///
    /// If it is not, another process has flushed all that there was.
    private func withOwnLog(
        _ engine: EngineEnvironment, _ body: (EngineTransaction) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let handle = try engine.begin(isReadOnly: false)
        defer { handle.abort() }
        let mark = try DataMark.read(try engine.dataDescriptor(), path: directory)
        guard mark.session == session?.number else {
            dropSession(engine)
            plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
            return
        }
        try body(handle)
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
            message: "The log or the data file could not be written or flushed, so nothing is written "
                + "any more: close the database and open it again. \(error.message)")
        let (first, file, session) = work.withLock { work in
            if work.failure == nil { work.failure = failure }
            return (work.failure ?? failure, work.file, work.session)
        }
        if session != 0 { file?.notePoison(session: session) }
        return first
    }

    private func dropSession(_ engine: EngineEnvironment) {
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

    private func waitForCheckpoint() {
        work.when { $0.checkpoint == nil ? () : nil }
    }

    // MARK: Storage checkpoints

    /// Begins to use the log, if that is possible; the state before the transaction is the storage checkpoint.
    ///
    /// Where it is not possible, commits go on without it. Once its head may be on the medium, a failure is final.
    private func enter(_ handle: EngineTransaction, _ engine: EngineEnvironment) {
        let checkpoint = handle.number - 1
        guard checkpoint > 0, (try? hasRoom(engine)) == true else { return }
        plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
        var pins: [EngineTransaction] = []
        do throws(LMDBError) {
            let descriptor = try engine.dataDescriptor()
            let pageSize = try engine.pageSize()
            let (file, found): (LogFile, LogHead)
            do throws(LMDBError) {
                (file, found) = try openFile(pageSizeBytes: pageSize)
            } catch {
                plainCommitsLeft = options.logTuning.plainCommitsAfterFailure
                throw error
            }
            let mark = try DataMark.read(descriptor, path: directory)
            if mark.identifier != found.identifier {
                try DataMark(identifier: found.identifier, session: 0)
                    .write(descriptor, pageSizeBytes: pageSize, path: directory)
                try engine.sync()
            } else if flushedTransaction != checkpoint, !options.logFaults.contains(.noDataFlush) {
                try engine.sync()
            }
            let meta = try MetaPages.copy(
                of: checkpoint, descriptor, pageSizeBytes: pageSize, path: directory)
            // Two at once: a checkpoint must not fail for want of a place.
            for _ in 0..<2 { pins.append(try engine.begin(isReadOnly: true)) }
            pins[1].reset()
            if options.logFaults.contains(.noPin) { pins[0].reset() }
            var head = found.cleaned(checkpoint: checkpoint, generation: found.generation + 1)
            head.state = .live
            head.session = UInt32.random(in: 1...UInt32.max)
            head.segment = 0
            head.meta = meta
            head.pageSizeBytes = pageSize
            try begin(head, file, pins, engine, descriptor)
        } catch {
            for pin in pins { pin.abort() }
        }
    }

    /// Whether the largest map has room for the pages that the log keeps.
    ///
    /// In a file that is all but full every freed page is needed at once, for a deletion even.
    private func hasRoom(_ engine: EngineEnvironment) throws(LMDBError) -> Bool {
        let used = try engine.info().pageLast * engine.pageSize()
        return options.mapSizeMax - used >= options.mapSizeMax / options.logTuning.mapReservePart
    }

    private func begin(
        _ head: LogHead, _ file: LogFile, _ pins: [EngineTransaction], _ engine: EngineEnvironment,
        _ descriptor: Int32
    ) throws(LMDBError) {
        // Others must see that the log is in use before it is.
        try DataMark(identifier: head.identifier, session: head.session)
            .write(descriptor, pageSizeBytes: head.pageSizeBytes, path: directory)
        session = LogSession(
            file: file, number: head.session, head: head, pin: pins[0], segment: head.segment,
            generation: head.generation)
        work.withLock { work in
            work.file = file
            work.session = head.session
            work.spare = pins[1]
            work.lastCommit = .now
        }
        do throws(LMDBError) {
            try file.locked { () throws(LMDBError) in
                try file.write(head)
                try file.flush()
            }
            try engine.setFlushing(false)
        } catch {
            poison(error)
            return
        }
        startThread()
    }

    private func openFile(
        pageSizeBytes: Int
    ) throws(LMDBError) -> (LogFile, LogHead) {
        if let file = try LogFile.open(in: directory, isReadOnly: false), let head = try file.head() {
            guard head.state == .clean else {
                throw LMDBError(
                    code: .invalid, operation: "open log", path: directory,
                    message: "The log \(LogLayout.name) belongs to another data file.")
            }
            return (file, head)
        }
        let head = LogHead(
            state: .clean, sequence: 1, identifier: UInt32.random(in: 1...UInt32.max), session: 0,
            generation: 0, segment: 0, segmentBytes: options.logTuning.segmentBytes,
            pageSizeBytes: pageSizeBytes, checkpoint: 0, meta: [])
        return (try LogFile.make(in: directory, head: head), head)
    }

    /// The head of a storage checkpoint at the state before the transaction, and what keeps its pages.
    private func nextCheckpoint(
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
    private func turn(
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
    private func checkpoint(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        waitForCheckpoint()
        if let failure = work.withLock({ $0.failure }) { throw failure }
        let next = try nextCheckpoint(handle, engine)
        guard let old = session else { return }
        move(to: next)
        try finish(
            LogWork.Checkpoint(
                head: next.head, previous: old.head, pin: old.pin, file: old.file, engine: engine))
    }

    private func move(to next: (head: LogHead, pin: EngineTransaction)) {
        session?.head = next.head
        session?.pin = next.pin
        session?.segment = next.head.segment
        session?.generation = next.head.generation
        session?.offset = 0
        session?.commitCount = 0
        session?.pageCount = 0
    }

    /// Flushes the data file, notes the head, and only then lets go of the pages of the checkpoint before.
    func finish(_ task: LogWork.Checkpoint) throws(LMDBError) {
        var head = task.head
        if !options.logFaults.contains(.headFirst), !options.logFaults.contains(.noDataFlush) {
            try task.engine.sync()
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
        try task.file.locked { () throws(LMDBError) in
            // Another process may have taken the log over, and flushed everything.
            guard try task.file.head() == task.previous else { return }
            try task.file.write(head)
            try task.file.flush()
        }
        if options.logFaults.contains(.headFirst) { try task.engine.sync() }
        task.pin.reset()
        work.withLock { $0.spare = task.pin }
    }

    /// Makes the data file stand by itself.
    private func leave(
        _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        waitForCheckpoint()
        if let failure = work.withLock({ $0.failure }) { throw failure }
        guard let session else { return }
        if !options.logFaults.contains(.noDataFlush) { try engine.sync() }
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

    /// Makes the data file stand by itself whose log another process uses, or has left when it was killed.
    private func takeOver(
        _ mark: DataMark, _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        guard let file = try LogFile.open(in: directory, isReadOnly: false) else {
            throw LMDBError(
                code: .corrupted, operation: "take over log", path: directory,
                message: "Another process uses the log \(LogLayout.name), which is not there.")
        }
        do throws(LMDBError) {
            try file.locked { () throws(LMDBError) in
                try file.requireSound(session: mark.session)
                if let head = try file.head(), head.state == .live {
                    try engine.sync()
                    // The records may have gone on in the other segment.
                    try file.write(
                        head.cleaned(
                            checkpoint: handle.number - 1, generation: head.generation + 1))
                    try file.flush()
                }
            }
        } catch {
            file.notePoison(session: mark.session)
            throw poison(error)
        }
        try DataMark(identifier: mark.identifier, session: 0)
            .write(
                try engine.dataDescriptor(), pageSizeBytes: try engine.pageSize(), path: directory)
    }

    // MARK: The thread

    private func startThread() {
        let isNeeded = work.withLock { work in
            defer { work.isRunning = true }
            return !work.isRunning
        }
        guard isNeeded else { return }
        thread = DedicatedThread(name: "settle.log") { [self] in runThread() }
    }

    private enum Step {
        case stop
        case checkpoint(LogWork.Checkpoint)
        case flush
        case idle
        case lookAgain
    }

    private func runThread() {
        while true {
            switch nextStep() {
            case nil, .lookAgain: continue
            case .stop: return
            case .checkpoint(let task):
                do throws(LMDBError) {
                    try finish(task)
                } catch {
                    poison(error)
                    giveUp(task)
                }
                work.withLock { $0.checkpoint = nil }
            case .flush: try? flush()
            case .idle:
                let body = whenIdle.withLock { $0 }
                body?()
                // Whatever came of it: not again at once.
                work.withLock(waking: .none) { $0.lastCommit = .now }
            }
        }
    }

    private func giveUp(_ task: LogWork.Checkpoint) {
        task.pin.reset()
        work.withLock { $0.spare = task.pin }
    }

    /// Waits for something to do; nil when a while is over.
    private func nextStep() -> Step? {
        let deadline = work.withLock { due($0)?.time } ?? .now + .seconds(3_600)
        let seconds = max(0, (deadline - .now) / .seconds(1))
        return work.when(withinSeconds: seconds) { work -> Step? in
            if let task = work.checkpoint {
                if work.failure == nil { return .checkpoint(task) }
                // Nothing is written any more.
                task.pin.reset()
                work.spare = task.pin
                work.checkpoint = nil
                return .lookAgain
            }
            if work.isStopping { return .stop }
            guard let due = due(work) else { return nil }
            if due.time <= .now { return due.step }
            return due.time < deadline ? .lookAgain : nil
        }
    }

    /// What the time brings next.
    private func due(_ work: LogWork) -> (time: ContinuousClock.Instant, step: Step)? {
        guard work.session != 0, work.failure == nil else { return nil }
        let idle = work.lastCommit + .seconds(options.logTuning.idleSeconds)
        guard let since = work.unflushedSince else { return (idle, .idle) }
        let flush = since + .seconds(options.relaxedSecondsMax)
        return flush <= idle ? (flush, .flush) : (idle, .idle)
    }
}
