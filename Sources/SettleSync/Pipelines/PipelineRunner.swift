import Foundation
import Settle
import Synchronization

/// Does what a pipeline's machine decides: starts operations in the database, hands them to the
/// delegate, stores what became of them.
///
/// The lock of the state guards it, and nothing is called while that is held; that of what was told is
/// taken before it.
final class PipelineRunner: Sendable {
    let configuration: PipelineConfiguration
    private let database: Database
    private let outbox: WeakOutbox

    /// One call of the delegate.
    private struct Work {
        let task: Task<Void, Never>
        /// Which start it is for; the operation may have been given back and started again since.
        let startCount: Int
    }

    private struct State {
        var machine: PipelineStateMachine
        /// The tasks of the delegate, by operations.
        var tasks: [UUID: Work] = [:]
        var look: Task<Void, Never>?
        var timer: (date: Date, task: Task<Void, Never>)?
        var isStopped = false
    }
    private let state: Mutex<State>

    /// What those who follow were told last.
    private struct Told {
        var isActive: Bool
        var suspendCount: Int
    }
    /// Held while they are told, so that the last they hear is how it is.
    private let told: Mutex<Told>
    private let activities = Broadcast<Bool>()
    private let counts = Broadcast<Int>()

    init(_ outbox: Outbox, _ configuration: PipelineConfiguration) {
        self.configuration = configuration
        self.outbox = WeakOutbox(outbox)
        database = outbox.database
        var machine = PipelineStateMachine(limit: configuration.maxConcurrentOperationCount)
        _ = machine.suspend(count: outbox.suspendCount)
        told = Mutex(Told(isActive: machine.isActive, suspendCount: machine.suspendCount))
        state = Mutex(State(machine: machine))
    }

    var name: String { configuration.name }
    var limit: Int { state.withLock { $0.machine.limit } }
    var active: Set<UUID> { state.withLock { $0.machine.active } }
    var isActive: Bool { state.withLock { $0.machine.isActive } }
    var suspendCount: Int { state.withLock { $0.machine.suspendCount } }
    var activity: AsyncStream<Bool> {
        told.withLock { activities.stream(.bufferingNewest(1), first: $0.isActive) }
    }
    var suspendCounts: AsyncStream<Int> {
        told.withLock { counts.stream(.bufferingNewest(1), first: $0.suspendCount) }
    }

    // MARK: Events

    func start() { happened { _ in } }

    func setLimit(_ limit: Int) { happened { $0.setLimit(limit) } }

    @discardableResult
    func suspend(count: Int) -> Int {
        happened { $0.suspend(count: count) }
    }

    @discardableResult
    func resume() -> Int {
        happened { $0.resume() }
    }

    /// The queue is another one; some operations are not active any more.
    func queueChanged(ended: Set<UUID>) {
        let tasks = state.withLock { state in
            ended.compactMap { state.tasks.removeValue(forKey: $0) }
        }
        for work in tasks { work.task.cancel() }
        happened { machine in
            for operation in ended { machine.ended(operation) }
            machine.queueChanged()
        }
    }

    /// Something was committed, maybe by another process, which may have ended operations too.
    func databaseChanged() {
        let active = self.active
        var ended: Set<UUID> = []
        if !active.isEmpty {
            // What cannot be read now is looked at again with the next commit.
            ended =
                (try? database.read(named: "outbox") { snapshot in
                    let table = try OutboxTable(in: snapshot)
                    return try active.filter { id in
                        guard let key = try table.key(of: id) else { return true }
                        return try !table.isListed(key, in: .started, priority: 0)
                    }
                }) ?? []
        }
        queueChanged(ended: ended)
    }

    func marked(_ operation: UUID) { happened { $0.marked(operation) } }

    /// Ends the work, and returns when the delegate's calls have ended.
    func stop() async {
        let (tasks, look) = state.withLock { state in
            state.isStopped = true
            state.machine.stop()
            state.timer?.task.cancel()
            state.timer = nil
            return (state.tasks.values.map(\.task), state.look)
        }
        for task in tasks { task.cancel() }
        await look?.value
        // The look may have handed out more.
        let rest = state.withLock { $0.tasks.values.map(\.task) }
        for task in rest { task.cancel() }
        for task in tasks + rest { await task.value }
        activities.finish()
        counts.finish()
    }

    /// Tells the machine of an event, and does what it decides.
    @discardableResult
    private func happened<Value>(_ event: (inout PipelineStateMachine) -> Value) -> Value {
        let value = state.withLock { state in
            let value = event(&state.machine)
            if case .look(let countMax) = state.machine.next() {
                let before = state.look
                state.look = Task { [weak self] in
                    await before?.value
                    await self?.look(countMax)
                }
            }
            return value
        }
        tell()
        return value
    }

    /// Tells those who follow how it is now, if it is otherwise than they know.
    private func tell() {
        told.withLock { told in
            let (isActive, count) = state.withLock {
                ($0.machine.isActive, $0.machine.suspendCount)
            }
            if isActive != told.isActive { activities.send(isActive) }
            if count != told.suspendCount { counts.send(count) }
            told = Told(isActive: isActive, suspendCount: count)
        }
    }

