import Foundation
import Settle

/// The flush at the end of a closure that has used the outbox: stores what it added, coalesced and in its graph,
/// and checks what waits for what.
struct OutboxFlush {
    private let queue: OutboxTransaction
    private let transaction: Transaction
    private var table: OutboxTable { queue.table }
    private var pendingOperations: PendingOutboxOperations { queue.pendingOperations }

    private var counters: OutboxCounters
    private let countersBefore: OutboxCounters
    private var pipelines: [String: PipelineRecord] = [:]
    /// The graph of this commit, once it has one.
    private var graph: UInt64?
    /// Drafts that were coalesced into others, and into which; nil for nothing.
    private var aliases: [UUID: UUID?] = [:]
    /// Drafts whose turn has not come.
    private var waiting: Set<UUID> = []
    /// What has to be connected and listed.
    private var touched: [UUID: Touched] = [:]

    private struct Touched {
        var key: OperationKey
        /// The row; nil when it has to be read.
        var row: OperationRow?
        /// What it named as dependencies before this closure; nil when it is new.
        var dependenciesBefore: Set<UUID>?
        /// True when it may be in a list.
        var isListed: Bool
    }

    init(_ queue: OutboxTransaction, _ transaction: Transaction) throws {
        self.queue = queue
        self.transaction = transaction
        counters = try queue.table.counters()
        countersBefore = counters
    }

    /// Does all of it.
    ///
    /// - Throws: ``OutboxError`` as ``OutboxTransaction`` says; what a hook or policy throws.
    mutating func run() throws {
        try prepare()
        let drafts = pendingOperations.takeDrafts()
        touched.reserveCapacity(drafts.count + pendingOperations.modified.count)
        // Nobody else asks who waits.
        let coalesces = queue.outbox.configurations.contains { $0.coalescing != nil }
        if coalesces { waiting = Set(drafts.map(\.operation.id)) }
        for draft in drafts {
            if coalesces { waiting.remove(draft.operation.id) }
            try store(draft)
        }
        for (id, modified) in pendingOperations.modified where touched[id] == nil {
            touched[id] = Touched(
                key: modified.key, dependenciesBefore: modified.dependencies, isListed: true)
        }
        if counters != countersBefore { try table.set(counters) }
        try connect()
    }

    /// Lets the app's hooks see what was added.
    private func prepare() throws {
        let pipelines = queue.outbox.configurations.filter { $0.prepare != nil }
        var seen: Set<UUID> = []
        // What one adds to an earlier pipeline is handed to that in the next round. There are as many rounds
        // as pipelines, so hooks that add to each other's come to an end.
        for _ in pipelines {
            var isDone = true
            for pipeline in pipelines {
                let added = pendingOperations.drafts(in: pipeline.name)
                    .filter { !seen.contains($0.id) }
                if added.isEmpty { continue }
                isDone = false
                try prepare(added, in: pipeline)
                // What it has added itself it knows.
                seen.formUnion(pendingOperations.drafts(in: pipeline.name).map(\.id))
            }
            if isDone { return }
        }
    }

    private func prepare(
        _ before: [QueuedOperation], in pipeline: PipelineConfiguration
    ) throws {
        var after = before
        try pipeline.prepare?(&after, queue)
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
        for operation in after where operation != known[operation.id] {
            precondition(
                known[operation.id] != nil,
                "A hook adds an operation by the queue it is handed, not by its list.")
            guard var draft = pendingOperations.draft(operation.id) else { continue }
            draft.change(to: operation)
            pendingOperations.add(draft)
        }
    }

    // MARK: Storing

    private mutating func store(_ draft: PendingOutboxOperations.Draft) throws {
        var operation = draft.operation
        try operation.checkDocuments()
        if draft.recordsChanges {
            try operation.checkRecording()
            for id in operation.documentIds {
                operation.changedFields[id] = FieldChanges(
                    from: try transaction.previous(id), to: try transaction.document(id))
            }
        }
        operation.dependencies = resolved(operation.dependencies)
        var pipeline = try record(of: operation.pipeline)
        if draft.target == nil, try coalesce(&operation, in: pipeline) { return }
        let key = OperationKey(
            pipeline: pipeline.number, graph: draft.target?.graph ?? nextGraph(),
            number: nextNumber())
        let isStrict: Bool
        if let target = draft.target {
            isStrict = target.isStrict
            // The rest of the graph may have ended in this closure, so that the next one is open.
            if let lowest = try table.lowestGraph(of: key.pipeline), lowest > key.graph {
                try queue.schedule.close(lowest, of: key.pipeline)
            }
        } else {
            isStrict = pipeline.algorithm == .commitGraph
            if isStrict, pipeline.strictGraphLast < key.graph {
                pipeline.strictGraphLast = key.graph
                pipelines[pipeline.name] = pipeline
                try table.set(pipeline)
            }
        }
        let row = OperationRow(operation, isStrict: isStrict, nil)
        try table.set(row, key)
        try table.set(key.bytes, for: OutboxRowKey.id(row.id))
        for id in row.documentIds { try table.set(OutboxRowKey.document(id, key)) }
        touched[row.id] = Touched(key: key, row: row, isListed: false)
        pendingOperations.record(pipeline.name) { $0.add(row.id, isInserted: draft.target != nil) }
    }

