import Dispatch
import Foundation
import Settle
import Synchronization

/// Builds the index over numbered documents.
struct NumberIndexing {
    let folder: URL
    let version: String

    /// Builds the index once, telling how many documents were mapped.
    func build() async throws {
        let index = NumberDatabase.index(version: version) { document in
            switch (document["manner"] as? String).flatMap(NumberDatabase.Manner.init) {
            case .trap: preconditionFailure("A map function that cannot bear a document.")
            case .hold:
                Report.holding.send()
                DispatchSemaphore(value: 0).wait()
            case nil: break
            }
        }
        let database = try await open(nil)
        Report.opened.send()
        try await database.addIndex(index) { Report.mapped(count: $0.completed).send() }
        await database.close()
    }

    /// Asks the index once a round, and writes into the database how often the map was called.
    ///
    /// A round begins when a document `round N` is there, and its end is the document
    /// `round N was seen`.
    func follow(rounds: Int) async throws {
        let calls = Atomic(0)
        let index = NumberDatabase.index(version: version) { _ in
            calls.add(1, ordering: .relaxed)
        }
        let database = try await open(index)
        Report.opened.send()
        for round in 1...rounds {
            while try await database.fetchDocument("round \(round)") == nil { await Task.yield() }
            let rows = try await database.runQuery(on: NumberDatabase.indexName).rows
            try await database.add([
                "id": "round \(round) was seen", "calls": calls.load(ordering: .relaxed),
                "rows": rows.first?.value as? Int ?? 0,
            ])
        }
        await database.close()
    }

    private func open(_ index: Database.Index?) async throws -> Database {
        let configuration = NumberDatabase.configuration(in: folder, index: index)
        guard let database = try await Database.open(with: configuration) else {
            preconditionFailure("The database to index is not there.")
        }
        return database
    }
}
