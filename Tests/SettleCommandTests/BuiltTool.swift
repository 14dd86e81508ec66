import Foundation
import Synchronization
import TestSupport
import Testing

/// The program `settle`, as it was built beside these tests.
struct BuiltTool {
    /// What a run left behind.
    struct Outcome {
        /// The status it ended with.
        let status: Int32
        /// What it printed.
        let output: String
        /// What it said on standard error.
        let errors: String

        /// The lines it printed.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    struct NotBuilt: Error, CustomStringConvertible {
        let description: String
    }

    private let url: URL

    /// Finds the program: in the folder of the test bundle.
    init() throws {
        let folders =
            ([Bundle.main.executablePath ?? ""] + CommandLine.arguments).map { path in
                // On Apple systems the tests are in a bundle, three folders below the products.
                let end = path.range(of: ".xctest")?.upperBound ?? path.endIndex
                return URL(fileURLWithPath: String(path[..<end])).deletingLastPathComponent()
            }
        let places = folders.map { $0.appendingPathComponent("settle") }
        guard let place = places.first(where: Self.isProgram) else {
            throw NotBuilt(description: "settle was not built; looked at \(places.map(\.path)).")
        }
        url = place
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - input: What stands on standard input.
    ///   - environment: Variables beside those of the tests.
    /// - Returns: What it left behind.
    /// - Throws: `ChildProcess.CannotStart`.
    func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Outcome {
        let running = try start(arguments, environment: environment)
        running.write(input)
        running.closeInput()
        return await running.outcome()
    }

    /// Runs a script of the shell bash, with the program as `$0`.
    func runScript(_ script: String, _ arguments: [String]) async throws -> Outcome {
        let running = try RunningTool(
            URL(fileURLWithPath: "/bin/bash"), ["-c", script, url.path] + arguments)
        running.closeInput()
        return await running.outcome()
    }

    /// Starts the program.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningTool {
        try RunningTool(url, arguments, environment: environment)
    }

    /// Starts the program on a terminal of its own, which shows what it prints and what is typed.
    ///
    /// - Parameters:
    ///   - arguments: The command line, as a shell reads it.
    ///   - environment: Variables beside those of the tests.
    /// - Returns: The terminal.
    /// - Throws: `ChildProcess.CannotStart`.
    func startOnTerminal(_ arguments: String, environment: [String: String] = [:]) throws
        -> RunningTool
    {
        // A shell between them would end by the signal of a Ctrl-C that the program goes on after.
        try RunningTool(
            URL(fileURLWithPath: "/usr/bin/script"),
            ["-qefc", "exec '\(url.path)' \(arguments)", "/dev/null"], environment: environment)
    }

    private static func isProgram(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        return isThere && !isDirectory.boolValue
    }
}

/// The program while it runs.
final class RunningTool: Sendable {
    private let process: ChildProcess
    private let input: FileHandle
    private let output: OutputReader
    private let errors: OutputReader
    private let ended: Task<Int32, Never>

    fileprivate init(
        _ url: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        process = try ChildProcess(
            url, arguments, environment: environment, input: .pipe, output: .pipe, errors: .pipe)
        input = try #require(process.input)
        output = OutputReader(try #require(process.output))
        errors = OutputReader(try #require(process.errors))
        ended = Task { [process] in (try? await onThread { process.ending().status }) ?? -1 }
    }

    /// Writes to standard input.
    func write(_ text: String) {
        // A program that has ended does not read; its outcome tells.
        try? input.write(contentsOf: Data(text.utf8))
    }

    /// Ends standard input.
    func closeInput() {
        try? input.close()
    }

    /// Sends SIGINT.
    func interrupt() {
        process.send(SIGINT)
    }

    /// The number of the process.
    var identifier: Int32 { process.identifier }

    /// Sends SIGKILL, which no program can do anything about.
    func kill() {
        process.send(SIGKILL)
    }

    /// Waits for the first line on standard output.
    func firstLine() async -> String? {
        await output.firstLine()
    }

    /// Waits until there are so many whole lines on standard output.
    ///
    /// - Returns: All whole lines, empty ones too; nil when the output ended before.
    func lines(reach count: Int) async -> [String]? {
        await output.lines(reach: count)
    }

    /// Waits for a text on standard output, and what was not waited for before.
    ///
    /// - Returns: What was printed up to the end of it, and all there is when the output ends before.
    func output(until text: String) async -> String {
        await output.text(until: text)
    }

    /// Waits for the end.
    func outcome() async -> BuiltTool.Outcome {
        BuiltTool.Outcome(
            status: await ended.value, output: await output.text(), errors: await errors.text())
    }
}

/// Reads a pipe to its end, in a thread of its own so that a full pipe never stops the program.
private final class OutputReader: Sendable {
    private let chunks: AsyncStream<Void>
    private let finished: Task<Void, Never>
    private let data = Mutex(Data())
    /// How much has been waited for.
    private let seen = Mutex(0)

    init(_ handle: FileHandle) {
        let (chunks, chunkContinuation) = AsyncStream<Void>.makeStream()
        let (end, endContinuation) = AsyncStream<Void>.makeStream()
        self.chunks = chunks
        finished = Task { for await _ in end {} }
        Thread.detachNewThread { [self] in
            // What FileHandle has for this ends the process when a signal comes.
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                data.withLock { $0.append(contentsOf: buffer[..<count]) }
                chunkContinuation.yield()
            }
            try? handle.close()
            chunkContinuation.finish()
            endContinuation.finish()
        }
    }

    func firstLine() async -> String? {
        for await _ in chunks {
            let lines = current.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.count > 1 { return String(lines[0]) }
        }
        return nil
    }

    func lines(reach count: Int) async -> [String]? {
        // Looked at first, because what has come before may have been waited for already.
        var lines = wholeLines
        if lines.count >= count { return lines }
        for await _ in chunks {
            lines = wholeLines
            if lines.count >= count { return lines }
        }
        return nil
    }

    func text(until text: String) async -> String {
        if let found = taken(until: text) { return found }
        for await _ in chunks {
            if let found = taken(until: text) { return found }
        }
        return String(decoding: data.withLock { $0.dropFirst(seen.withLock { $0 }) }, as: UTF8.self)
    }

    private func taken(until text: String) -> String? {
        let all = data.withLock { $0 }
        return seen.withLock { seen in
            guard let end = all.dropFirst(seen).range(of: Data(text.utf8))?.upperBound else {
                return nil
            }
            defer { seen = end }
            return String(decoding: all[seen..<end], as: UTF8.self)
        }
    }

    private var wholeLines: [String] {
        current.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    func text() async -> String {
        await finished.value
        return current
    }

    private var current: String {
        data.withLock { String(decoding: $0, as: UTF8.self) }
    }
}
