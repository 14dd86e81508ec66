import Foundation
import Settle

/// Writes the batches of some lanes, one after the other in each, until the last or a kill.
final class BatchWriter: Sendable {
    /// What is written.
    struct Work: Sendable {
        let seed: UInt64
        let lanes: Int
        let profile: BatchPlan.Profile
        /// The last batch of each lane.
        let last: Int
        /// Whether a failure is lived with: tried again, then with the database opened anew.
        let outlivesFailures: Bool
    }

    /// More failures were met than a passing fault explains.
    struct GaveUp: Error {}

    private static let failuresMax = 6

    private let configuration: Database.OpenDatabaseConfiguration
    private let work: Work

    init(_ configuration: Database.OpenDatabaseConfiguration, _ work: Work) {
        self.configuration = configuration
        self.work = work
    }

    /// Runs all lanes to their ends.
    func run() async throws {
        if work.outlivesFailures { return try await runOutlivingFailures() }
        let database = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<work.lanes {
                group.addTask { [self] in try await write(lane, to: database) }
            }
            try await group.waitForAll()
        }
        await database.close()
    }

    private func runOutlivingFailures() async throws {
        precondition(work.lanes == 1, "Who opens the database anew must be alone with it.")
        var failures = 0
        while true {
            let database: Database
            do {
                database = try await open()
            } catch {
                failures += 1
                try note(error, failures)
                continue
            }
            // The first failure on an open database is followed by another try on the same one.
            for _ in 0..<2 {
                do {
                    try await write(0, to: database)
                    return await database.close()
                } catch {
                    failures += 1
                    try note(error, failures)
                }
            }
            await database.close()
        }
    }

    private func note(_ error: any Error, _ failures: Int) throws {
        Report(error).send()
        if failures >= Self.failuresMax { throw GaveUp() }
    }

    private func open() async throws -> Database {
        guard let database = try await Database.open(with: configuration, create: true) else {
            preconditionFailure("A database that may be created was not there.")
        }
        Report.opened.send()
        return database
    }

    private func write(_ lane: Int, to database: Database) async throws {
        // What a failed commit left is asked, not assumed.
        var number = try database.read { try $0.lastBatch(ofLane: lane) } + 1
        while number <= work.last {
            let plan = BatchPlan(
                seed: work.seed, lane: lane, number: number, profile: work.profile)
            let streamed = try await stream(plan, to: database)
            try await database.write { try plan.write(in: $0, streamed: streamed) }
            for attachment in streamed.values { try await database.discard(attachment) }
            Report.committed(lane: lane, number: number).send()
            // Brings the index up to date, in commits of its own.
            if number % 3 == 0 {
                _ = try await database.runQuery(on: ChildDatabase.indexName)
            }
            number += 1
        }
    }

    /// Brings in the large contents of a batch, each in several commits of its own.
    private func stream(
        _ plan: BatchPlan, to database: Database
    ) async throws -> [String: DocumentAttachment] {
        var streamed: [String: DocumentAttachment] = [:]
        for entry in plan.steps.map(\.entry) {
            guard let content = entry.content, content.isStreamed else { continue }
            streamed[entry.id] = try await database.storeAttachment(
                named: ContentPlan.name, contentType: ContentPlan.type, chunks: content.pieces)
        }
        return streamed
    }
}

extension Report {
    /// What is told of an error.
    init(_ error: any Error) {
        if let error = error as? DatabaseError {
            self = .failed(code: "\(error.code)")
        } else {
            self = .foreign(type: "\(type(of: error))")
        }
    }
}
