public import Foundation
import Settle

/// The outbox in a transaction: what is done here commits with the documents or not at all.
///
/// Valid only inside the closure of its transaction. Operations that are added get their graph, and
/// what waits for what is checked, at the end of the closure.
///
/// ```swift
/// try await database.write { transaction in
///     try transaction.save(["id": "milk", "text": "buy milk"])
///     try transaction.outbox.add(PutNote(noteId: "milk"), about: ["milk"])
/// }
/// ```
public struct OutboxTransaction {
    let outbox: Outbox
    let transaction: Transaction
    let pendingOperations: PendingOutboxOperations
    let table: OutboxTable

    init(_ outbox: Outbox, _ transaction: Transaction) throws {
        self.outbox = outbox
        self.transaction = transaction
        pendingOperations = transaction.localState(of: outbox) { PendingOutboxOperations() }
        precondition(
            !pendingOperations.isFlushed,
            "A participant of the transaction uses the outbox after its flush. Give it local "
                + "state, or none at all, and add it before the outbox is opened.")
        table = try OutboxTable(writingIn: transaction)
    }

    var schedule: OperationSchedule {
        OperationSchedule(table: table, now: outbox.now)
    }

    /// The outbox as it is stored, without the operations that this closure has added.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func stored() throws -> OutboxSnapshot {
        try OutboxSnapshot(in: transaction, names: outbox.names)
    }

    /// An operation, also one that this closure has added; nil when it is not in the outbox.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func operation(_ id: UUID) throws -> QueuedOperation? {
        try pendingOperations.draft(id)?.operation ?? stored().operation(id)
    }

    /// Where an operation stands in this closure; nil when it was not in the outbox at its beginning and
    /// has not been added.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func status(of id: UUID) throws -> OperationStatus? {
        if let draft = pendingOperations.draft(id) { return draft.operation.status }
        for change in pendingOperations.changes.values {
            if change.completed.contains(id) { return .completed }
            if change.skipped.contains(id) { return .skipped }
        }
        return try stored().status(of: id)
    }

    /// The operations of a pipeline or of all, those that this closure has added last.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func operations(in pipeline: String? = nil) throws -> [QueuedOperation] {
        try stored().operations(in: pipeline) + pendingOperations.drafts(in: pipeline)
    }

    /// The operations about a document, those that this closure has added last.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func operations(about documentId: String) throws -> [QueuedOperation] {
        try stored().operations(about: documentId)
            + pendingOperations.drafts(in: nil).filter { $0.isAbout(documentId) }
    }

    /// Whether there are operations about a document, also such as this closure has added.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: As ``OutboxSnapshot/hasOperations(about:)``, and linear in what this closure has added.
    public func hasOperations(about documentId: String) throws -> Bool {
        if try table.firstKey(ofDocument: documentId) != nil { return true }
        return pendingOperations.drafts(in: nil).contains { $0.isAbout(documentId) }
    }

    /// The operations that this closure has added, in order.
    public func addedOperations(in pipeline: String? = nil) -> [QueuedOperation] {
        pendingOperations.drafts(in: pipeline)
    }

    /// The name of the pipeline that takes what is for no other.
    private func mainPipeline() throws -> String {
        // Where none is named another process runs the pipelines, and has stored their names.
        outbox.configurations.isEmpty
            ? try stored().mainPipeline : outbox.configuration.mainPipeline
    }

    // MARK: Adding

    /// Adds an operation, in the graph of this commit.
    ///
    /// - Parameters:
    ///   - operation: What is to be done.
    ///   - id: What it is known by; a new one if not said, which is faster than a random one.
    ///   - pipeline: The pipeline it goes through; the one that takes what is for no other if not said.
    ///   - documentIds: The documents it is about. They are found by
    ///     ``OutboxSnapshot/operations(about:)``, and policies of pipelines go by them.
    ///   - recordsChanges: True to keep what this closure changes in these documents, for merging.
    ///   - dependencies: The operations that must be done before it starts; of the same pipeline,
    ///     added before or after it in this closure, or earlier. One that is not in the outbox
    ///     counts as done.
    ///   - priority: Higher ones start first.
    /// - Returns: The identifier. A pipeline's policy may, at the end of the closure, coalesce the
    ///   operation into one that waits already, which keeps its own identifier then.
    /// - Throws: ``OutboxError`` with `unknownType`, `unknownPipeline`, `duplicateOperation`,
    ///   `invalidOperation`. At the end of the closure, which then commits nothing:
    ///   `dependencyCycle`, `dependencyAcrossPipelines`, `dependencyOnLaterGraph`, `notCoalescable`.
    /// - Complexity: O(log n) page reads and writes.
    @discardableResult
    public func add(
        _ operation: some OutboxOperation, id: UUID? = nil, pipeline: String? = nil,
        about documentIds: [String] = [], recordsChanges: Bool = false,
        dependencies: Set<UUID> = [], priority: Int32 = 0
    ) throws -> UUID {
        try add(
            operation, id: id ?? OperationIdentifier.make(at: outbox.now),
            to: pipeline ?? mainPipeline(), target: nil, documentIds, recordsChanges,
            dependencies, priority)
    }

    /// Inserts an operation into the graph of an earlier commit.
    ///
    /// So it starts before the operations of the commits in between, and they wait for it.
    ///
    /// - Parameters:
    ///   - operation: What is to be done.
    ///   - neighbour: An operation of that graph, which is in the outbox.
    ///   - id: As for ``add(_:id:pipeline:about:recordsChanges:dependencies:priority:)``, like the others.
    ///   - documentIds: The documents it is about.
    ///   - recordsChanges: True to keep what this closure changes in these documents.
    ///   - dependencies: The operations that must be done before it starts.
    ///   - priority: Higher ones start first.
    /// - Returns: The identifier.
    /// - Throws: ``OutboxError`` with `graphNotFound` when the neighbour is not in the outbox, or was
    ///   added by this closure; otherwise as
    ///   ``add(_:id:pipeline:about:recordsChanges:dependencies:priority:)``.
    @discardableResult
    public func insert(
        _ operation: some OutboxOperation, intoGraphOf neighbour: UUID, id: UUID? = nil,
        about documentIds: [String] = [], recordsChanges: Bool = false,
        dependencies: Set<UUID> = [], priority: Int32 = 0
    ) throws -> UUID {
        let id = id ?? OperationIdentifier.make(at: outbox.now)
        guard let key = try table.key(of: neighbour), let row = try table.row(key) else {
            throw OutboxError(
                .graphNotFound,
                "An operation cannot be inserted into the graph of \(neighbour), which is not in the "
                    + "outbox. Add it instead.", operationId: id)
        }
        return try add(
            operation, id: id, to: name(of: key.pipeline),
            target: PendingOutboxOperations.Target(graph: key.graph, isStrict: row.isStrict),
            documentIds,
            recordsChanges, dependencies, priority)
    }

    /// Inserts an operation into the graph of an earlier commit, by its number.
    ///
    /// As the form by a neighbour does. A graph may have operations that do not wait for earlier graphs and
    /// others that do, from a pipeline that was moved into this one: beside a neighbour the operation waits
    /// as that does, by number it waits if any of them does.
    ///
    /// - Parameters:
    ///   - operation: What is to be done.
    ///   - number: The graph: the ``QueuedOperation/graph`` of an operation, an
    ///     ``OperationGraph/number``, or one of ``OutboxSnapshot/graphNumbers(in:)``, whose first is the
    ///     graph that is carried out now.
    ///   - pipeline: The pipeline it goes through; the one that takes what is for no other if not said.
    ///   - id: As for ``add(_:id:pipeline:about:recordsChanges:dependencies:priority:)``, like the others.
    ///   - documentIds: The documents it is about.
    ///   - recordsChanges: True to keep what this closure changes in these documents.
    ///   - dependencies: The operations that must be done before it starts.
    ///   - priority: Higher ones start first.
    /// - Returns: The identifier.
    /// - Throws: ``OutboxError`` with `graphNotFound` when no operation of that graph is left in the
    ///   pipeline, or there never was one; otherwise as
    ///   ``add(_:id:pipeline:about:recordsChanges:dependencies:priority:)``.
    /// - Complexity: O(log n) page reads and writes, and as many reads as the graph has operations; with a graph
    ///   that does not wait, linear in the number of operations that this closure has added.
    @discardableResult
    public func insert(
        _ operation: some OutboxOperation, intoGraph number: UInt64, of pipeline: String? = nil,
        id: UUID? = nil, about documentIds: [String] = [], recordsChanges: Bool = false,
        dependencies: Set<UUID> = [], priority: Int32 = 0
    ) throws -> UUID {
        let id = id ?? OperationIdentifier.make(at: outbox.now)
        let pipeline = try pipeline ?? mainPipeline()
        try outbox.checkKnown(pipeline: pipeline, id)
        guard let record = try table.pipeline(named: pipeline),
            let isStrict = try isStrict(graph: number, of: record)
        else {
            throw OutboxError(
                .graphNotFound,
                "An operation cannot be inserted into the graph \(number) of the pipeline "
                    + "'\(pipeline)', which has no operation of it. Add it instead.",
                operationId: id)
        }
        return try add(
            operation, id: id, to: pipeline,
            target: PendingOutboxOperations.Target(graph: number, isStrict: isStrict), documentIds,
            recordsChanges, dependencies, priority)
    }

    /// Whether a graph waits for those before it; nil when it has no operation, and this closure has
    /// inserted none.
    ///
    /// Operations that were moved from another pipeline may differ in that; then it does.
    private func isStrict(graph: UInt64, of pipeline: PipelineRecord) throws -> Bool? {
        var stored: Bool?
        try table.forEachOperation(of: pipeline.number, graph: graph) { _, row in
            stored = row.isStrict
            return !row.isStrict
        }
        if stored == true { return true }
        return pendingOperations.isStrict(graph: graph, of: pipeline.name) ?? stored
    }

    private func add<Operation: OutboxOperation>(
        _ operation: Operation, id: UUID, to pipeline: String,
        target: PendingOutboxOperations.Target?,
        _ documentIds: [String], _ recordsChanges: Bool, _ dependencies: Set<UUID>,
        _ priority: Int32
    ) throws -> UUID {
        try outbox.checkKnown(Operation.self, id)
        try outbox.checkKnown(pipeline: pipeline, id)
        try checkUnused(id)
        var queued = QueuedOperation(
            id: id, name: Operation.operationName, pipeline: pipeline, graph: target?.graph ?? 0,
            priority: priority, dependencies: dependencies, documentIds: documentIds,
            changedFields: [:], holds: [:], notes: [:], startCount: 0, status: .pending,
            content: try PackedValue(operation: operation, id))
        if let hooks = outbox.hooks {
            if target == nil {
                try hooks.willAdd(&queued, in: transaction)
            } else {
                try hooks.willInsert(&queued, in: transaction)
            }
            // A hook may add operations too.
            try checkUnused(id)
        }
        pendingOperations.add(
            PendingOutboxOperations.Draft(
                operation: queued, target: target, recordsChanges: recordsChanges))
        if target == nil {
            try outbox.hooks?.didAdd(queued, in: transaction)
        } else {
            try outbox.hooks?.didInsert(queued, in: transaction)
        }
        return id
    }

    private func checkUnused(_ id: UUID) throws {
        guard pendingOperations.draft(id) == nil, try table.key(of: id) == nil else {
            throw OutboxError(
                .duplicateOperation,
                "There is an operation \(id) in the outbox already. Give each one an identifier of "
                    + "its own.", operationId: id)
        }
    }

    // MARK: Parts

    /// A stored operation that has not been started.
    func pending(_ id: UUID) throws -> (key: OperationKey, row: OperationRow) {
        guard let key = try table.key(of: id), let row = try table.row(key) else {
            throw OutboxError.notFound(id)
        }
        guard try !schedule.isStarted(key) else { throw OutboxError.isActive(id) }
        return (key, row)
    }

    func recordModified(_ key: OperationKey, _ id: UUID) throws {
        try pendingOperations.record(name(of: key.pipeline)) { $0.modify(id) }
    }

    func name(of pipeline: UInt32) throws -> String {
        guard let record = try table.pipelines().first(where: { $0.number == pipeline }) else {
            throw OutboxTable.damage
        }
        return record.name
    }
}

extension OperationRow {
    /// A row that says what an operation is now.
    init(_ operation: QueuedOperation, isStrict: Bool, _ old: OperationRow?) {
        self.init(
            id: operation.id, name: operation.name, priority: operation.priority,
            isStrict: isStrict, content: operation.content)
        startCount = old?.startCount ?? 0
        dependencies = operation.dependencies
        documentIds = operation.documentIds
        changedFields = operation.changedFields
        // Whoever changes an operation may have a copy that is older than its holds and notes, which
        // have calls of their own.
        holds = old?.holds ?? operation.holds
        notes = old?.notes ?? operation.notes
        failure = old?.failure
    }
}
