import ArgumentParser
import Foundation

/// The program `benchmarks`.
@main
struct BenchmarkTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measure Settle beside LMDB, GRDB, and Foundation, in one run.",
        discussion: """
            Cases:
            \(Bench.cases.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

            Figures are worth something as ratios of one run on a machine that does nothing else. \
            Ends with status 0 when all results were right, however fast; 1 when an engine \
            returned something wrong or did not flush; 64 when the command line is wrong.
            """,
        subcommands: [
            BareServerProcess.self, CosmosListProcess.self, CouchServerProcess.self,
            ImportProcess.self, InterchangeProcess.self, KilledProcess.self,
            OutboxProcess.self, PullProcess.self, ServerProcess.self,
        ])

    @Flag(help: "One JSON line for each case and peer, instead of a table.")
    var json = false
    @Flag(help: "A small size, to see in less than a minute that everything works.")
    var smoke = false
    @Option(
        name: .customLong("case"), help: "A case to measure; may be said several times.")
    var caseNames: [String] = []
    @Option(help: "Where the databases are made and removed; default: beside this program.")
    var folder: String?

    func validate() throws {
        let names = Bench.cases.map { $0.name }
        for name in caseNames where !names.contains(name) {
            throw ValidationError(
                "There is no case '\(name)'. The cases are \(names.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let parent = try scratchParent()
        let scratch = try ScratchFolder(in: parent)
        do {
            try await measure(in: scratch, parent: parent)
        } catch {
            try? scratch.remove()
            throw error
        }
        try scratch.remove()
    }

    private func measure(in scratch: ScratchFolder, parent: URL) async throws {
        let size = smoke ? BenchmarkSize.smoke : .full
        let bench = Bench(
            size: size, documents: DocumentSet(count: size.documentCount), scratch: scratch,
            indexed: IndexedDatabases(in: scratch))
        if let warning = Surroundings.warning(folder: parent) { tell(warning) }
        if !json {
            say(try Surroundings.text(bench, folder: parent))
            say(TableRow.head)
        }
        for benchmark in Bench.cases where caseNames.isEmpty || caseNames.contains(benchmark.name) {
            for comparison in try await benchmark.compare(bench) {
                if !json {
                    say(TableRow.text(comparison))
                } else if comparison.isPromised {
                    say(try JSONLine(comparison).text())
                }
            }
        }
        try await bench.indexed.close()
    }

    private func scratchParent() throws -> URL {
        if let folder { return URL(fileURLWithPath: folder, isDirectory: true) }
        // The build lies on a disk, which cannot be said of the system's folder for such files.
        guard let program = Bundle.main.executableURL else {
            throw ValidationError("Say with --folder where the databases may be made.")
        }
        return program.deletingLastPathComponent()
    }

    /// Writes a line at once, so that a reader at the other end of a pipe sees each case in time.
    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private func tell(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
