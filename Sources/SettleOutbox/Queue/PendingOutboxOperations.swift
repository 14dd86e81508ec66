import Foundation
import Settle

/// What one run of a write closure does with the outbox, until it is flushed at the end.
final class PendingOutboxOperations {
    /// An operation that was added and is not stored yet.
    struct Draft {
        var operation: QueuedOperation
        /// The graph it is inserted into; nil for that of the commit.
        var target: Target?
        var recordsChanges: Bool
    }

    /// The graph of an earlier commit.
    struct Target {
        var graph: UInt64
        /// Whether the operation beside which it is inserted waits for the graphs before.
        var isStrict: Bool
    }

    /// A stored operation that was changed.
    struct Modified {
        var key: OperationKey
        /// The dependencies it had before this closure.
        ///
        /// Those of them that it waits for no more are done, and stay so when their identifiers
        /// are given to other operations.
        var dependencies: Set<UUID>
    }

    private(set) var drafts: [UUID: Draft] = [:]
    /// The drafts in the order in which they were added.
    private(set) var order: [UUID] = []
    /// Stored operations that were changed and have to be listed again.
    private(set) var modified: [UUID: Modified] = [:]
    /// Documents that cloud URIs were attached to, by the bytes of their identifiers, to see at the end that
    /// they are there.
    var attached: Set<[UInt8]> = []
    /// True once what is noted here has been stored, at the end of the closure.
    var isFlushed = false
    /// What subscribers of the queue get.
    var changes: [String: QueueChange] = [:]

    func draft(_ id: UUID) -> Draft? { drafts[id] }

    /// Whether a draft that is inserted into the graph of an earlier commit waits for the graphs before;
    /// nil when none is inserted into it.
    func isStrict(graph: UInt64, of pipeline: String) -> Bool? {
        var isStrict: Bool?
        for draft in drafts.values where draft.operation.pipeline == pipeline {
            guard let target = draft.target, target.graph == graph else { continue }
            isStrict = target.isStrict
            if target.isStrict { break }
        }
        return isStrict
    }

    func add(_ draft: Draft) {
        if drafts.updateValue(draft, forKey: draft.operation.id) == nil {
            order.append(draft.operation.id)
        }
    }

    /// Forgets a draft.
    func drop(_ id: UUID) {
        drafts[id] = nil
        order.removeAll { $0 == id }
    }

    /// Records that a stored operation was changed.
    func modify(_ key: OperationKey, from old: OperationRow) {
        if modified[old.id] != nil { return }
        modified[old.id] = Modified(key: key, dependencies: old.dependencies)
    }

    /// Forgets that an operation was changed, because it is no more.
    func forget(_ id: UUID) { modified[id] = nil }

    /// Takes all drafts, in the order in which they were added.
    func takeDrafts() -> [Draft] {
        defer {
            drafts = [:]
            order = []
        }
        return order.compactMap { drafts[$0] }
    }

    /// The drafts of a pipeline, or all, in the order in which they were added.
    func drafts(in pipeline: String?) -> [QueuedOperation] {
        order.compactMap { drafts[$0]?.operation }.filter {
            pipeline == nil || pipeline == $0.pipeline
        }
    }

    /// Records something of the queue of a pipeline.
    func record(_ pipeline: String, _ change: (inout QueueChange) -> Void) {
        change(&changes[pipeline, default: QueueChange(pipeline: pipeline)])
    }
}
