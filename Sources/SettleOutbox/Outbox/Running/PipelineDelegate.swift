/// Carries out the operations of a pipeline.
public protocol PipelineDelegate: Sendable {
    /// Carries one operation out.
    ///
    /// Each call is a task of its own; as many run at a time as the pipeline allows, and those that
    /// are started together reach the delegate in any order. The task is cancelled when the outbox
    /// is closed, or the operation is skipped; an answer that comes all the same counts.
    ///
    /// An operation may be started more than once: a process may end before an outcome is stored.
    /// ``QueuedOperation/startCount`` tells.
    ///
    /// - Parameters:
    ///   - operation: The operation, as it is now.
    ///   - pipeline: Its pipeline.
    /// - Returns: What became of it.
    /// - Throws: Anything; the operation is given back, and started again after a wait that follows
    ///   from ``PipelineConfiguration/retries``. The error is reported by ``Outbox/failures``.
    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome
}

/// A delegate that is a closure.
struct ClosureDelegate: PipelineDelegate {
    let body: @Sendable (QueuedOperation) async throws -> OperationOutcome

    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome {
        try await body(operation)
    }
}
