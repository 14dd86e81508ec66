public import Foundation

/// What has happened to the queue of a pipeline, in one commit or in several that follow each
/// other.
///
/// An identifier is in one set only: an operation that came and went in between is among those
/// that went. (Unless it was given to another operation after that, which is then among those that
/// were added.)
public struct QueueChange: Sendable, Hashable {
    /// The pipeline.
    public let pipeline: String
    /// Operations that were added, with the graph of their commit.
    public internal(set) var added: Set<UUID> = []
    /// Operations that were inserted into graphs of earlier commits.
    public internal(set) var inserted: Set<UUID> = []
    /// Operations whose contents, dependencies, priorities, or holds were changed.
    public internal(set) var modified: Set<UUID> = []
    /// Operations that are done.
    public internal(set) var completed: Set<UUID> = []
    /// Operations that were given up, also those that a policy has coalesced into others: of two that become
    /// one the one that was added, of two that vanish both.
    public internal(set) var skipped: Set<UUID> = []

    init(pipeline: String) {
        self.pipeline = pipeline
    }

    /// True when nothing has happened.
    public var isEmpty: Bool {
        added.isEmpty && inserted.isEmpty && modified.isEmpty && completed.isEmpty
            && skipped.isEmpty
    }

    mutating func add(_ id: UUID, isInserted: Bool) {
        if isInserted { inserted.insert(id) } else { added.insert(id) }
    }

    mutating func modify(_ id: UUID) {
        if !added.contains(id), !inserted.contains(id) { modified.insert(id) }
    }

    mutating func finish(_ id: UUID, as status: OperationStatus) {
        added.remove(id)
        inserted.remove(id)
        modified.remove(id)
        if status == .completed { completed.insert(id) } else { skipped.insert(id) }
    }

    /// This and what came after it, as one.
    mutating func append(_ later: QueueChange) {
        // What ended in it comes first: where an identifier is among those that were added as well, it was
        // given to another operation after that.
        for id in later.completed { finish(id, as: .completed) }
        for id in later.skipped { finish(id, as: .skipped) }
        for id in later.added { add(id, isInserted: false) }
        for id in later.inserted { add(id, isInserted: true) }
        for id in later.modified { modify(id) }
    }
}
