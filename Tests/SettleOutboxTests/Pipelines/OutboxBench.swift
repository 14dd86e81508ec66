import Dispatch
import Foundation
import Settle
import SettleOutbox
import Synchronization
import TestSupport

/// An operation of the tests.
struct Step: OutboxOperation, Equatable {
    static let operationName = "step"
    var title: String
}

/// A database with an outbox whose operations a test carries out by hand.
final class OutboxBench: Sendable {
    let database: Database
    let hand = Hand()

    /// Opens the database, and makes it when it is not there.
    ///
    /// - Parameters:
    ///   - directory: Where the database is.
    ///   - clock: What waits are measured by.
    ///   - now: Where dates come from.
    /// - Throws: What the database throws.
    init(
        in directory: ScratchDirectory, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: directory.url,
            completionQueue: DispatchQueue(label: "settle.tests.completion"),
            durability: .relaxed, now: now, clock: clock)
        guard let database = try await Database.open(with: configuration, create: true) else {
            throw CancellationError()
        }
        self.database = database
    }

    /// Opens an outbox with pipelines whose operations wait for the hand.
    func open(
        _ pipelines: [PipelineConfiguration]? = nil,
        operations: [any OutboxOperation.Type] = [Step.self]
    ) async throws -> Outbox {
        try await database.openOutbox(
            OutboxConfiguration(operations: operations, pipelines: pipelines ?? [pipeline()]))
    }

    /// A pipeline whose operations wait for the hand.
    func pipeline(
        _ name: String = Outbox.defaultPipeline, previousNames: Set<String> = [],
        algorithm: PipelineAlgorithm = .commitGraph, limit: Int = 8,
        coalescing: CoalescingPolicy? = nil, retries: RetryPolicy = RetryPolicy()
    ) -> PipelineConfiguration {
        PipelineConfiguration(
            name, previousNames: previousNames, algorithm: algorithm,
            maxConcurrentOperationCount: limit, coalescing: coalescing, retries: retries
        ) { [hand] operation in try await hand.carryOut(operation) }
    }
}

/// Takes operations that are started, and ends them when a test says so.
final class Hand: Sendable {
    /// One start of an operation.
    private struct Start: Hashable {
        let id: UUID
        let count: Int
    }

    private struct State {
        var started: [QueuedOperation] = []
        var open: [Start: CheckedContinuation<OperationOutcome, any Error>] = [:]
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())

    func carryOut(_ operation: QueuedOperation) async throws -> OperationOutcome {
        let start = Start(id: operation.id, count: operation.startCount)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = state.withLock { state in
                    state.started.append(operation)
                    state.open[start] = continuation
                    return Self.takeWaiter(&state)
                }
                waiter?.resume()
                if Task.isCancelled { take(start)?.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            take(start)?.resume(throwing: CancellationError())
        }
    }

    /// Everything that was started, in order.
    var started: [QueuedOperation] { state.withLock { $0.started } }

    /// The titles of everything that was started, in order.
    func titles() throws -> [String] {
        try started.map { try $0.operation(as: Step.self)?.title ?? "?" }
    }

    /// What is being carried out.
    var open: Set<UUID> { state.withLock { Set($0.open.keys.map(\.id)) } }

    /// Waits until so many were started since the hand was made.
    func wait(forStarts count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.started.count >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func end(_ operation: UUID, _ outcome: OperationOutcome = .completed) {
        last(of: operation).flatMap { take($0) }?.resume(returning: outcome)
    }

    func end(_ operation: UUID, throwing error: any Error) {
        last(of: operation).flatMap { take($0) }?.resume(throwing: error)
    }

    private func last(of operation: UUID) -> Start? {
        state.withLock { state in
            state.open.keys.filter { $0.id == operation }.max { $0.count < $1.count }
        }
    }

    private func take(_ start: Start) -> CheckedContinuation<OperationOutcome, any Error>? {
        state.withLock { $0.open.removeValue(forKey: start) }
    }

    private static func takeWaiter(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard let waiter = state.waiter, state.started.count >= waiter.count else { return nil }
        state.waiter = nil
        return waiter.continuation
    }
}

/// Dates that a test moves together with a clock.
final class ManualTime: Sendable {
    let clock = ManualClock()
    let start = Date(timeIntervalSince1970: 1_800_000_000)

    var now: Date {
        let passed = clock.now.offset.components
        return start.addingTimeInterval(
            Double(passed.seconds) + Double(passed.attoseconds) / 1e18)
    }
}
