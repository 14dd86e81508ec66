import Foundation
import Settle
import TestSupport
import Testing

/// `settle serve` in a process of its own, which is killed and started again in the same place.
final class ServerProcess {
    private let store: [String]
    private let errors: URL
    private var process: LineProcess?
    private var port = 0

    /// A server that is not started yet.
    ///
    /// - Parameters:
    ///   - store: The arguments that say where it keeps its tables.
    ///   - errors: Where its standard error goes.
    init(store: [String], errors: URL) {
        self.store = store
        self.errors = errors
    }

    /// Starts it, on the port of the first start; blocks until it listens.
    ///
    /// - Returns: The address of a table.
    func start() throws -> URL {
        let process = try LineProcess(
            try BuiltFile.tool(),
            ["serve"] + store + ["--port", "\(port)", "--anonymous", "--json"], errors: errors)
        self.process = process
        let line = try process.nextLine() ?? ""
        let text = try #require(
            try? Document(json: line).string("url"), "The server says: \(said)")
        let url = try #require(URL(string: text + "/tables/things"))
        port = try #require(url.port)
        return url
    }

    /// Sends SIGKILL and waits until it is gone.
    func kill() throws -> ChildProcess.Ending? {
        process?.kill()
        while try process?.nextLine() != nil {}
        defer { process = nil }
        return process?.ending()
    }

    /// What it said on standard error.
    var said: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "nothing" }
}

extension BuiltFile {
    /// The program `settle`.
    static func tool() throws -> URL { try find("settle") }
}
