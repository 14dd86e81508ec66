import Foundation
public import Settle
import SettlePrimitives
import Synchronization

/// Operations for cloud services that are stored with the documents they are about.
///
/// An operation is added in the transaction that changes the documents, so both are stored or
/// neither is. Its pipeline starts it when its turn comes, over restarts of the app as often as it
/// takes, and its outcome is stored together with what the app writes for it. So each operation is
/// started at least once, and completed exactly once.
///
/// ```swift
/// let outbox = try await database.openOutbox(
///     OutboxConfiguration(operations: [PutNote.self], pipelines: [sending]))
/// try await database.write { transaction in
///     try transaction.save(["id": "milk", "text": "buy milk"])
///     try transaction.outbox.add(PutNote(noteId: "milk"), about: ["milk"])
/// }
/// ```
public final class Outbox: CommitParticipant {
    /// The name of the pipeline of operations that are not put into another one, where there are several.
    public static let defaultPipeline = "default"

    /// Which of an outbox's pipelines takes what is put into no other.
    static func mainPipeline(of names: [String]) -> String {
        names.count == 1 ? names[0] : defaultPipeline
    }
    /// The context of the hold of an operation that is tried again after a wait.
    public static let retryContext = "retry"

    /// The database it is in.
    public let database: Database
    /// What it was opened with.
    public let configuration: OutboxConfiguration
    /// The names of the types that are known; nil when none is, for a tool.
    let names: Set<String>?
    let signals = OutboxSignals()

    private struct State {
        var runners: [String: PipelineRunner] = [:]
        var suspendCount = 0
        var watch: Task<Void, Never>?
        var isClosed = false
    }
    private let state: Lock<State>

    init(_ database: Database, _ configuration: OutboxConfiguration) {
        self.database = database
        self.configuration = configuration
        state = Lock(State(suspendCount: configuration.suspendCount))
        names =
            configuration.operations.isEmpty
            ? nil : Set(configuration.operations.map { $0.operationName })
    }

    var now: Date { database.configuration.now() }

    var configurations: [PipelineConfiguration] { configuration.pipelines }

    var hooks: (any OutboxHooks)? { configuration.hooks }

    func configuration(of pipeline: String) -> PipelineConfiguration? {
        configurations.first { $0.name == pipeline }
    }

    // MARK: Use

    /// The outbox in a transaction of its database; what ``Settle/Transaction/outbox`` gives.
    ///
    /// - Throws: ``OutboxError`` with `closed`; ``/Settle/DatabaseError`` when the database cannot be written.
    /// - Precondition: The transaction is of the outbox's database.
    public func with(_ transaction: Transaction) throws -> OutboxTransaction {
        precondition(
            transaction.database === database,
            "An outbox is used in transactions of its own database.")
        try checkOpen()
        return try OutboxTransaction(self, transaction)
    }