    /// Dependencies with those that were coalesced replaced by what they were coalesced into.
    private func resolved(_ dependencies: Set<UUID>) -> Set<UUID> {
        if aliases.isEmpty || dependencies.isEmpty { return dependencies }
        return Set(
            dependencies.compactMap { id in
                guard let alias = aliases[id] else { return id }
                return alias
            })
    }

    private mutating func record(of name: String) throws -> PipelineRecord {
        if let known = pipelines[name] { return known }
        var record: PipelineRecord
        if let stored = try table.pipeline(named: name) {
            record = stored
        } else {
            counters.pipeline += 1
            // Where no process has run the pipeline yet; one that runs it has the last word.
            let pipeline = queue.outbox.configuration(of: name)
            record = PipelineRecord(name: pipeline?.name ?? name, number: counters.pipeline)
            if let pipeline { record.algorithm = pipeline.algorithm }
            try table.set(record)
        }
        pipelines[name] = record
        return record
    }

    private mutating func nextGraph() -> UInt64 {
        if let graph { return graph }
        counters.graph += 1
        graph = counters.graph
        return counters.graph
    }

    private mutating func nextNumber() -> UInt64 {
        counters.operation += 1
        return counters.operation
    }

    // MARK: Coalescing

    /// Coalesces an operation with the last one about one of its documents.
    ///
    /// - Returns: True when the operation is not to be stored.
    private mutating func coalesce(
        _ operation: inout QueuedOperation, in pipeline: PipelineRecord
    ) throws -> Bool {
        guard let policy = queue.outbox.configuration(of: pipeline.name)?.coalescing
        else { return false }
        let lasts = try lasts(about: operation.documentIds, in: pipeline)
        guard let (key, row) = lasts.last else { return false }
        if row.startCount > 0 {
            operation.dependencies.formUnion(lasts.map(\.row.id))
            return false
        }
        let queued = QueuedOperation(row, key, pipeline: pipeline.name, status: .pending)
        switch try policy.decide(queued, operation) {
        case .keepBoth:
            return false
        case .keepInOrder:
            operation.dependencies.formUnion(lasts.map(\.row.id))
            return false
        case .refuse(let reason):
            throw OutboxError(.notCoalescable, reason, operationId: operation.id)
        case .dropBoth:
            try queue.schedule.finish(key, row)
            pendingOperations.forget(row.id)
            touched[row.id] = nil
            // That may have opened the graph of those that are stored so far.
            for id in touched.keys { touched[id]?.isListed = true }
            pendingOperations.record(pipeline.name) {
                $0.finish(row.id, as: .skipped)
                $0.finish(operation.id, as: .skipped)
            }
            aliases[operation.id] = .some(nil)
            try queue.outbox.hooks?.didCoalesce(operation, with: queued, into: nil, in: transaction)
            return true
        case .replace(let result):
            var merged = result
            merged.dependencies = row.dependencies.union(operation.dependencies)
            merged.dependencies.remove(row.id)
            merged.changedFields = row.changedFields.merging(operation.changedFields) {
                $0.followed(by: $1)
            }
            merged.priority = max(row.priority, operation.priority)
            guard
                try canWait(
                    for: operation.dependencies.subtracting(row.dependencies), row.id, key,
                    in: pipeline),
                try !namesAgain(operation.dependencies, row, key)
            else {
                operation.dependencies.formUnion(lasts.map(\.row.id))
                return false
            }
            var new = OperationRow(merged, isStrict: row.isStrict, row)
            new.id = row.id
            new.holds = row.holds.merging(operation.holds) { max($0, $1) }
            new.notes = row.notes.merging(operation.notes) { $1 }
            try queue.replace(key, row, with: new)
            touched[row.id]?.row = nil
            aliases[operation.id] = row.id
            pendingOperations.record(pipeline.name) {
                $0.modify(row.id)
                $0.finish(operation.id, as: .skipped)
            }
            try queue.outbox.hooks?.didCoalesce(
                operation, with: queued,
                into: QueuedOperation(new, key, pipeline: pipeline.name, status: .pending),
                in: transaction)
            return true
        }
    }

