public import Foundation
public import Settle

/// An operation in the outbox.
///
/// A copy: changing it changes nothing in the outbox. ``OutboxTransaction/modify(_:_:)`` does.
public struct QueuedOperation: Sendable, Identifiable, Hashable {
    /// What dependencies and everything else know it by; unique in the outbox.
    public let id: UUID
    /// What stands for the type of the operation: its ``OutboxOperation/operationName``.
    public let name: String
    /// The pipeline it is in.
    public internal(set) var pipeline: String
    /// The graph it is in; a higher number for every commit.
    public internal(set) var graph: UInt64
    /// Higher ones start first, among those that may; 0 if not said.
    ///
    /// A hint: it never overrules a dependency or the order of the graphs.
    public var priority: Int32
    /// The operations that must be done before this one starts.
    ///
    /// One that is not in the outbox counts as done.
    public var dependencies: Set<UUID>
    /// The documents it is about.
    public var documentIds: [String]
    /// What the commit it was added in changed in these documents, by their identifiers, if that
    /// was to be recorded.
    public var changedFields: [String: FieldChanges]
    /// Until when it is not to be started, each for a reason of its own.
    public internal(set) var holds: [String: Date]
    /// What was noted with it while it was carried out, by names: an upload's session, how far it is.
    ///
    /// Notes are kept until the operation is completed or skipped, over retries and restarts. They are
    /// set by ``Pipeline/setNotes(_:of:)`` and ``OutboxTransaction/setNotes(_:of:)``, and by nothing else.
    public internal(set) var notes: [String: JSONValue]
    /// How often it was started.
    ///
    /// In a delegate the start itself is counted. So more than 1 there means that it may have been
    /// carried out already, in whole or in part: the process ended before its outcome was stored,
    /// or it is tried again.
    public internal(set) var startCount: Int
    /// Why it failed when it was last started and failed; nil when it never did.
    ///
    /// Kept until the operation is completed or skipped, over retries and restarts. What its delegate throws is a
    /// failure; an outcome that the delegate answers, such as ``OperationOutcome/retry(after:_:)``, is none.
    public internal(set) var lastFailure: OperationFault?
    /// Where it stands.
    public internal(set) var status: OperationStatus
    /// Its number in the outbox, in the order of being added.
    package internal(set) var number: UInt64 = 0

    /// The stored form of the operation.
    var content: PackedValue

    /// The latest of the dates until which it is held.
    public var holdDate: Date? { holds.values.max() }

    /// The operation itself.
    ///
    /// - Parameter type: The type that it was added as.
    /// - Returns: The operation; nil when it is of another type.
    /// - Throws: What the type's decoding throws.
    public func operation<Operation: OutboxOperation>(as type: Operation.Type) throws -> Operation?
    {
        guard name == type.operationName else { return nil }
        return try content.decode(type, leaves: DocumentCodingLeaves())
    }

    /// The operation itself without some of its members, as if it had been added without them.
    ///
    /// For a look at many operations, of which some members are large: they are neither copied nor decoded.
    ///
    /// - Parameters:
    ///   - type: The type that it was added as, for which these members are optional.
    ///   - members: The names of the members.
    /// - Returns: The operation; nil when it is of another type.
    /// - Throws: What the type's decoding throws; ``/Settle/DatabaseError`` with `corrupted`.
    public func operation<Operation: OutboxOperation>(
        as type: Operation.Type, leavingOut members: [String]
    ) throws -> Operation? {
        guard name == type.operationName else { return nil }
        let rest: PackedValue
        do {
            rest = try content.removing(members)
        } catch {
            throw damage(error)
        }
        return try rest.decode(type, leaves: DocumentCodingLeaves())
    }

    /// How many bytes the operation takes in the database, without what belongs to every one.
    public var size: Int { content.bytes.count }

    /// The members of the operation as JSON, also when its type is not known.
    ///
    /// - Throws: ``/Settle/DatabaseError`` with `corrupted`.
    public func json() throws -> JSONValue {
        do {
            return try content.value()
        } catch {
            throw damage(error)
        }
    }

    private func damage(_ cause: any Error) -> DatabaseError {
        DatabaseError(
            .corrupted,
            "The database is damaged: the operation \(id) cannot be read. Check the database.",
            cause: cause)
    }
}

extension String {
    /// Whether the bytes of UTF-8 are those of another one.
    ///
    /// Documents are told apart by them: identifiers that are equal as texts may be of two documents.
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Where an operation stands.
public enum OperationStatus: String, Sendable, Hashable, CaseIterable {
    /// It waits: for its turn, for other operations, for the end of a hold.
    case pending
    /// It was started and has not been completed, skipped, or given back.
    case active
    /// It is done and not in the outbox any more; reported in the transaction that completes it.
    case completed
    /// It was given up and is not in the outbox any more; reported in the transaction that skips it.
    case skipped
    /// It waits, and it is of a type that the outbox does not know; it is kept, and not started.
    case unknown
}
