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

    private static func cycle(_ id: UUID) -> OutboxError {
        OutboxError(
            .dependencyCycle,
            "The operation \(id) would wait for itself, directly or by way of others, and never "
                + "start. Remove one of the dependencies.", operationId: id)
    }
}
