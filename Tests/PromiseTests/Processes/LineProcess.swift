import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program whose lines are read as they come and that can be killed between any two of them.
///
/// Its calls block, so it belongs on a thread of its own; see `onThread`.
final class LineProcess {
    /// No line came in so long that the process must be taken for hanging; it was killed.
    struct Hangs: Error {
        let seconds: Int
    }

    /// Longer than any line takes on any machine that tests are run on.
    private static let patienceSeconds = 120

    private let process: ChildProcess
    private let output: FileHandle
    private var unread: [UInt8] = []
    private var isAtEnd = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - arguments: Its arguments without its name.
    ///   - environment: Variables beside those of the tests.
    ///   - errors: A file for what it says on standard error.
    /// - Throws: `ChildProcess.CannotStart`.
    init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], errors: URL
    ) throws {
        process = try ChildProcess(
            program, arguments, environment: environment, output: .pipe, errors: .file(errors))
        output = try #require(process.output)
    }

    /// The next whole line; nil when the process has closed its output.
    ///
    /// Half a line at the end, cut off by a kill, is none.
    func nextLine() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            if isAtEnd { return nil }
            try readMore()
        }
    }

    private func readMore() throws {
        var wait = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&wait, 1, Int32(Self.patienceSeconds) * 1_000)
        if ready < 0, errno == EINTR { return }
        guard ready > 0 else {
            kill()
            _ = ending()
            throw Hangs(seconds: Self.patienceSeconds)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(output.fileDescriptor, &buffer, buffer.count)
        if count > 0 {
            unread += buffer[..<count]
        } else if count == 0 || errno != EINTR {
            isAtEnd = true
        }
    }

    /// Sends SIGKILL.
    func kill() { process.send(SIGKILL) }

    /// Waits for the end.
    func ending() -> ChildProcess.Ending { process.ending() }
}
