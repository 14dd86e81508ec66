import Foundation
import Settle
import SettleOutbox

/// An operation of the outbox as the tool shows it.
struct OperationEntry: Sendable {
    /// Where it stands.
    enum Standing: String, Sendable, CaseIterable {
        /// Something works at it, or worked at it when its process ended.
        case active
        /// It waits for a date.
        case held
        /// It waits for its turn, or for other operations.
        case pending
        /// The application that ran its pipeline does not know its type.
        case unknown
    }

    /// What only those see who ask for it.
    struct Content: Sendable {
        /// The operation.
        var operation: JSONValue
        /// What its commit changed in the documents, if that was recorded.
        var changedFields: [String: FieldChanges] = [:]
        /// What was noted while it was carried out.
        var notes: [String: JSONValue] = [:]
    }

    let id: UUID
    let type: String
    let pipeline: String
    var graph: UInt64 = 1
    var standing = Standing.pending
    var priority: Int32 = 0
    var documentIds: [String] = []
    /// The operations it depends on, done or not.
    var dependencies: [UUID] = []
    /// Until when it is held, by reasons, also where that date has come.
    var holds: [String: Date] = [:]
    var startCount = 0
    /// Why it failed last; nil when it did not.
    var failure: OperationFault?
    /// Nil when it was not asked for.
    var content: Content?

    /// The latest of the dates, when it is held.
    var heldUntil: Date? { standing == .held ? holds.values.max() : nil }

    /// What it is, and all its facts, as a JSON object.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id.uuidString), "type": .string(type), "pipeline": .string(pipeline),
            "graph": .integer(Int64(clamping: graph)), "status": .string(standing.rawValue),
            "priority": .integer(Int64(priority)), "starts": .integer(Int64(startCount)),
            "documents": .array(documentIds.map { .string($0) }),
            "dependencies": .array(dependencies.map { .string($0.uuidString) }),
            "holds": .object(holds.mapValues { .string(DateArgument.text(of: $0)) }),
            "heldUntil": heldUntil.map { .string(DateArgument.text(of: $0)) } ?? .null,
        ]
        if let failure {
            members["lastFailure"] = [
                "message": .string(failure.message),
                "date": .string(DateArgument.text(of: failure.date)),
            ]
        }
        if let content {
            members["content"] = content.operation
            members["changes"] = .object(
                content.changedFields.mapValues {
                    ["old": .object($0.old), "new": .object($0.new)]
                })
            members["notes"] = .object(content.notes)
        }
        return .object(members)
    }
}

extension OperationEntry {
    /// An operation as it is stored.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - now: What holds are compared with.
    ///   - includesContent: Whether its content is shown.
    /// - Throws: `DatabaseError` when the content cannot be read.
    init(_ operation: QueuedOperation, now: Date, includesContent: Bool) throws {
        id = operation.id
        type = operation.name
        pipeline = operation.pipeline
        graph = operation.graph
        priority = operation.priority
        documentIds = operation.documentIds
        dependencies = operation.dependencies.sorted { $0.uuidString < $1.uuidString }
        holds = operation.holds
        startCount = operation.startCount
        failure = operation.lastFailure
        standing =
            switch operation.status {
            case .active: .active
            case .unknown: .unknown
            case .pending, .completed, .skipped:
                operation.holdDate.map { $0 > now } == true ? .held : .pending
            }
        if includesContent {
            content = Content(
                operation: try operation.json(), changedFields: operation.changedFields,
                notes: operation.notes)
        }
    }

    /// A JSON object that names an operation.
    static func line(of id: UUID) -> String {
        JSONRendering.compact(["id": .string(id.uuidString)])
    }
}