    /// The last operation of a pipeline about each of some documents, in order.
    private func lasts(
        about documentIds: [String], in pipeline: PipelineRecord
    ) throws -> [(key: OperationKey, row: OperationRow)] {
        let keys = try Set(
            documentIds.compactMap { id in
                try table.lastKey(ofDocument: id, of: pipeline.number)
            })
        return try keys.sorted().map { key in
            guard let row = try table.row(key) else { throw OutboxTable.damage }
            return (key, row)
        }
    }

    /// Whether an operation can wait for others at its place: each is done, or comes before it and
    /// does not wait for it.
    private func canWait(
        for others: Set<UUID>, _ id: UUID, _ key: OperationKey, in pipeline: PipelineRecord
    ) throws -> Bool {
        let dependencies = try others.subtracting([id]).compactMap { try table.key(of: $0) }
        if dependencies.contains(where: { $0 > key }) { return false }
        // A strict graph among them may wait for what waits for this operation.
        var numbers: Set<UInt64> = []
        if !dependencies.isEmpty,
            try DependencyGraph(table: table).isAwaitedByEarlier(
                key, before: pipeline.strictGraphLast, &numbers)
        {
            return false
        }
        var seen: Set<UUID> = [id]
        var rest = others.subtracting(seen)
        while let next = rest.popFirst() {
            seen.insert(next)
            // What is not stored yet may wait for anything.
            if waiting.contains(next) { return false }
            guard let key = try table.key(of: next), let row = try table.row(key) else { continue }
            let dependencies = resolved(row.dependencies)
            if dependencies.contains(id) { return false }
            rest.formUnion(dependencies.subtracting(seen))
        }
        return true
    }

    /// Whether one of the dependencies has the identifier of an operation that a stored row names
    /// and that was done since.
    private func namesAgain(
        _ dependencies: Set<UUID>, _ row: OperationRow, _ key: OperationKey
    ) throws -> Bool {
        let shared = dependencies.intersection(row.dependencies)
        // What this closure has added waits for all that it names.
        if shared.isEmpty || touched[row.id] != nil { return false }
        let waits = try table.dependencies(of: key.number)
        return try shared.contains { id in
            try table.key(of: id).map { !waits.contains($0.number) } ?? false
        }
    }

    // MARK: Connecting

    /// Says who waits for whom, and lists those that wait for nobody.
    private func connect() throws {
        let dependencies = DependencyGraph(table: table)
        var rows: [(key: OperationKey, row: OperationRow)] = []
        var waiting: [(key: OperationKey, id: UUID)] = []
        var mayHaveCycle = false
        rows.reserveCapacity(touched.count)
        // The keys alone are sorted: a row is much to move.
        let order = touched.map { (key: $0.value.key, id: $0.key) }.sorted { $0.key < $1.key }
        for (key, id) in order {
            guard let touched = touched[id] else { continue }
            guard var row = try touched.row ?? table.row(key) else { throw OutboxTable.damage }
            if touched.isListed, try !queue.schedule.isStarted(key) {
                try queue.schedule.unlist(key, row)
            }
            let resolved = resolved(row.dependencies)
            if resolved != row.dependencies {
                row.dependencies = resolved
                try table.set(row, key)
            }
            let added = try dependencies.connect(
                key, row, in: record(number: key.pipeline), before: touched.dependenciesBefore)
            if let last = added.max() {
                waiting.append((key, row.id))
                // Nothing from before this closure waits for what is new, so a cycle would need a
                // new one that waits for a newer one.
                if touched.dependenciesBefore != nil || last > key.number { mayHaveCycle = true }
            }
            rows.append((key, row))
        }
        if mayHaveCycle {
            try dependencies.checkForCycles(waiting)
            try dependencies.checkStrictGraphs(waiting)
        }
        // The rows are all there: what is listed changes no graph.
        var lowest = LowestGraphs(table: table)
        let schedule = queue.schedule
        for (key, row) in rows { try schedule.list(key, row, &lowest) }
    }

    private func record(number: UInt32) throws -> PipelineRecord {
        if let known = pipelines.values.first(where: { $0.number == number }) { return known }
        guard let record = try table.pipelines().first(where: { $0.number == number }) else {
            throw OutboxTable.damage
        }
        return record
    }
}
