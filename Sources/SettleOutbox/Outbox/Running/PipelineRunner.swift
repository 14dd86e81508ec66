import Foundation
import Settle
import SettlePrimitives
import Synchronization

/// Does what a pipeline's machine decides: starts operations in the database, hands them to the
/// delegate, stores what became of them.
///
/// The lock of the state guards it, and nothing is called while that is held; that of `notified` is
/// taken before it.
final class PipelineRunner: Sendable {
    let configuration: PipelineConfiguration
    private let database: Database
    private let outbox: WeakOutbox

    private let calls = DelegateCalls()

    private struct State {
        var machine: PipelineStateMachine
        var look: Task<Void, Never>?
        /// How many looks in a row have failed.
        var failureCount = 0
        var timer: (date: Date, task: Task<Void, Never>)?
        var isStopped = false
    }
    private let state: Lock<State>

    /// What subscribers were notified of last.
    private struct Notified {
        var isActive: Bool
        var suspendCount: Int
    }
    /// Held while they are notified, so that the last they get is how it is.
    private let notified: Lock<Notified>
    private let activities = Broadcast<Bool>()
    private let counts = Broadcast<Int>()

    init(_ outbox: Outbox, _ configuration: PipelineConfiguration, suspendCount: Int) {
        self.configuration = configuration
        self.outbox = WeakOutbox(outbox)
        database = outbox.database
        var machine = PipelineStateMachine(limit: configuration.maxConcurrentOperationCount)
        _ = machine.suspend(count: suspendCount)
        notified = Lock(Notified(isActive: machine.isActive, suspendCount: machine.suspendCount))
        state = Lock(State(machine: machine))
    }

