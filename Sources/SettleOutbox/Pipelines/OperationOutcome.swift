public import Foundation
public import Settle

/// What became of an operation that was started.
///
/// What the app writes for it is given along, and committed together with the outcome: `write` runs
/// only if the operation is still in the outbox, so it takes effect once, however often the operation
/// was started. When it throws, nothing of it is stored and the operation is given back as after a
/// failure.
public struct OperationOutcome: Sendable {
    enum Kind: Sendable {
        case completed
        case skipped
        case retry(after: TimeInterval)
        case held(until: Date, context: String)
        case suspended
        case leftActive
    }

    let kind: Kind
    let write: (@Sendable (Transaction) throws -> Void)?

    /// It is done.
    public static let completed = OperationOutcome(kind: .completed, write: nil)

    /// It is done.
    ///
    /// - Parameter write: What the app writes for it. The operation is still there meanwhile, so that
    ///   what has to follow can be inserted into its graph.
    /// - Returns: The outcome.
    public static func completed(
        _ write: @escaping @Sendable (Transaction) throws -> Void
    ) -> OperationOutcome {
        OperationOutcome(kind: .completed, write: write)
    }

    /// It is given up.
    public static func skipped(
        _ write: (@Sendable (Transaction) throws -> Void)? = nil
    ) -> OperationOutcome {
        OperationOutcome(kind: .skipped, write: write)
    }

    /// It is to be started again.
    ///
    /// - Parameters:
    ///   - delay: After how many seconds; 0 for as soon as its turn comes.
    ///   - write: What the app writes for it; the operation is pending by then, so it can be
    ///     modified, with the result of a merge for example.
    /// - Returns: The outcome.
    public static func retry(
        after delay: TimeInterval = 0,
        _ write: (@Sendable (Transaction) throws -> Void)? = nil
    ) -> OperationOutcome {
        OperationOutcome(kind: .retry(after: delay), write: write)
    }

    /// It is to be started again, and not before a date.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - context: The name of the reason; see ``OutboxTransaction/hold(_:until:context:)``.
    ///   - write: What the app writes for it.
    /// - Returns: The outcome.
    public static func held(
        until date: Date, context: String,
        _ write: (@Sendable (Transaction) throws -> Void)? = nil
    ) -> OperationOutcome {
        OperationOutcome(kind: .held(until: date, context: context), write: write)
    }

    /// It is to be started again, and the pipeline is suspended once more before.
    ///
    /// For what has to be resolved first: a conflict, a missing connection, a login.
    public static func suspendPipeline(
        _ write: (@Sendable (Transaction) throws -> Void)? = nil
    ) -> OperationOutcome {
        OperationOutcome(kind: .suspended, write: write)
    }

    /// Something else works at it, an upload in the background for example.
    ///
    /// It stays active until ``OutboxTransaction/complete(_:)``, ``OutboxTransaction/skip(_:)``, or
    /// ``OutboxTransaction/giveBack(_:after:)``.
    public static let leftActive = OperationOutcome(kind: .leftActive, write: nil)
}
