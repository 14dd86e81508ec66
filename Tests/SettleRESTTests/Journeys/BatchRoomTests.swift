import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

/// A database and a table that takes batches, and has little room in its answers to them.
@Suite(.serialized) struct `Batches without room in the answer` {
    private static let count = 100

    /// Of single operations that are to be sent again, of answers that are not read, and of both.
    @Test(arguments: [(10, 1 << 20), (64, 4_096), (5, 2_048)])
    func `store every change once, and set none aside`(
        resultCountMax: Int, answerSizeMax: Int
    ) async throws {
        let scratch = try ScratchDirectory("room")
        let database = try #require(
            try await Database.open(
                with: Database.OpenDatabaseConfiguration(
                    name: "db", fileLocation: scratch.url,
                    completionQueue: DispatchQueue(label: "settle.tests.completion")),
                create: true))
        let table = BatchTable(resultCountMax: resultCountMax, answerSizeMax: answerSizeMax)
        let text = String(repeating: "x", count: 200)
        for round in 1...3 {
            try await database.write { transaction in
                for number in 0..<Self.count {
                    let id = "d\(number)"
                    if round == 3, number % 2 == 0 {
                        try transaction.delete(documentWithId: id)
                        continue
                    }
                    var document = try transaction.document(id) ?? Document(id: id)
                    document["text"] = text
                    document["round"] = round
                    try transaction.save(document)
                }
            }
            let batchCount = table.batchCount
            let summary = try await replicate(database, table)
            #expect(summary.pushed == Self.count)
            #expect(summary.rejected == 0 && summary.conflicts == 0)
            #expect(table.writeCount == round * Self.count)
            #expect(table.batchCount >= batchCount + 2)
            #expect(try database.pendingOperations().isEmpty)
            #expect(try database.rejectedOperations().isEmpty)
            let rounds = table.contents.values.map { $0["round"] }
            #expect(rounds.count == (round == 3 ? Self.count / 2 : Self.count))
            #expect(rounds.allSatisfy { $0 == .integer(Int64(round)) })
        }
        await database.close()
    }

    private func replicate(
        _ database: Database, _ table: BatchTable
    ) async throws -> ReplicationSummary {
        let url = try #require(URL(string: "http://h/tables/t"))
        var configuration = ReplicationConfiguration(
            url: url, isRepeating: false,
            options: [
                "transport": table as any HTTPTransport, "dialect": AzureTablesBackend.Dialect.v2,
            ])
        configuration.retryLimit = 0
        configuration.conflictHandler = ConflictHandler(mayStop: false) { conflict in
            Issue.record("\(conflict.documentId) is no conflict.")
            return .leave
        }
        return try await database.replicate(with: configuration)
    }
}