    // MARK: Starting

    private func look(_ countMax: Int) async {
        guard let outbox = outbox.value else { return }
        do {
            let found = try await find(countMax, outbox)
            // Before the operations begin, so that the end of one is after its start.
            happened {
                $0.started(
                    found.operations.map(\.id), isEmpty: found.isEmpty, nextDate: found.nextDate,
                    countMax: countMax)
            }
            state.withLock { state in
                for operation in found.operations {
                    let task = Task { [weak self] in
                        guard let self else { return }
                        await carryOut(operation)
                        forgetTask(of: operation)
                    }
                    state.tasks[operation.id] = Work(
                        task: task, startCount: operation.startCount)
                }
            }
            setTimer(found.nextDate)
        } catch {
            // A database that was closed or cannot be written: the next commit wakes it again.
            happened { $0.lookFailed() }
        }
    }

    private struct Found: Sendable {
        var operations: [QueuedOperation] = []
        var isEmpty = true
        var nextDate: Date?
    }

    /// Starts what may start, in the database.
    private func find(_ countMax: Int, _ outbox: Outbox) async throws -> Found {
        let (now, name) = (outbox.now, name)
        let (found, number, mayStart) = try database.read(named: "outbox") { snapshot in
            let table = try OutboxTable(in: snapshot)
            guard let record = try table.pipeline(named: name) else {
                return (Found(), UInt32(0), false)
            }
            let next = try table.nextHoldDate(of: record.number)
            let isReady = try !table.keys(in: .ready, of: record.number, countMax: 1).isEmpty
            let isEmpty = try table.lowestGraph(of: record.number) == nil
            return (
                Found(isEmpty: isEmpty, nextDate: next), record.number,
                isReady || next.map { $0 <= now } ?? false
            )
        }
        guard mayStart, countMax > 0, configuration.delegate != nil else { return found }
        return try await database.write { [self] transaction in
            let room = state.withLock { $0.machine.room(of: countMax) }
            let table = try OutboxTable(writingIn: transaction)
            let schedule = OperationSchedule(table: table, now: now)
            let started = try schedule.start(
                of: number, countMax: room,
                isKnown: { outbox.names?.contains($0) ?? false })
            return Found(
                operations: started.map {
                    QueuedOperation($0.row, $0.key, pipeline: name, status: .active)
                },
                isEmpty: false, nextDate: try table.nextHoldDate(of: number))
        }
    }

    /// Wakes the machine when the first hold ends.
    private func setTimer(_ date: Date?) {
        guard let outbox = outbox.value else { return }
        let (now, clock) = (outbox.now, database.configuration.clock)
        state.withLock { state in
            if state.timer?.date == date { return }
            state.timer?.task.cancel()
            state.timer = nil
            guard let date, !state.isStopped else { return }
            let wait = Duration.seconds(max(0, date.timeIntervalSince(now)))
            let task = Task { [weak self] in
                guard (try? await clock.sleep(for: wait)) != nil else { return }
                self?.timeCame(date)
            }
            state.timer = (date, task)
        }
    }

    private func timeCame(_ date: Date) {
        state.withLock { state in
            if state.timer?.date == date { state.timer = nil }
        }
        happened { $0.queueChanged() }
    }

    // MARK: Carrying out

    private func carryOut(_ operation: QueuedOperation) async {
        guard let delegate = configuration.delegate, let outbox = outbox.value else { return }
        do {
            let outcome = try await delegate.start(operation, in: Pipeline(self))
            if case .leftActive = outcome.kind { return }
            if case .suspended = outcome.kind { suspend(count: 1) }
            try await outbox.store(outcome, of: operation)
        } catch {
            await failed(operation, error, outbox)
        }
    }

    private func forgetTask(of operation: QueuedOperation) {
        state.withLock { state in
            guard state.tasks[operation.id]?.startCount == operation.startCount else { return }
            state.tasks[operation.id] = nil
        }
    }

    private func failed(
        _ operation: QueuedOperation, _ error: any Error, _ outbox: Outbox
    ) async {
        // Who closes the outbox cancels; that is no failure of the operation.
        let isStopped = state.withLock { $0.isStopped }
        let wait =
            isStopped
            ? 0
            : configuration.retries.wait(
                startCount: operation.startCount, random: Double.random(in: 0...1))
        var date: Date?
        do {
            // Somebody else may have ended it, or given it back: then it did not fail.
            guard try await outbox.store(.retry(after: wait), of: operation) else { return }
            date = outbox.now.addingTimeInterval(wait)
        } catch {
            // It stays started in the database, and is pending after the next opening.
            date = nil
        }
        if isStopped { return }
        outbox.signals.failures.send(
            OperationFailure(
                operationId: operation.id, name: operation.name, pipeline: name, error: error,
                retryDate: date))
    }
}
