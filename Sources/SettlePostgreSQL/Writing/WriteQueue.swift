import SettlePQ
import SettlePrimitives
import SettleServer
import Synchronization

/// The writes of this process to one table.
///
/// Those that wait while a transaction is under way are put together in the next one, so that many
/// senders cost few round trips and one flush of PostgreSQL's log. Each has its own answer, after
/// the commit.
final class WriteQueue: Sendable {
    /// One write, without its type.
    private struct Write: Sendable {
        let ids: [String]
        /// Runs the write; the answer is what to do once it is stored.
        let attempt: @Sendable (PostgreSQLTransaction) throws -> Answer
        let fail: @Sendable (any Error) -> Void
    }

    private typealias Answer = @Sendable () -> Void

    private struct State {
        var writes = GroupCommitQueue<Write>()
        var idlers: [CheckedContinuation<Void, Never>] = []
    }

    private let name: TableName
    private let tableId: Int64
    private let pool: PQPool
    private let signals: ChangeSignals
    private let state = Lock(State())

    /// How many writes one transaction takes.
    private static let countMax = 128
    /// How many ids the writes of one transaction have, unless one write alone has more.
    private static let idCountMax = 1_000
    /// How often a transaction is begun again whose connection ended before its commit.
    private static let attemptsMax = 3

    init(name: TableName, tableId: Int64, pool: PQPool, signals: ChangeSignals) {
        self.name = name
        self.tableId = tableId
        self.pool = pool
        self.signals = signals
    }

    /// Carries out a write and returns when it is stored.
    ///
    /// - Throws: What `body` throws; ``PQError``.
    func perform<Value: Sendable>(
        touching ids: [String],
        _ body: @escaping @Sendable (any TableTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = Write(
                ids: ids,
                attempt: { transaction in
                    let value = try transaction.perform(body)
                    return { continuation.resume(returning: value) }
                },
                fail: { continuation.resume(throwing: $0) })
            // A task of its own: what is stored must not depend on who gives up waiting.
            if state.withLock({ $0.writes.add(write) }) { Task { await run() } }
        }
    }

    /// Returns when no write is under way.
    func drained() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.writes.isRunning { state.idlers.append(continuation) }
                return !state.writes.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }

    private func run() async {
        while let writes = next() {
            guard let error = await store(writes) as? PQError, error.code == .cannotConnect else {
                continue
            }
            // Those that wait have waited while it was tried: they are not told one after the other.
            guard let waiting = take({ $0.next() }) else { return }
            for write in waiting { write.fail(error) }
        }
    }

    /// The writes of the next transaction; nil when none waits.
    private func next() -> [Write]? {
        take { writes in
            var idCount = 0
            return writes.next(countMax: Self.countMax) { write in
                defer { idCount += write.ids.count }
                return idCount == 0 || idCount + write.ids.count <= Self.idCountMax
            }
        }
    }

    /// Takes writes that wait; when there are none, those go on that waited for that.
    private func take(_ batch: (inout GroupCommitQueue<Write>) -> [Write]?) -> [Write]? {
        let (writes, idlers) = state.withLock { state in
            let writes = batch(&state.writes)
            guard writes == nil else { return (writes, [CheckedContinuation<Void, Never>]()) }
            defer { state.idlers = [] }
            return (nil, state.idlers)
        }
        for idler in idlers { idler.resume() }
        return writes
    }

    /// Stores writes in one transaction, or when one of them makes it fail, each in its own.
    ///
    /// - Returns: Why writes that are tried now would fail, too; nil when they need not.
    private func store(_ writes: [Write]) async -> (any Error)? {
        do {
            for answer in try await transaction(writes) { answer() }
            return nil
        } catch let failure as SharedFailure {
            for write in writes { write.fail(failure.cause) }
            return failure.cause
        } catch {
            let isUnknown = (error as? PQError)?.code == .commitUnknown
            guard writes.count > 1, !isUnknown else {
                for write in writes { write.fail(error) }
                return nil
            }
        }
        for (place, write) in writes.enumerated() {
            if let error = await store([write]) {
                for other in writes[(place + 1)...] { other.fail(error) }
                return error
            }
        }
        return nil
    }

    /// An error that is none of a single write: there is no connection, or the table's lock was not
    /// come by.
    private struct SharedFailure: Error {
        let cause: any Error
    }

    /// Runs writes in one transaction.
    ///
    /// - Returns: The answers, in order: values of the writes that are stored, failures of the rest.
    /// - Throws: ``SharedFailure``; ``PQError`` with `commitUnknown`; other errors, which may be of
    ///   one of the writes.
    private func transaction(_ writes: [Write]) async throws -> [Answer] {
        var attempt = 1
        while true {
            do {
                let (answers, hasChanged) = try await pool.perform { [self] connection in
                    try connection.transaction(.write) {
                        try carryOut(writes, connection)
                    }
                }
                if hasChanged { signals.send(name.text) }
                return answers
            } catch let error as PQError
                where error.code == .connectionLost && attempt < Self.attemptsMax
            {
                // It ended before COMMIT was sent, so nothing of it is stored.
                attempt += 1
            } catch let error as PQError
                where [.cannotConnect, .connectionLost, .closed].contains(error.code)
            {
                throw SharedFailure(cause: error)
            }
        }
    }

    private func carryOut(
        _ writes: [Write], _ connection: PQConnection
    ) throws -> ([Answer], Bool) {
        let transaction = try locked(connection)
        try transaction.read(writes.flatMap(\.ids))
        var answers: [Answer] = []
        for write in writes {
            do {
                answers.append(try write.attempt(transaction))
            } catch let error as PQError {
                throw error
            } catch {
                answers.append { write.fail(error) }
            }
        }
        return (answers, try transaction.finish(table: name))
    }

    private func locked(_ connection: PQConnection) throws -> PostgreSQLTransaction {
        do {
            return try PostgreSQLTransaction(locking: tableId, connection)
        } catch let error as PQError where error.code != .statement || error.isConflict {
            // Tried again as a whole.
            throw error
        } catch {
            throw SharedFailure(cause: error)
        }
    }
}
