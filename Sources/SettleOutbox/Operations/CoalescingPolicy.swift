public import Settle

/// How a pipeline coalesces an operation with one about the same document that waits already.
///
/// Asked at the end of the closure that adds an operation, about the last operation in the pipeline
/// that is about one of its documents. An operation that was ever started is never rewritten,
/// because the service may have carried it out: the new one then waits behind it, as a dependency.
/// A new one that stays in order waits for the last one about each of its documents. One that is
/// inserted into an earlier graph is not coalesced.
public struct CoalescingPolicy: Sendable {
    /// What becomes of two operations.
    public enum Outcome: Sendable {
        /// Both stay; the order of graphs and dependencies is all that holds between them.
        case keepBoth
        /// Both stay, and the new one starts only when the other is done.
        case keepInOrder
        /// The new one vanishes, and the one that waits becomes this; it keeps its identifier,
        /// and graph, and has the higher of the priorities. Dependencies, holds, and recorded fields
        /// of both are united. Where it could not wait for what the new one depends on, because
        /// that comes after it or waits for it, both stay as for ``keepInOrder``.
        case replace(QueuedOperation)
        /// Both vanish: nothing is left to be done.
        case dropBoth
        /// The new one is a mistake; the commit is refused with this sentence.
        case refuse(String)
    }

    let decide: @Sendable (_ queued: QueuedOperation, _ added: QueuedOperation) throws -> Outcome

    /// A policy.
    ///
    /// - Parameter decide: Says what becomes of an operation that waits and one that is added. It is
    ///   called on the writer's thread and must only compute; what it throws refuses the commit.
    public init(
        _ decide:
            @escaping @Sendable (
                _ queued: QueuedOperation, _ added: QueuedOperation
            ) throws -> Outcome
    ) {
        self.decide = decide
    }

    /// The policy of one type of operations that insert, update, and delete documents.
    ///
    /// Operations of other types, and those about more or other documents, stay as they are but
    /// for their order.
    ///
    /// - Parameters:
    ///   - type: The type. The operation that stays is the newer one, with the kind that the rules
    ///     say.
    ///   - rules: What becomes of which kinds.
    /// - Returns: The policy.
    public static func byKind<Operation: CoalescableOperation>(
        of type: Operation.Type, rules: CoalescingRules = .tables
    ) -> CoalescingPolicy {
        CoalescingPolicy { queued, added in
            guard queued.documentIds.elementsEqual(added.documentIds, by: { $0.hasBytes(of: $1) }),
                let old = try queued.operation(as: type), var new = try added.operation(as: type)
            else { return .keepInOrder }
            switch rules.outcome(queued: old.kind, added: new.kind) {
            case .newer(let kind):
                new.kind = kind
                var result = added
                try result.set(new)
                return .replace(result)
            case .older:
                return .replace(queued)
            case .nothing:
                return .dropBoth
            case .refused:
                return .refuse(
                    "A document with a waiting '\(old.kind)' cannot be the subject of an "
                        + "'\(new.kind)'.")
            }
        }
    }
}

/// An operation that inserts, updates, or deletes what it is about.
public protocol CoalescableOperation: OutboxOperation {
    /// What it does.
    var kind: OperationKind { get set }
}

/// What becomes of an operation that waits and another one about the same document.
public enum CoalescingRules: Sendable, Hashable, CaseIterable {
    /// Those of Azure Mobile Services' clients: what makes no sense, a second insert say, is a mistake.
    case tables
    /// Those of AzureData's offline queue: what makes no sense is ignored.
    case resources

    /// What is left of two operations.
    public enum Outcome: Sendable, Hashable {
        /// The newer one, as this kind.
        case newer(OperationKind)
        /// The older one as it is.
        case older
        /// Nothing.
        case nothing
        /// The newer one is a mistake.
        case refused
    }

    /// What becomes of two operations of which neither was ever started.
    ///
    /// | queued | insert | update | delete | undelete |
    /// | --- | --- | --- | --- | --- |
    /// | insert | mistake | insert | nothing | mistake |
    /// | update | mistake | update | delete | mistake |
    /// | delete | update | mistake | mistake | update |
    /// | undelete | mistake | undelete | nothing | mistake |
    ///
    /// For ``resources``, the older one stays where the table says mistake. An insert after a delete
    /// that was not sent is an update, as in the push queue of a replication: the service still has
    /// what would be inserted.
    public func outcome(queued: OperationKind, added: OperationKind) -> Outcome {
        switch (queued, added) {
        case (.insert, .update): .newer(.insert)
        case (.update, .update): .newer(.update)
        case (.undelete, .update): .newer(.undelete)
        case (.insert, .delete), (.undelete, .delete): .nothing
        case (.update, .delete): .newer(.delete)
        case (.delete, .insert), (.delete, .undelete): .newer(.update)
        default: self == .tables ? .refused : .older
        }
    }
}
