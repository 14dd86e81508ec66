import SettlePrimitives
import SettleStorage
import Synchronization

/// The work that goes on to build the indexes of one database and keep them up to date.
///
/// One piece of work an index goes on at a time, and everyone who needs the index waits for that
/// one; it goes on when those who waited have given up. The lock guards the state; nothing else is
/// called while it is held.
final class IndexJobs: Sendable {
    /// Takes how far a build has come.
    typealias Report = IndexEngine.Report

    private struct Running {
        let number: Int
        let task: Task<Void, any Error>
        var progress: IndexProgress?
        var listeners: [Report]
    }
    private struct State {
        /// By the numbers of the definitions, so that nobody joins work for another definition.
        var running: [Int: Running] = [:]
        var nextNumber = 0
        var isClosed = false
    }
    private let state = Lock(State())

    /// Joins the work that goes on for an index, or begins it, and waits for its end.
    ///
    /// - Parameters:
    ///   - definition: The number of the index's definition.
    ///   - report: Called with how far a build has come.
    ///   - work: What to do when nothing goes on; gets what to report progress to.
    /// - Throws: What the work throws; `CancellationError` when the task that waits is cancelled;
    ///   ``StorageError/closed``.
    func join(
        _ definition: Int, report: Report? = nil,
        _ work: @escaping @Sendable (@escaping Report) async throws -> Void
    ) async throws {
        let task = try state.withLock { state -> Task<Void, any Error> in
            guard !state.isClosed else { throw StorageError.closed }
            if let running = state.running[definition] {
                if let report { state.running[definition]?.listeners.append(report) }
                return running.task
            }
            let number = state.nextNumber
            state.nextNumber += 1
            let task = Task { [weak self] in
                defer { self?.ended(definition, number) }
                try await work { [weak self] in self?.report($0, definition, number) }
            }
            state.running[definition] = Running(
                number: number, task: task, listeners: report.map { [$0] } ?? [])
            return task
        }
        try await Self.wait(for: task)
    }

    /// Waits for the end of work, or of the patience of who waits.
    private static func wait(for task: Task<Void, any Error>) async throws {
        let (ending, ended) = AsyncStream<Void>.makeStream()
        Task {
            _ = await task.result
            ended.finish()
        }
        // Ends with the stream, and when the waiting task is cancelled.
        for await _ in ending {}
        try Task.checkCancellation()
        try await task.value
    }

    private func ended(_ definition: Int, _ number: Int) {
        state.withLock { state in
            if state.running[definition]?.number == number { state.running[definition] = nil }
        }
    }

    private func report(_ progress: IndexProgress, _ definition: Int, _ number: Int) {
        let listeners = state.withLock { state -> [Report] in
            guard state.running[definition]?.number == number else { return [] }
            state.running[definition]?.progress = progress
            return state.running[definition]?.listeners ?? []
        }
        for listener in listeners { listener(progress) }
    }

    /// How far the build of an index has come; nil when none goes on.
    func progress(of definition: Int) -> IndexProgress? {
        state.withLock { $0.running[definition]?.progress }
    }

    /// Breaks off the work on an index and waits for its end.
    func stop(_ definition: Int) async {
        let task = state.withLock { $0.running[definition]?.task }
        task?.cancel()
        _ = await task?.result
    }

    /// Breaks off everything; later calls of ``join(_:report:_:)`` throw.
    ///
    /// - Returns: What was broken off, and ends soon.
    @discardableResult
    func breakOff() -> [Task<Void, any Error>] {
        let tasks = state.withLock { state in
            state.isClosed = true
            return state.running.values.map(\.task)
        }
        for task in tasks { task.cancel() }
        return tasks
    }

    /// Breaks off everything and waits for its end; later calls of ``join(_:report:_:)`` throw.
    ///
    /// The step in hand is waited for: a map closure with one document, or a commit. It may be
    /// called more than once.
    func close() async {
        for task in breakOff() { _ = await task.result }
    }
}
