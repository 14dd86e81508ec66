/// What a pipeline is to be like.
///
/// ```swift
/// let sending = PipelineConfiguration { operation in
///     guard let put = try operation.operation(as: PutNote.self),
///         let note = try await database.fetchDocument(put.noteId)
///     else { return .skipped() }
///     try await cloud.store(note)
///     return .completed
/// }
/// ```
public struct PipelineConfiguration: Sendable {
    /// The name: 1 to 200 bytes of UTF-8.
    public var name: String
    /// The names it had in earlier releases of the app; their operations are moved to it.
    public var previousNames: Set<String>
    /// How its graphs follow each other.
    ///
    /// Operations that are queued when this is changed keep the order they had.
    public var algorithm: PipelineAlgorithm
    /// How many operations may be active at a time; 0 for no limit.
    public var maxConcurrentOperationCount: Int
    /// How operations are coalesced; nil when they are not.
    public var coalescing: CoalescingPolicy?
    /// How long to wait after a failure.
    public var retries: RetryPolicy
    /// Called at the end of each closure that adds operations to the pipeline, with these.
    ///
    /// It may give them dependencies on earlier operations, and other priorities, and change earlier
    /// ones by ``OutboxTransaction/modify(_:_:)``. It runs on the writer's thread and must only compute. What it throws
    /// refuses the commit. Removing one from the list does nothing; ``OutboxTransaction/skip(_:)`` does.
    ///
    /// Pipelines follow each other in the order of the configuration. What one adds to another is handed to that,
    /// in a call of its own where that was called before; at most as many times as there are pipelines. What it
    /// adds to its own is not handed to it again.
    public var prepare:
        (@Sendable (_ added: inout [QueuedOperation], OutboxTransaction) throws -> Void)?
    /// Carries the operations out; nil when they only wait in this process.
    ///
    /// It is kept until the outbox is closed.
    public var delegate: (any PipelineDelegate)?

    /// A pipeline whose operations a delegate carries out.
    ///
    /// - Parameters:
    ///   - name: The name; that of the default pipeline if not said.
    ///   - previousNames: The names it had in earlier releases.
    ///   - algorithm: How its graphs follow each other.
    ///   - maxConcurrentOperationCount: How many operations may be active at a time; 0 for no limit.
    ///   - coalescing: How operations are coalesced.
    ///   - retries: How long to wait after a failure.
    ///   - delegate: Carries the operations out; nil when they only wait in this process.
    public init(
        _ name: String = Outbox.defaultPipeline, previousNames: Set<String> = [],
        algorithm: PipelineAlgorithm = .commitGraph, maxConcurrentOperationCount: Int = 8,
        coalescing: CoalescingPolicy? = nil, retries: RetryPolicy = RetryPolicy(),
        delegate: (any PipelineDelegate)? = nil
    ) {
        precondition(
            maxConcurrentOperationCount >= 0,
            "A pipeline cannot have fewer than no operations at a time.")
        self.name = name
        self.previousNames = previousNames
        self.algorithm = algorithm
        self.maxConcurrentOperationCount = maxConcurrentOperationCount
        self.coalescing = coalescing
        self.retries = retries
        self.delegate = delegate
    }

    /// A pipeline whose operations a closure carries out.
    ///
    /// - Parameters:
    ///   - name: As for a pipeline with a delegate, like the others.
    ///   - previousNames: The names it had in earlier releases.
    ///   - algorithm: How its graphs follow each other.
    ///   - maxConcurrentOperationCount: How many operations may be active at a time; 0 for no limit.
    ///   - coalescing: How operations are coalesced.
    ///   - retries: How long to wait after a failure.
    ///   - start: Carries one operation out; see ``PipelineDelegate/start(_:in:)``.
    public init(
        _ name: String = Outbox.defaultPipeline, previousNames: Set<String> = [],
        algorithm: PipelineAlgorithm = .commitGraph, maxConcurrentOperationCount: Int = 8,
        coalescing: CoalescingPolicy? = nil, retries: RetryPolicy = RetryPolicy(),
        start: @escaping @Sendable (QueuedOperation) async throws -> OperationOutcome
    ) {
        self.init(
            name, previousNames: previousNames, algorithm: algorithm,
            maxConcurrentOperationCount: maxConcurrentOperationCount, coalescing: coalescing,
            retries: retries, delegate: ClosureDelegate(body: start))
    }
}