    /// Runs a closure with the outbox in a transaction; see ``/Settle/Database/write(_:)``.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (OutboxTransaction) throws -> Value
    ) async throws -> Value {
        try await database.write { [self] in try body(with($0)) }
    }

    /// Runs a closure with the outbox in a snapshot; see ``/Settle/Database/read(named:_:)``.
    public func read<Value>(_ body: (OutboxSnapshot) throws -> Value) throws -> Value {
        try database.read(named: "outbox") { snapshot in
            try body(OutboxSnapshot(in: snapshot, names: names))
        }
    }

    /// The pipelines that run, in the order of the configuration.
    public var pipelines: [Pipeline] {
        let runners = state.withLock { $0.runners }
        return configurations.compactMap { runners[$0.name].map { Pipeline($0) } }
    }

    /// A pipeline that runs; nil when there is none of that name.
    ///
    /// - Parameter name: The name; that of the pipeline that takes what is for no other if not said.
    /// - Returns: The pipeline.
    public func pipeline(named name: String? = nil) -> Pipeline? {
        state.withLock { $0.runners[name ?? configuration.mainPipeline] }.map { Pipeline($0) }
    }

    // MARK: Suspending all

    /// How often all pipelines together were suspended more than resumed; each has a count of its
    /// own beside.
    public var suspendCount: Int { state.withLock { $0.suspendCount } }

    /// Whether all pipelines together are suspended.
    public var isSuspended: Bool { suspendCount > 0 }

    /// Suspends every pipeline once more; see ``Pipeline/suspend(count:)``.
    ///
    /// - Returns: The count of all pipelines together.
    @discardableResult
    public func suspend(count: Int = 1) -> Int {
        precondition(count >= 0, "A pipeline is not resumed by suspending it.")
        let (sum, runners) = state.withLock { state in
            let (sum, overflows) = state.suspendCount.addingReportingOverflow(count)
            state.suspendCount = overflows ? .max : sum
            return (state.suspendCount, Array(state.runners.values))
        }
        for runner in runners { runner.suspend(count: count) }
        return sum
    }

    /// Takes one suspension of every pipeline back; ignored when there is none.
    ///
    /// - Returns: The count of all pipelines together.
    @discardableResult
    public func resume() -> Int {
        let (count, runners) = state.withLock { state in
            guard state.suspendCount > 0 else { return (0, [PipelineRunner]()) }
            state.suspendCount -= 1
            return (state.suspendCount, Array(state.runners.values))
        }
        for runner in runners { runner.resume() }
        return count
    }

    // MARK: Following

    /// What happens to the queues of all pipelines from now on, as far as this process commits it.
    ///
    /// Every call gives a sequence of its own. What a slow reader has not taken yet is united, so
    /// nothing is lost and little is kept.
    public var queueChanges: QueueChanges { signals.queueChanges() }

    /// The failures of operations from now on.
    ///
    /// Every call gives a stream of its own; the last 256 wait for a slow reader.
    public var failures: AsyncStream<OperationFailure> {
        signals.failures.stream(.bufferingNewest(256))
    }

    /// The failures of pipelines from now on: nothing of the pipeline is started while they last.
    ///
    /// An operation that cannot be read stops its pipeline, since it is not known what it is about and what may
    /// overtake it; `check` names it. Every call gives a stream of its own; the last 16 wait for a slow reader.
    public var pipelineFailures: AsyncStream<PipelineFailure> {
        signals.pipelineFailures.stream(.bufferingNewest(16))
    }

    // MARK: Life

    /// Ends the work of all pipelines and returns when their delegates have.
    ///
    /// Operations that are being carried out are cancelled, and pending when the outbox is opened
    /// again. A write that is under way is stored with what it adds. The database stays open; closing
    /// that closes the outbox too, without waiting for the delegates. A call of a delegate that closes
    /// the outbox is waited for by nobody, since it waits itself; when several do, each waits for the
    /// others that do not. Closing twice does nothing.
    public func close() async {
        let (runners, watch) = state.withLock { state in
            state.isClosed = true
            defer { state.watch = nil }
            return (Array(state.runners.values), state.watch)
        }
        watch?.cancel()
        // First of all pipelines: the call may be of one, and be waited for by a call of another.
        for runner in runners { runner.leaveCall() }
        for runner in runners { await runner.stop() }
        state.withLock { $0.runners = [:] }
        database.removeParticipant(self)
        OutboxCenter.of(database).forget(self)
        signals.finish()
    }

    /// Brings the stored queue into the form of the configuration, and begins to work.
    ///
    /// - Throws: ``OutboxError`` with `closed` when it is closed meanwhile: nothing is done then, since
    ///   another outbox may have been opened.
    func open() async throws {
        let commits = database.commitSignals()
        try state.withLock { state throws(OutboxError) in
            if state.isClosed { throw Self.closedError }
            // What other processes do to the queue is in no commit of ours.
            state.watch = TraceSpan.leaving {
                Task { [weak self] in
                    for await _ in commits { self?.lookAgain() }
                    // The database was closed, so there is nothing left to do.
                    if !Task.isCancelled { await self?.close() }
                }
            }
        }
        guard configuration.isRunning else { return }
        try await database.write { [self] transaction in
            try checkOpen()
            try OutboxOpening(table: OutboxTable(writingIn: transaction), now: now)
                .run(configurations)
        }
        let runners = try state.withLock { state throws(OutboxError) in
            if state.isClosed { throw Self.closedError }
            for pipeline in configurations {
                state.runners[pipeline.name] = PipelineRunner(
                    self, pipeline, suspendCount: state.suspendCount)
            }
            return Array(state.runners.values)
        }
        for runner in runners { runner.start() }
    }

    private func lookAgain() {
        for runner in state.withLock({ Array($0.runners.values) }) { runner.databaseChanged() }
    }

    func checkOpen() throws(OutboxError) {
        if state.withLock({ $0.isClosed }) { throw Self.closedError }
    }

    private static var closedError: OutboxError {
        OutboxError(.closed, "The outbox was closed. Open it again to use it.")
    }

    func checkKnown(_ type: (some OutboxOperation).Type, _ id: UUID) throws(OutboxError) {
        guard names?.contains(type.operationName) == true else {
            throw OutboxError(
                .unknownType,
                "The outbox was opened without the operations named '\(type.operationName)'. Add their "
                    + "type to its configuration.", operationId: id)
        }
    }

    func checkKnown(pipeline name: String, _ id: UUID) throws(OutboxError) {
        if !configuration.isRunning && configurations.isEmpty {
            return try OutboxConfiguration.check(name, "a pipeline")
        }
        guard configuration(of: name) != nil else {
            throw OutboxError(
                .unknownPipeline,
                "The outbox was opened without a pipeline named '\(name)'. Add it to its "
                    + "configuration.", operationId: id)
        }
    }

    // MARK: Taking part

    /// Stores what the closure did with the outbox; see ``/Settle/CommitParticipant/willCommit(_:in:)``.
    public func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
        let deleted = changes.filter { $0.isDeleted || $0.isPurged }.map(\.documentId)
        guard transaction.hasLocalState(of: self) || !deleted.isEmpty else { return }
        try CloudLinks(detaching: deleted, in: transaction)
        guard transaction.hasLocalState(of: self) else { return }
        let queue = try OutboxTransaction(self, transaction)
        var flush = try OutboxFlush(queue, transaction)
        try flush.run()
        queue.pendingOperations.isFlushed = true
        try CloudLinks.checkAttached(queue.pendingOperations.attached, in: transaction)
        let changes = queue.pendingOperations.changes.values.filter { !$0.isEmpty }
        if !changes.isEmpty { transaction.afterCommit { [self] in committed(changes) } }
    }

    private func committed(_ changes: [QueueChange]) {
        signals.publish(changes)
        let runners = state.withLock { $0.runners }
        for change in changes {
            runners[change.pipeline]?.queueChanged(
                ended: change.completed.union(change.skipped))
        }
    }

    /// Operations that were active are so no more.
    func ended(_ operations: Set<UUID>, in pipeline: String) {
        state.withLock { $0.runners[pipeline] }?.queueChanged(ended: operations)
    }

    /// An operation is active that something else works at.
    func marked(_ operation: UUID, _ start: OperationStart, in pipeline: String) {
        state.withLock { $0.runners[pipeline] }?.marked(operation, start)
    }
}
