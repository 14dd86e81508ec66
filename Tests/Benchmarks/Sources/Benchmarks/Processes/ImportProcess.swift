import ArgumentParser
import Foundation

/// The import of a file in a process of its own, which tells how much memory it took.
struct ImportProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-process", abstract: "Import a file and print the peak of memory.",
        shouldDisplay: false)

    @Option(help: "A file with one JSON text a line.")
    var file: String
    @Option(help: "An empty folder for the database.")
    var database: String

    /// What the process prints.
    private struct Report: Codable {
        let peak: MemoryPeak
        let sums: FieldSums
    }

    func run() async throws {
        let peer = try await SettlePeer(in: URL(fileURLWithPath: database))
        let peak = try await MemoryWatch.peak {
            try await peer.importLines(of: URL(fileURLWithPath: file))
        }
        let sums = try peer.scan()
        await peer.close()
        let report = Report(peak: peak, sums: sums)
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Runs this program again to import a file.
    ///
    /// - Parameters:
    ///   - file: A file with one JSON text a line.
    ///   - folder: An empty folder for the database.
    ///   - expected: What is in the file, to be found in the database.
    /// - Returns: The peak of the process that imported.
    /// - Throws: ``BenchmarkError`` when it failed or the database holds something else.
    static func run(file: URL, folder: URL, expecting expected: FieldSums) throws -> MemoryPeak {
        let report = try OwnProcess.report(
            [
                "import-process", "--file", file.path, "--database", folder.path,
            ], as: Report.self)
        try BenchmarkError.check(report.sums, is: expected, "The documents that were imported")
        return report.peak
    }
}
