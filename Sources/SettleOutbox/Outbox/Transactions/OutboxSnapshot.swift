public import Foundation
public import Settle

/// The outbox in one consistent state of a database.
///
/// Valid only inside the closure of its snapshot. What it returns may be kept.
public struct OutboxSnapshot {
    let table: OutboxTable
    let tagTable: TagTable
    let links: CloudLinks
    /// Where all of it is read.
    let snapshot: Snapshot
    /// The names of the types the outbox knows; nil when it was given none at all.
    private let names: Set<String>?
    private let pipelines: [UInt32: String]

    /// The outbox in a snapshot, as it is stored; nothing is said of unknown types.
    ///
    /// For tools that look at the outbox of an app: no open ``Outbox`` is needed.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public init(in snapshot: Snapshot) throws {
        try self.init(in: snapshot, names: nil)
    }

    init(in snapshot: Snapshot, names: Set<String>?) throws {
        let table = try OutboxTable(in: snapshot)
        self.snapshot = snapshot
        self.table = table
        self.names = names
        tagTable = try TagTable(in: snapshot)
        links = try CloudLinks(in: snapshot)
        // Of a damaged database two pipelines may have one number.
        pipelines = Dictionary(
            try table.pipelines().map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
    }

    /// An operation; nil when it is not in the outbox.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: O(log n) page reads.
    public func operation(_ id: UUID) throws -> QueuedOperation? {
        guard let key = try table.key(of: id) else { return nil }
        guard let row = try table.row(key) else { throw OutboxTable.damage }
        return try operation(key, row)
    }

    /// Where an operation stands; nil when it is not in the outbox.
    ///
    /// An operation that was completed or skipped is not there any more; ``Outbox/queueChanges`` tells
    /// which of them it was.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func status(of id: UUID) throws -> OperationStatus? {
        try operation(id)?.status
    }

    /// The operations of a pipeline or of all, in the order of graphs and of being added.
    ///
    /// - Parameter pipeline: The name of the pipeline; nil for all.
    /// - Returns: The operations.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: Linear; ``forEachOperation(in:fromGraph:_:)`` does not hold all of them at once.
    public func operations(in pipeline: String? = nil) throws -> [QueuedOperation] {
        var found: [QueuedOperation] = []
        try forEachOperation(in: pipeline) {
            found.append($0)
            return true
        }
        return found
    }

    /// Walks the operations of a pipeline or of all, in the order of graphs and of being added.
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline; nil for all, one pipeline after the other.
    ///   - graph: The first graph of each pipeline that is walked: the ``QueuedOperation/graph`` of an operation, to go
    ///     on where a walk was stopped.
    ///   - body: Called with each operation; answers false to stop.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    /// - Complexity: Linear in the operations that are walked; one of them is in memory at a time.
    public func forEachOperation(
        in pipeline: String? = nil, fromGraph graph: UInt64 = 0,
        _ body: (QueuedOperation) throws -> Bool
    ) throws {
        var goesOn = true
        for (number, name) in pipelines.sorted(by: { $0.key < $1.key })
        where goesOn && (pipeline == nil || pipeline == name) {
            try table.forEachOperation(of: number, fromGraph: graph) { key, row in
                goesOn = try body(operation(key, row))
                return goesOn
            }
        }
    }

    /// Walks the operations of a pipeline after a place in its order, which need not have an operation any more.
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline.
    ///   - place: The graph and the number of the operation to go on after.
    ///   - body: Called with each operation; answers false to stop.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    /// - Complexity: O(log n) page reads, and linear in the operations that are walked.
    package func forEachOperation(
        in pipeline: String, after place: (graph: UInt64, number: UInt64),
        _ body: (QueuedOperation) throws -> Bool
    ) throws {
        guard let number = pipelines.first(where: { $0.value == pipeline })?.key else { return }
        let last = OperationKey(pipeline: number, graph: place.graph, number: place.number)
        try table.forEachOperation(of: number, after: last) { try body(operation($0, $1)) }
    }

    /// The operations about a document, in the order of pipelines, graphs, and of being added.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func operations(about documentId: String) throws -> [QueuedOperation] {
        try table.keys(ofDocument: documentId).map { key in
            guard let row = try table.row(key) else { throw OutboxTable.damage }
            return try operation(key, row)
        }
    }

    /// Whether there are operations about a document.
    ///
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: O(log n) page reads; no operation is read.
    public func hasOperations(about documentId: String) throws -> Bool {
        try table.firstKey(ofDocument: documentId) != nil
    }

    /// The name of the pipeline that takes what is for no other.
    var mainPipeline: String { Outbox.mainPipeline(of: Array(pipelines.values)) }

    /// The graphs of a pipeline that have operations left, in order.
    ///
    /// - Parameter pipeline: The name; that of the pipeline that takes what is for no other if not said.
    /// - Returns: The graphs.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    public func graphs(in pipeline: String? = nil) throws -> [OperationGraph] {
        var graphs: [OperationGraph] = []
        try forEachOperation(in: pipeline ?? mainPipeline) { operation in
            if graphs.last?.number == operation.graph {
                graphs[graphs.count - 1].operations.append(operation)
            } else {
                graphs.append(
                    OperationGraph(number: operation.graph, operations: [operation]))
            }
            return true
        }
        return graphs
    }

    /// The numbers of the graphs of a pipeline that have operations left, in order.
    ///
    /// The first is that of the operations that are carried out now, unless the pipeline's graphs do
    /// not follow each other. ``OutboxTransaction/insert(_:intoGraph:of:id:about:recordsChanges:dependencies:priority:)``
    /// takes them.
    ///
    /// - Parameter pipeline: The name; that of the pipeline that takes what is for no other if not said.
    /// - Returns: The numbers.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: O(log n) page reads for each graph.
    public func graphNumbers(in pipeline: String? = nil) throws -> [UInt64] {
        guard let record = try table.pipeline(named: pipeline ?? mainPipeline) else { return [] }
        var numbers: [UInt64] = []
        while let next = try table.lowestGraph(of: record.number, after: numbers.last ?? 0) {
            numbers.append(next)
        }
        return numbers
    }

    /// Everything that has to be done before an operation: what it depends on, what that depends
    /// on, and so on, as far as it is still in the outbox.
    ///
    /// - Throws: ``OutboxError`` with `operationNotFound`; ``/Settle/DatabaseError`` when the database is
    ///   damaged or cannot be read.
    public func recursiveDependencies(of id: UUID) throws -> Set<UUID> {
        guard let first = try operation(id) else { throw OutboxError.notFound(id) }
        var found: Set<UUID> = []
        var rest = Array(first.dependencies)
        while let next = rest.popLast() {
            guard !found.contains(next), let operation = try operation(next) else { continue }
            found.insert(next)
            rest += operation.dependencies
        }
        return found
    }

    /// The pipelines that ever had an operation, by name.
    public var pipelineNames: [String] { pipelines.values.sorted() }

    func operation(_ key: OperationKey, _ row: OperationRow) throws -> QueuedOperation {
        let status: OperationStatus
        if try table.isListed(key, in: .started, priority: 0) {
            status = .active
        } else if try names.map({ !$0.contains(row.name) })
            ?? table.isListed(key, in: .unknown, priority: 0)
        {
            status = .unknown
        } else {
            status = .pending
        }
        return QueuedOperation(
            row, key, pipeline: pipelines[key.pipeline] ?? "", status: status)
    }
}

/// The operations of one commit in one pipeline, as far as they are not done.
public struct OperationGraph: Sendable, Identifiable {
    /// The graph's number; a later commit has a higher one.
    public let number: UInt64
    /// Its operations in the order in which they were added.
    public internal(set) var operations: [QueuedOperation]

    /// The graph's number.
    public var id: UInt64 { number }
}

extension QueuedOperation {
    init(_ row: OperationRow, _ key: OperationKey, pipeline: String, status: OperationStatus) {
        self.init(
            id: row.id, name: row.name, pipeline: pipeline, graph: key.graph,
            priority: row.priority, dependencies: row.dependencies,
            documentIds: row.documentIds, changedFields: row.changedFields, holds: row.holds,
            notes: row.notes, startCount: Int(clamping: row.startCount),
            lastFailure: row.failure, status: status, number: key.number, content: row.content)
    }
}
