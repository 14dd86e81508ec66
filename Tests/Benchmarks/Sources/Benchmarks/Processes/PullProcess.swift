import ArgumentParser
import Foundation
import Settle
import SettleREST
import SettleSync

/// A pull of a table in a process of its own, which tells how long it took and how much memory.
struct PullProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull-process", abstract: "Pull a table and print time and memory.",
        shouldDisplay: false)

    @Option(help: "The table.")
    var url: String
    @Option(help: "An empty folder for the database.")
    var database: String

    /// What the process prints.
    struct Report: Codable, Sendable {
        let seconds: Double
        /// The seconds of processor.
        let processor: Double
        let peak: MemoryPeak
        let sums: FieldSums
    }

    func run() async throws {
        guard let url = URL(string: url) else { throw BenchmarkError("That is no address.") }
        let peer = try await SettlePeer(in: URL(fileURLWithPath: database))
        var (seconds, processor) = (0.0, 0.0)
        let peak = try await MemoryWatch.peak {
            let (begun, used) = (ContinuousClock.now, ProcessorTime.seconds)
            try await peer.database.replicate(with: ReplicationSetUp.pull(url))
            seconds = (ContinuousClock.now - begun) / .seconds(1)
            processor = ProcessorTime.seconds - used
        }
        let report = Report(
            seconds: seconds, processor: processor, peak: peak, sums: try peer.scan())
        await peer.close()
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Runs this program again to pull a table into a new database.
    static func run(_ url: URL, folder: URL) throws -> Report {
        try OwnProcess.report(
            [
                "pull-process", "--url", url.absoluteString, "--database", folder.path,
            ], as: Report.self)
    }
}
