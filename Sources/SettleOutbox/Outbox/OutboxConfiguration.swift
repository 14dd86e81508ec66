/// What an outbox is opened with.
public struct OutboxConfiguration: Sendable {
    /// The types of the operations.
    ///
    /// Stored operations of other types are kept, and reported with the status `unknown`; they are
    /// started once the outbox is opened with their type.
    public var operations: [any OutboxOperation.Type]
    /// The pipelines: one of any name, or several of which one has the name ``Outbox/defaultPipeline``.
    ///
    /// That one takes the operations that are put into no other.
    public var pipelines: [PipelineConfiguration]
    /// False for a process that adds operations and changes the queue, and leaves it to another one
    /// to carry them out: an extension of an app, or a tool.
    ///
    /// One process at a time may run the pipelines of a database. It sees what the others commit
    /// within the database's `foreignCommitInterval`.
    ///
    /// ``PipelineConfiguration/prepare`` and ``PipelineConfiguration/coalescing`` take effect where an operation is added, so
    /// such a process has to name the pipelines, all of them, when one has these; when none is named it goes by
    /// those that are stored. So do ``hooks``.
    public var isRunning: Bool
    /// Called when operations are added, inserted, modified, completed, and skipped in this process, in
    /// the transaction in which that happens; nil for none.
    public var hooks: (any OutboxHooks)?
    /// How often all pipelines are suspended when the outbox opens.
    ///
    /// More than 0 to begin offline, or before a login; ``Outbox/resume()`` takes one back.
    public var suspendCount: Int

    /// A configuration.
    public init(
        operations: [any OutboxOperation.Type], pipelines: [PipelineConfiguration],
        isRunning: Bool = true, suspendCount: Int = 0, hooks: (any OutboxHooks)? = nil
    ) {
        precondition(suspendCount >= 0, "A pipeline is not resumed by suspending it.")
        self.suspendCount = suspendCount
        self.hooks = hooks
        self.operations = operations
        self.pipelines = pipelines
        self.isRunning = isRunning
    }

    /// Checks the names.
    ///
    /// - Throws: ``OutboxError`` with `invalidName`, or with `unknownPipeline` when the default
    ///   pipeline is missing.
    func check() throws(OutboxError) {
        var names: Set<String> = []
        for type in operations {
            try Self.check(type.operationName, "an operation's type")
            guard names.insert(type.operationName).inserted else {
                throw OutboxError(
                    .invalidName,
                    "Two types of operations have the name '\(type.operationName)'. Give each its own."
                )
            }
        }
        var pipelineNames: Set<String> = []
        for name in pipelines.map(\.name) + pipelines.flatMap(\.previousNames) {
            try Self.check(name, "a pipeline")
            guard pipelineNames.insert(name).inserted else {
                throw OutboxError(
                    .invalidName,
                    "Two pipelines have or had the name '\(name)'. Give each its own.")
            }
        }
        if isRunning || !pipelines.isEmpty, !pipelines.contains(where: { $0.name == mainPipeline })
        {
            throw OutboxError(
                .unknownPipeline,
                "An outbox has one pipeline, or among several one named '\(Outbox.defaultPipeline)', which "
                    + "takes what is for no other. Add it to the configuration.")
        }
    }

    /// The name of the pipeline that takes what is for no other.
    var mainPipeline: String { Outbox.mainPipeline(of: pipelines.map(\.name)) }

    /// Checks a name of something that is stored under it.
    static func check(_ name: String, _ what: String) throws(OutboxError) {
        guard (1...200).contains(name.utf8.count) else {
            throw OutboxError(
                .invalidName,
                "The name of \(what) has 1 to 200 bytes of UTF-8, unlike '\(name.prefix(40))'.")
        }
    }
}
