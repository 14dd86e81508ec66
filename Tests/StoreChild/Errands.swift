import Foundation
package import Settle
import SettleOutbox

/// An operation that leaves a mark in the database when it is done.
package struct Errand: OutboxOperation {
    package static let operationName = "errand"
    package var number: Int
}

/// Adds documents with operations about them, and carries these out, until killed.
package struct Errands {
    private let database: Database
    private let outbox: Outbox

    /// Opens the outbox of a database.
    package init(_ database: Database) async throws {
        self.database = database
        outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: [Errand.self],
                pipelines: [
                    PipelineConfiguration(maxConcurrentOperationCount: 1) { operation in
                        guard let errand = try operation.operation(as: Errand.self) else {
                            return .skipped()
                        }
                        return .completed { transaction in
                            let id = Self.doneId(errand.number)
                            let count = try transaction.document(id)?.integer("count") ?? 0
                            try transaction.save(["id": id, "count": count + 1])
                            transaction.afterCommit {
                                Report.committed(lane: 1, number: errand.number).send()
                            }
                        }
                    }
                ]))
    }

    /// The document that an operation is about.
    package static func id(_ number: Int) -> String { "errand-\(number)" }

    /// The mark that an operation leaves.
    package static func doneId(_ number: Int) -> String { "done-\(number)" }

    /// Adds one after the other, with the numbers after the highest there is.
    func add() async throws {
        var number = 0
        while try database.read({ try $0.document(Self.id(number + 1)) }) != nil { number += 1 }
        Report.opened.send()
        while true {
            number += 1
            let next = number
            try await database.write { [outbox] transaction in
                try transaction.save(["id": Self.id(next)])
                try outbox.with(transaction).add(Errand(number: next), about: [Self.id(next)])
            }
            Report.committed(lane: 0, number: next).send()
        }
    }

    /// Waits until every operation is done, and closes the outbox.
    package func finish() async throws {
        var changes = outbox.queueChanges.makeAsyncIterator()
        while try outbox.read({ try !$0.operations().isEmpty }) { _ = await changes.next() }
        await outbox.close()
    }
}
