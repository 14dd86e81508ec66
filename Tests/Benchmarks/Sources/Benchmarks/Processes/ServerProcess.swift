import ArgumentParser
import Foundation
import Logging
import Settle
import ServiceLifecycle
import SettleServer

/// A server of tables in a process of its own, which ends with its standard input.
struct ServerProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-process", abstract: "Serve tables and print the port.",
        shouldDisplay: false)

    @Option(help: "The directory of the tables.")
    var directory: String

    @Option(help: "The longest body, in bytes.")
    var bodyMax = 1 << 20

    @Option(help: "A table that may be read and not written.")
    var readOnlyTable: String?

    @Flag(help: "Answer a write when the system has it.")
    var relaxed = false

    func run() async throws {
        var configuration = ServerConfiguration(
            store: .directory(
                URL(fileURLWithPath: directory), durability: relaxed ? .relaxed : .full),
            bodyMaxBytes: bodyMax)
        if let readOnlyTable {
            let all = #"{"anonymous": true, "read": ["*"], "write": ["*"]}"#
            let reading = #"{"anonymous": true, "read": ["*"]}"#
            configuration.rules = try AccessRules(
                json: """
                    {"tables": {"*": {"grants": [\(all)]}, "\(readOnlyTable)": {"grants": [\(reading)]}}}
                    """.utf8)
        }
        let server = try TableServer(
            configuration: configuration,
            logger: Logger(label: "benchmarks") { _ in SwiftLogNoOpLogHandler() })
        try await Self.serve({ try await server.run() }) { try await server.boundPort() }
    }

    /// Runs a server until standard input ends, and prints its port.
    static func serve(
        _ run: @escaping @Sendable () async throws -> Void, port: () async throws -> Int
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await run() }
            let port = try await port()
            FileHandle.standardOutput.write(Data("\(port)\n".utf8))
            await endOfInput()
            group.cancelAll()
        }
    }

    /// Returns when standard input ends.
    static func endOfInput() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            // Blocks a thread that nothing else needs.
            Thread {
                _ = try? FileHandle.standardInput.readToEnd()
                continuation.resume()
            }.start()
        }
    }
}

/// A server of CouchDB's protocol in a process of its own, which ends with its standard input.
struct CouchServerProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "couch-server-process", abstract: "Serve databases and print the port.",
        shouldDisplay: false)

    @Option(help: "The directory of the databases.")
    var directory: String

    func run() async throws {
        var configuration = CouchServer.Configuration(directory: URL(fileURLWithPath: directory))
        configuration.port = 0
        let server = CouchServer(
            configuration: configuration,
            logger: Logger(label: "benchmarks") { _ in SwiftLogNoOpLogHandler() })
        try await ServerProcess.serve({ try await server.run() }) { try await server.boundPort() }
    }
}

/// A server that was started.
struct RunningServer: Sendable {
    /// The port it listens on.
    let port: Int
    /// The process.
    let processId: Int32

    /// The address of a table.
    func table(_ name: String, port: Int? = nil) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port ?? self.port)/tables/\(name)") else {
            throw BenchmarkError("The table '\(name)' has no address.")
        }
        return url
    }

    /// The address of a database of CouchDB's protocol.
    func database(_ name: String) throws -> URL {
        guard let url = URL(string: "couchdb+http://127.0.0.1:\(port)/\(name)") else {
            throw BenchmarkError("The database '\(name)' has no address.")
        }
        return url
    }

    /// Starts a server of CouchDB's protocol, hands it to a closure, and ends it.
    static func withCouch<Value>(
        directory: URL, _ body: (RunningServer) async throws -> Value
    ) async throws -> Value {
        try await with(["couch-server-process", "--directory", directory.path], body)
    }

    /// Starts a server, hands it to a closure, and ends it.
    ///
    /// - Parameters:
    ///   - directory: Where its tables are.
    ///   - bodyMax: The longest body that it takes, in bytes.
    ///   - readOnlyTable: A table that may be read and not written, if there is to be one.
    ///   - isRelaxed: Whether a write is answered before it is on the disk.
    ///   - body: What is done with it.
    /// - Returns: What `body` returned.
    /// - Throws: ``BenchmarkError`` when it does not start; what `body` throws.
    static func with<Value>(
        directory: URL, bodyMax: Int = 1 << 20, readOnlyTable: String? = nil,
        isRelaxed: Bool = false, _ body: (RunningServer) async throws -> Value
    ) async throws -> Value {
        let rights = readOnlyTable.map { ["--read-only-table", $0] } ?? []
        let durability = isRelaxed ? ["--relaxed"] : []
        return try await with(
            ["server-process", "--directory", directory.path, "--body-max", "\(bodyMax)"] + rights
                + durability,
            body)
    }

    /// Starts a server that answers everything with the bytes of a file, hands it to a closure, and
    /// ends it.
    static func withBare(
        answering file: URL, status: Int = 200,
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await with(
            ["bare-server-process", "--body", file.path, "--status", "\(status)"], body)
    }

    private static func with<Value>(
        _ arguments: [String], _ body: (RunningServer) async throws -> Value
    ) async throws -> Value {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = try OwnProcess.program()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 10 {
            guard !byte.isEmpty else { break }
            line += byte
        }
        guard let port = Int(String(decoding: line, as: UTF8.self)) else {
            throw BenchmarkError("The server did not start.")
        }
        return try await body(RunningServer(port: port, processId: process.processIdentifier))
    }
}
