import ArgumentParser
import Foundation
import Settle
import SettleOutbox

/// A database and its outbox opened in a process of its own, which tells how long that took and how
/// much memory.
struct OutboxProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox-process", abstract: "Open a database and its outbox.",
        shouldDisplay: false)

    @Option(help: "The folder of the database.")
    var database: String
    @Option(help: "How many operations are queued.")
    var count: Int

    /// What the process prints.
    struct Report: Codable, Sendable {
        /// From the beginning until database and outbox were open.
        let milliseconds: Double
        /// The memory of the process when the first operations had been started (`RssAnon`).
        let anonymous: Int
        /// How many operations were queued.
        let count: Int
    }

    private static let limit = 8

    func run() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let begun = ContinuousClock.now
        let peer = try await SettlePeer(in: URL(fileURLWithPath: database))
        let outbox = try await peer.database.openOutbox(
            OutboxConfiguration(
                operations: [PutOrder.self],
                pipelines: [
                    PipelineConfiguration(maxConcurrentOperationCount: Self.limit) { _ in
                        started.yield()
                        // They stay active, so that no more are started.
                        return .leftActive
                    }
                ]))
        let time = ContinuousClock.now - begun
        var rest = min(Self.limit, count)
        if rest > 0 {
            for await _ in starts {
                rest -= 1
                if rest == 0 { break }
            }
        }
        let anonymous = try MemoryWatch.anonymousByteCount()
        let found = try OperationQueue.count(in: peer.database)
        await outbox.close()
        await peer.close()
        let report = Report(
            milliseconds: time / .milliseconds(1), anonymous: anonymous, count: found)
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Runs this program again to open a database.
    ///
    /// - Parameters:
    ///   - folder: Where it lies.
    ///   - count: How many operations are queued in it.
    /// - Returns: What the process told.
    /// - Throws: ``BenchmarkError`` when it failed or found another number of operations.
    static func run(folder: URL, expecting count: Int) throws -> Report {
        let report = try OwnProcess.report(
            [
                "outbox-process", "--database", folder.path, "--count", String(count),
            ], as: Report.self)
        try BenchmarkError.check(report.count, is: count, "The operations that are queued")
        return report
    }
}