    var name: String { configuration.name }
    var limit: Int { state.withLock { $0.machine.limit } }
    var active: Set<UUID> { state.withLock { Set($0.machine.active.keys) } }
    var isActive: Bool { state.withLock { $0.machine.isActive } }
    var suspendCount: Int { state.withLock { $0.machine.suspendCount } }
    var activity: AsyncStream<Bool> {
        notified.withLock { activities.stream(.bufferingNewest(1), first: $0.isActive) }
    }
    var suspendCounts: AsyncStream<Int> {
        notified.withLock { counts.stream(.bufferingNewest(1), first: $0.suspendCount) }
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
    ///
    /// Told in the order of the commits.
    func queueChanged(ended: Set<UUID>) {
        calls.cancel(ended)
        happened { machine in
            for operation in ended { machine.ended(operation) }
            machine.queueChanged()
        }
    }

    /// Something was committed, maybe by another process, which may have ended operations too.
    func databaseChanged() {
        let active = state.withLock { $0.machine.active }
        var ended: [UUID: OperationStart] = [:]
        if !active.isEmpty {
            // What cannot be read now is looked at again with the next commit.
            ended =
                (try? database.read(named: "outbox") { snapshot in
                    let table = try OutboxTable(in: snapshot)
                    return try active.filter { try !table.isStarted($0.key, $0.value) }
                }) ?? [:]
        }
        // By now one of them may have been started again.
        let gone = state.withLock { state in
            ended.filter { state.machine.active[$0.key] == $0.value }
        }
        calls.cancel(gone.keys)
        happened { machine in
            for (operation, start) in gone { machine.ended(operation, start) }
            machine.queueChanged()
        }
    }

    func marked(_ operation: UUID, _ start: OperationStart) {
        happened { $0.marked(operation, start) }
    }

    /// The outbox is about to be closed: nobody waits for the call that asks for it, if it is one of
    /// these.
    func leaveCall() { calls.leaveOwn() }

    /// Ends the work, and returns when the delegate's calls have ended.
    func stop() async {
        let look = state.withLock { state in
            state.isStopped = true
            state.machine.stop()
            state.timer?.task.cancel()
            state.timer = nil
            return state.look
        }
        await calls.stop()
        await look?.value
        // The look may have begun more.
        await calls.stop()
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
                // Whoever told of the event does not wait for the calls that follow from it.
                state.look = TraceSpan.leaving {
                    Task { [weak self] in
                        await before?.value
                        await self?.look(countMax)
                    }
                }
            }
            return value
        }
        tell()
        return value
    }

    /// Tells those who follow how it is now, if it is otherwise than they know.
    private func tell() {
        notified.withLock { notified in
            let (isActive, count) = state.withLock {
                ($0.machine.isActive, $0.machine.suspendCount)
            }
            if isActive != notified.isActive { activities.send(isActive) }
            if count != notified.suspendCount { counts.send(count) }
            notified = Notified(isActive: isActive, suspendCount: count)
        }
    }

    // MARK: Starting

    private func look(_ countMax: Int) async {
        guard let outbox = outbox.value else { return }
        do {
            let found = try await find(countMax, outbox)
            state.withLock { $0.failureCount = 0 }
            setTimer(found.nextDate, after: found.now)
            happened {
                $0.looked(
                    startedCount: found.operations.count, isEmpty: found.isEmpty,
                    countMax: countMax)
            }
        } catch {
            happened { $0.lookFailed() }
            // A full disk may have room again later; a closed database stays closed.
            if (error as? DatabaseError)?.code == .databaseClosed { return }
            let count = state.withLock { state in
                state.failureCount += 1
                return state.failureCount
            }
            let wait = configuration.retries.wait(
                startCount: count, random: Double.random(in: 0...1))
            let now = outbox.now
            let date = now.addingTimeInterval(max(wait, 0.1))
            setTimer(date, after: now)
            outbox.signals.pipelineFailures.send(
                PipelineFailure(pipeline: name, error: error, retryDate: date))
        }
    }

    /// Hands operations to the delegate that have just been started, on the writer's thread.
    private func began(_ operations: [QueuedOperation]) {
        happened { $0.began(operations.map { ($0.id, $0.start) }) }
        for operation in operations {
            calls.begin(operation.id) { [weak self] in await self?.carryOut(operation) }
        }
    }

    /// Starts what may start, in the database.
    private func find(_ countMax: Int, _ outbox: Outbox) async throws -> PipelineLook {
        let (now, name) = (outbox.now, name)
        let found = try database.read(named: "outbox") { snapshot in
            try PipelineLook(atPipelineNamed: name, now, in: OutboxTable(in: snapshot))
        }
        guard let number = found.startable, countMax > 0, configuration.delegate != nil else {
            return found
        }
        return try await database.write { [self] transaction in
            let room = state.withLock { $0.machine.room(of: countMax) }
            let table = try OutboxTable(writingIn: transaction)
            let schedule = OperationSchedule(table: table, now: now)
            let started = try schedule.start(
                of: number, countMax: room,
                isKnown: { outbox.names?.contains($0) ?? false })
            let operations = started.map {
                QueuedOperation($0.row, $0.key, pipeline: name, status: .active)
            }
            // In the order of the commits: whatever ends one of them comes after.
            transaction.afterCommit { [self] in began(operations) }
            return PipelineLook(
                operations: operations, isEmpty: false,
                nextDate: try table.nextHoldDate(of: number), now: now)
        }
    }

    /// The longest sleep: the device's clock may be set meanwhile.
    private static let sleepMax = Duration.seconds(60)

    /// Wakes the machine when the first hold ends.
    ///
    /// - Parameters:
    ///   - next: The date.
    ///   - asked: When the queue was looked at; what could start by then waits for a resume or a free
    ///     slot, and not for the clock.
    private func setTimer(_ next: Date?, after asked: Date) {
        guard let outbox = outbox.value else { return }
        let date = next.flatMap { $0 > asked ? $0 : nil }
        let (now, clock) = (outbox.now, database.configuration.clock)
        state.withLock { state in
            if state.timer?.date == date { return }
            state.timer?.task.cancel()
            state.timer = nil
            guard let date, !state.isStopped else { return }
            let seconds = max(0, date.timeIntervalSince(now))
            let wait = seconds < 60 ? Duration.seconds(seconds) : Self.sleepMax
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

    /// Keeps notes with an operation for as long as the start that it was handed out with lasts.
    func setNotes(
        _ notes: [String: JSONValue?], of operation: QueuedOperation
    ) async throws -> Bool {
        guard let outbox = outbox.value else {
            throw OutboxError(.closed, "The outbox was closed. Open it again to use it.")
        }
        return try await outbox.write { queue in
            guard try queue.isCarriedOut(operation) else { return false }
            try queue.setNotes(notes, of: operation.id)
            return true
        }
    }

    private func carryOut(_ operation: QueuedOperation) async {
        guard let delegate = configuration.delegate, let outbox = outbox.value else { return }
        let outcome: OperationOutcome
        do {
            outcome = try await delegate.start(operation, in: Pipeline(self))
        } catch {
            var isNotified = false
            while await !giveBack(operation, after: error, outbox, isNotified: &isNotified) {
                guard await pause(operation.startCount) else { return }
            }
            return
        }
        if case .leftActive = outcome.kind { return }
        await finish(outcome, of: operation, outbox)
    }

    /// Stores an outcome, and tries again for as long as the database takes nothing at all.
    private func finish(
        _ outcome: OperationOutcome, of operation: QueuedOperation, _ outbox: Outbox
    ) async {
        var suspends = false
        if case .suspended = outcome.kind { suspends = true }
        // Before it is stored, because the operation may start again at once.
        if suspends { suspend(count: 1) }
        var isNotified = false
        var count = 0
        repeat {
            count += 1
            do {
                let isStored = try await outbox.store(outcome, of: operation)
                if !isStored {
                    ended(operation)
                    if suspends { resume() }
                }
                return
            } catch {
                if await giveBack(operation, after: error, outbox, isNotified: &isNotified) {
                    if suspends { resume() }
                    return
                }
            }
        } while await pause(count)
    }

    /// Gives an operation back that has failed, to be tried again after a wait.
    ///
    /// - Returns: False when that could not be stored.
    private func giveBack(
        _ operation: QueuedOperation, after error: any Error, _ outbox: Outbox,
        isNotified: inout Bool
    ) async -> Bool {
        // Who closes the outbox cancels; that is no failure of the operation.
        let isStopped = state.withLock { $0.isStopped }
        let wait =
            isStopped
            ? 0
            : configuration.retries.wait(
                startCount: operation.startCount, random: Double.random(in: 0...1))
        var date: Date?
        do {
            guard
                try await outbox.store(
                    .retry(after: wait), of: operation,
                    failure: isStopped ? nil : OperationFault(error, at: outbox.now))
            else {
                // Somebody else has ended it, or given it back: then it did not fail.
                ended(operation)
                return true
            }
            date = outbox.now.addingTimeInterval(wait)
        } catch {
            date = nil
        }
        if !isStopped, !isNotified || date != nil {
            outbox.signals.failures.send(
                OperationFailure(
                    operationId: operation.id, name: operation.name, pipeline: name,
                    error: error, retryDate: date))
        }
        isNotified = true
        return date != nil
    }

    /// Waits before the database is tried again; false when that is over.
    private func pause(_ count: Int) async -> Bool {
        let wait = configuration.retries.wait(startCount: count, random: Double.random(in: 0...1))
        do {
            try await database.configuration.clock.sleep(for: .seconds(max(wait, 0.1)))
        } catch {
            return false
        }
        return !state.withLock { $0.isStopped }
    }

    private func ended(_ operation: QueuedOperation) {
        happened { $0.ended(operation.id, operation.start) }
    }
}
