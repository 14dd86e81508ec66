import Foundation
import Settle

/// Something that happens to a database, in the order in which the words say it.
enum HistoryStep: Sendable {
    /// A batch of the lane.
    case batch
    /// A query, which brings the index up to date.
    case query
    /// The file is written anew.
    case compact
    /// The index is built in the next version.
    case build
    /// The database is closed and opened again.
    case reopen
    /// Documents of a megabyte come and go, so that the file grows.
    case grow

    init?(_ word: String) {
        switch word {
        case "batch": self = .batch
        case "query": self = .query
        case "compact": self = .compact
        case "build": self = .build
        case "reopen": self = .reopen
        case "grow": self = .grow
        default: return nil
        }
    }
}

/// Does the steps of a history, and tells of every batch that was committed.
struct History {
    let folder: URL
    let durability: Database.Durability
    let seed: UInt64
    let lane: Int
    let steps: [HistoryStep]

    func run() async throws {
        var version = 1
        var database = try await open(version)
        var number = try database.read { try $0.lastBatch(ofLane: lane) }
        for step in steps {
            switch step {
            case .batch:
                number += 1
                let plan = BatchPlan(seed: seed, lane: lane, number: number, profile: .mixed)
                try await database.write { try plan.write(in: $0) }
                Report.committed(lane: lane, number: number).send()
            case .query: _ = try await database.runQuery(on: ChildDatabase.indexName)
            case .compact: try await database.compact()
            case .build:
                version += 1
                try await database.addIndex(ChildDatabase.index(version: version))
            case .reopen:
                await database.close()
                database = try await open(version)
            case .grow:
                // Side tables are no part of the model: what is in them changes nothing else.
                for value in [[UInt8](repeating: 7, count: 1 << 20), []] {
                    try await database.write { transaction in
                        let table = try transaction.sideTable(named: "growth")
                        for key in 0..<4 as Range<UInt8> { try table.set(value, for: [key]) }
                    }
                }
            }
        }
        await database.close()
    }

    private func open(_ version: Int) async throws -> Database {
        let configuration = ChildDatabase.configuration(
            in: folder, durability: durability, indexVersion: version)
        guard let database = try await Database.open(with: configuration, create: true) else {
            preconditionFailure("A database that may be created was not there.")
        }
        Report.opened.send()
        return database
    }
}
