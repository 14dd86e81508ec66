import ArgumentParser
import Foundation
import SettleEntities

/// The export or import of an interchange in a process of its own, which tells how much memory it took.
struct InterchangeProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interchange-process",
        abstract: "Export or import entities and print the peak of memory.", shouldDisplay: false)

    /// What is done.
    enum Direction: String, ExpressibleByArgument {
        case exporting, importing
    }

    @Argument(help: "Whether the file is written or read.")
    var direction: Direction
    @Option(help: "The interchange.")
    var file: String
    // Not "folder", which is an option of the program.
    @Option(help: "The folder of the datastore.")
    var datastore: String

    /// What the process prints.
    private struct Report: Codable {
        let peak: MemoryPeak
        let count: Int
    }

    func run() async throws {
        let store = try await EntityStorePeer(in: URL(fileURLWithPath: datastore))
        let url = URL(fileURLWithPath: file)
        var count = 0
        let peak = try await MemoryWatch.peak {
            count =
                switch direction {
                case .exporting: try await store.datastore.encodeJSON(to: url)
                case .importing: try await store.datastore.decode(jsonAt: url).entityCount
                }
        }
        await store.close()
        let report = Report(peak: peak, count: count)
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Runs this program again to export or import entities.
    ///
    /// - Parameters:
    ///   - direction: Whether the file is written or read.
    ///   - file: The interchange.
    ///   - folder: The folder of the datastore.
    ///   - expected: How many entities there are.
    /// - Returns: The peak of that process.
    /// - Throws: ``BenchmarkError`` when it failed or there were more or fewer entities.
    static func run(
        _ direction: Direction, file: URL, folder: URL, expecting expected: Int
    ) throws -> MemoryPeak {
        let report = try OwnProcess.report(
            [
                "interchange-process", direction.rawValue, "--file", file.path, "--datastore",
                folder.path,
            ], as: Report.self)
        try BenchmarkError.check(report.count, is: expected, "The entities of the interchange")
        return report.peak
    }
}
