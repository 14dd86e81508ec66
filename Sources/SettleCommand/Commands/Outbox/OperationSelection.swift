import Foundation
import Settle
import SettleOutbox

/// Finds operations by what was typed, in one state of a database.
struct OperationSelection {
    /// The outbox.
    let snapshot: OutboxSnapshot
    private let databaseName: String

    private static let candidateCountMax = 5

    /// A selection from the outbox in a snapshot.
    ///
    /// - Throws: `DatabaseError` when the database is damaged or cannot be read.
    init(in snapshot: Snapshot, of database: Database) throws {
        self.snapshot = try OutboxSnapshot(in: snapshot)
        databaseName = database.name
    }

    /// The operations with these identifiers or beginnings, each once.
    ///
    /// - Throws: ``CommandFailure`` when there is none, or more than one that begins so;
    ///   `DatabaseError` when the database is damaged or cannot be read.
    func operations(_ arguments: [OperationArgument]) throws -> [QueuedOperation] {
        let ids = arguments.contains { $0.id == nil } ? try self.ids() : []
        var found: [QueuedOperation] = []
        for argument in arguments {
            let operation = try operation(argument, among: ids)
            if !found.contains(where: { $0.id == operation.id }) { found.append(operation) }
        }
        return found
    }

    /// The operations of a pipeline, or of all.
    ///
    /// - Throws: As ``check(pipeline:)``; `DatabaseError` when the database is damaged or cannot be
    ///   read.
    func operations(in pipeline: String?) throws -> [QueuedOperation] {
        if let pipeline { try check(pipeline: pipeline) }
        return try snapshot.operations(in: pipeline)
    }

    /// The identifiers of all operations.
    ///
    /// - Throws: `DatabaseError` when the database is damaged or cannot be read.
    func ids() throws -> Set<UUID> {
        var ids: Set<UUID> = []
        try snapshot.forEachOperation { operation in
            ids.insert(operation.id)
            return true
        }
        return ids
    }

    /// Refuses a pipeline that never had an operation.
    ///
    /// - Throws: ``CommandFailure`` that names those there are.
    func check(pipeline: String) throws {
        let names = snapshot.pipelineNames
        guard !names.contains(pipeline) else { return }
        let others =
            names.isEmpty
            ? "" : " There is: " + names.map(ScreenText.printable).joined(separator: ", ") + "."
        throw CommandFailure(
            "There is no pipeline '\(ScreenText.printable(pipeline))' in the outbox of "
                + "'\(databaseName)'.\(others)")
    }

    private func operation(
        _ argument: OperationArgument, among ids: Set<UUID>
    ) throws -> QueuedOperation {
        let candidates = argument.id.map { [$0] } ?? ids.filter(argument.begins)
        guard candidates.count <= 1 else {
            let names = candidates.map(\.uuidString).sorted()
            let more = names.count > Self.candidateCountMax ? ", and more" : ""
            throw CommandFailure(
                "\(Quantity.count(names.count, "operation")) begin with '\(argument.text)': "
                    + names.prefix(Self.candidateCountMax).joined(separator: ", ") + more
                    + ". Give more characters.")
        }
        guard let id = candidates.first, let operation = try snapshot.operation(id) else {
            throw CommandFailure(
                "There is no operation '\(argument.text)' in the outbox of '\(databaseName)': it "
                    + "is done, was skipped, or never was there.")
        }
        return operation
    }
}
