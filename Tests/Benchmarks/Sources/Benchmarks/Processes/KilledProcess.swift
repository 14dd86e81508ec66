import ArgumentParser
import Foundation
import Settle

/// Replaces documents, one in a commit, in a process of its own that is killed by itself at the end.
struct KilledProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "killed-process", abstract: "Replace documents, and be killed.",
        shouldDisplay: false)

    @Option(help: "The folder of the database.")
    var database: String
    @Option(help: "How many documents are there.")
    var documents: Int
    @Option(help: "How many commits are made.")
    var count: Int

    func run() async throws {
        let peer = try await SettlePeer(
            in: URL(fileURLWithPath: database), durability: .relaxed)
        _ = try await peer.updateSingly(DocumentSet(count: documents), count: count)
        kill(getpid(), SIGKILL)
    }

    /// Runs this program again until it is killed.
    ///
    /// - Parameters:
    ///   - folder: Where the database lies, which holds the documents of the generator.
    ///   - documents: How many.
    ///   - count: How many commits are made.
    /// - Throws: ``BenchmarkError`` when it ended in another way.
    static func run(_ folder: URL, documents: Int, count: Int) throws {
        let process = Process()
        process.executableURL = try OwnProcess.program()
        process.arguments = [
            "killed-process", "--database", folder.path, "--documents", "\(documents)",
            "--count", "\(count)",
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL
        else { throw BenchmarkError("The process that was to be killed ended by itself.") }
    }
}
