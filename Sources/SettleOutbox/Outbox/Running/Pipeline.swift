public import Foundation
public import Settle

/// A pipeline that runs.
///
/// A handle: copies are about the same pipeline, for as long as its outbox is open.
public struct Pipeline: Sendable {
    private let runner: PipelineRunner

    init(_ runner: PipelineRunner) {
        self.runner = runner
    }

    /// Its name.
    public var name: String { runner.name }

    /// How its graphs follow each other.
    public var algorithm: PipelineAlgorithm { runner.configuration.algorithm }

    /// How many operations may be active at a time; 0 for no limit.
    ///
    /// It may be changed at any time. Operations that are active go on when it is lowered.
    public var maxConcurrentOperationCount: Int {
        get { runner.limit }
        nonmutating set { runner.setLimit(newValue) }
    }

    /// The operations that are active in this process.
    public var activeOperations: Set<UUID> { runner.active }

    /// True while operations are active, or waiting and not suspended.
    ///
    /// After a commit that adds operations it is true at once, and false only when all are done; for
    /// a moment it is also true after something else was committed, until it is known that there
    /// is nothing to do.
    public var isActive: Bool { runner.isActive }

    /// Whether ``isActive``, now and whenever it changes; a slow reader gets the last state.
    public var activity: AsyncStream<Bool> { runner.activity }

    /// How often it was suspended more than resumed, by itself and with all others.
    public var suspendCount: Int { runner.suspendCount }

    /// The ``suspendCount``, now and whenever it changes; a slow reader gets the last one.
    public var suspendCounts: AsyncStream<Int> { runner.suspendCounts }

    /// Keeps notes with an operation that is being carried out, for its next start.
    ///
    /// They are on the disk when this returns, and there after a crash: the session of an upload, the
    /// number of bytes that the service has. ``QueuedOperation/notes`` has them at the next start. They go
    /// with the operation when it is completed or skipped.
    ///
    /// ```swift
    /// try await pipeline.setNotes(["sent": .integer(Int64(sent))], of: operation)
    /// ```
    ///
    /// - Parameters:
    ///   - notes: Names of 1 to 200 bytes of UTF-8, and values; nil removes a note. Others stay as they
    ///     are. All notes of an operation have up to 64 KiB.
    ///   - operation: The operation as the delegate got it.
    /// - Returns: False when nothing was kept, because the operation was ended or given back since,
    ///   or started again: whoever carries it out now has the say.
    /// - Throws: ``OutboxError`` with `invalidNote`, `closed`; ``/Settle/DatabaseError`` when the database is
    ///   damaged or cannot be written.
    @discardableResult
    public func setNotes(
        _ notes: [String: JSONValue?], of operation: QueuedOperation
    ) async throws -> Bool {
        try await runner.setNotes(notes, of: operation)
    }

    /// Whether no operation is started.
    public var isSuspended: Bool { suspendCount > 0 }

    /// Starts no more operations until it was resumed as often.
    ///
    /// Operations that are active go on, also those whose start is being stored at this moment.
    ///
    /// - Parameter count: How often; 0 changes nothing. The sum stops at `Int.max`.
    /// - Returns: The count after it.
    @discardableResult
    public func suspend(count: Int = 1) -> Int { runner.suspend(count: count) }

    /// Takes one suspension back; ignored when there is none.
    ///
    /// - Returns: The count after it.
    @discardableResult
    public func resume() -> Int { runner.resume() }
}
