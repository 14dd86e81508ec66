import Foundation
import Settle

/// Turns the dependencies that operations name into rows that say who waits for whom.
struct DependencyGraph {
    let table: OutboxTable

    /// Makes the waits of an operation those that it names.
    ///
    /// - Parameters:
    ///   - key: The operation.
    ///   - row: Its row.
    ///   - pipeline: The pipeline it is in.
    ///   - before: What it named until now; nil when it is new.
    /// - Returns: The numbers of those that it did not wait for until now.
    /// - Throws: ``OutboxError`` with `dependencyCycle` for an operation that names itself,
    ///   `dependencyAcrossPipelines`, `dependencyOnLaterGraph`.
    func connect(
        _ key: OperationKey, _ row: OperationRow, in pipeline: PipelineRecord,
        before: Set<UUID>?
    ) throws -> Set<UInt64> {
        if before == nil, row.dependencies.isEmpty { return [] }
        let there = before == nil ? [] : Set(try table.dependencies(of: key.number))
        var wanted: Set<UInt64> = []
        for id in row.dependencies {
            if id == row.id { throw Self.cycle(row.id) }
            // What is not there is done.
            guard let dependency = try table.key(of: id) else { continue }
            if there.contains(dependency.number) {
                wanted.insert(dependency.number)
                continue
            }
            // What was done when it was named stays done, whoever has its identifier now.
            if before?.contains(id) == true { continue }
            try check(key, dependency, id, row, pipeline)
            wanted.insert(dependency.number)
        }
        for number in there.subtracting(wanted) {
            try table.removeWait(of: key.number, for: number)
        }
        let added = wanted.subtracting(there)
        for number in added { try table.setWait(of: key, for: number) }
        return added
    }

    private func check(
        _ key: OperationKey, _ dependency: OperationKey, _ id: UUID, _ row: OperationRow,
        _ pipeline: PipelineRecord
    ) throws(OutboxError) {
        guard dependency.pipeline == key.pipeline else {
            throw OutboxError(
                .dependencyAcrossPipelines,
                "The operation \(row.id) depends on \(id), which is in another pipeline. Put both "
                    + "into one pipeline, or add the second when the first is done.",
                operationId: row.id)
        }
        // Forward only where every graph from here on is flat: a strict one waits for all before.
        guard dependency.graph <= key.graph || key.graph > pipeline.strictGraphLast else {
            throw OutboxError(
                .dependencyOnLaterGraph,
                "The operation \(row.id) of an earlier commit would wait for \(id) of a later one, "
                    + "which starts only after it. Insert \(id) into the graph of \(row.id).",
                operationId: row.id)
        }
    }

    /// Checks that no operation waits for itself by way of others.
    ///
    /// - Parameter operations: Those that wait for others than before.
    /// - Throws: ``OutboxError`` with `dependencyCycle`.
    /// - Complexity: O(operations that can be reached, and their dependencies).
    func checkForCycles(_ operations: [(key: OperationKey, id: UUID)]) throws {
        var isDone: [UInt64: Bool] = [:]
        for (key, id) in operations where isDone[key.number] == nil {
            isDone[key.number] = false
            var path = [(key.number, try table.dependencies(of: key.number))]
            while let (number, rest) = path.last {
                guard let next = rest.last else {
                    isDone[number] = true
                    path.removeLast()
                    continue
                }
                path[path.count - 1].1.removeLast()
                switch isDone[next] {
                case true?: break
                case false?: throw Self.cycle(id)
                case nil:
                    isDone[next] = false
                    path.append((next, try table.dependencies(of: next)))
                }
            }
        }
    }

    /// Checks that no strict graph waits for an operation that waits for one of that graph.
    ///
    /// A wait for an operation of a later graph is refused where a strict graph is between them
    /// (``connect(_:_:in:before:)``). But one may have been moved there from another pipeline.
    ///
    /// - Parameter operations: Those that wait for others than before; none for itself by way of its
    ///   dependencies.
    /// - Throws: ``OutboxError`` with `dependencyCycle`.
    /// - Complexity: O(operations that wait for these); O(operations of the pipeline) where one of
    ///   them waits for a later graph and the pipeline has had strict graphs since.
    func checkStrictGraphs(_ operations: [(key: OperationKey, id: UUID)]) throws {
        let strictGraphLast = Dictionary(
            try table.pipelines().map { ($0.number, $0.strictGraphLast) }, uniquingKeysWith: max)
        var seen = Set(operations.map(\.key.number))
        var checked: Set<UInt32> = []
        for (key, id) in operations where !checked.contains(key.pipeline) {
            let last = strictGraphLast[key.pipeline] ?? 0
            guard try isAwaitedByEarlier(key, before: last, &seen) else { continue }
            try checkStrictGraphs(of: key.pipeline, id)
            checked.insert(key.pipeline)
        }
    }

    /// Whether one from before the last strict graph waits for one of a later graph, which is an
    /// operation or waits for it.
    ///
    /// - Parameters:
    ///   - key: The operation.
    ///   - strictGraphLast: The last strict graph of its pipeline.
    ///   - seen: The numbers of operations that need not be looked at, with those that were.
    /// - Returns: False where nothing was moved between operations that wait for each other.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    func isAwaitedByEarlier(
        _ key: OperationKey, before strictGraphLast: UInt64, _ seen: inout Set<UInt64>
    ) throws -> Bool {
        var rest = [key]
        while let next = rest.popLast() {
            for (number, graph) in try table.dependants(of: next.number) {
                if graph < min(next.graph, strictGraphLast) { return true }
                guard seen.insert(number).inserted else { continue }
                rest.append(OperationKey(pipeline: key.pipeline, graph: graph, number: number))
            }
        }
        return false
    }

    private func checkStrictGraphs(of pipeline: UInt32, _ id: UUID) throws {
        struct Node {
            var graph: UInt64
            /// The last strict graph of the operation itself and of all that it waits for.
            var strictGraph: UInt64
            var waitCount = 0
        }
        var nodes: [UInt64: Node] = [:]
        try table.forEachOperation(of: pipeline) { key, row in
            nodes[key.number] = Node(graph: key.graph, strictGraph: row.isStrict ? key.graph : 0)
            return true
        }
        var free: [UInt64] = []
        for number in nodes.keys {
            let count = try table.dependencies(of: number).count
            nodes[number]?.waitCount = count
            if count == 0 { free.append(number) }
        }
        while let number = free.popLast() {
            guard let node = nodes[number] else { throw OutboxTable.damage }
            // That graph would wait for this operation, which waits for it.
            if node.strictGraph > node.graph { throw Self.cycle(id) }
            for (number, _) in try table.dependants(of: number) {
                guard var dependant = nodes[number] else { throw OutboxTable.damage }
                dependant.strictGraph = max(dependant.strictGraph, node.strictGraph)
                dependant.waitCount -= 1
                nodes[number] = dependant
                if dependant.waitCount == 0 { free.append(number) }
            }
        }
    }

    private static func cycle(_ id: UUID) -> OutboxError {
        OutboxError(
            .dependencyCycle,
            "The operation \(id) would wait for itself, directly or by way of others, and never "
                + "start. Remove one of the dependencies.", operationId: id)
    }
}
