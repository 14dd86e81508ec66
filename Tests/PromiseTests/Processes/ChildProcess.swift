import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process whose lines are read as they come and that can be killed between any two of them.
///
/// Its calls block, so it belongs on a thread of its own; see `onThread`.
final class ChildProcess {
    /// How a process ended.
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    struct CannotStart: Error {
        let path: String
        let error: Int32
    }

    /// No line came in so long that the process must be taken for hanging; it was killed.
    struct Hangs: Error {
        let seconds: Int
    }

    /// Longer than any line takes on any machine that tests are run on.
    private static let patienceSeconds = 120

    private let process: pid_t
    private let output: Int32
    private var unread: [UInt8] = []
    private var isAtEnd = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - arguments: Its arguments without its name.
    ///   - environment: Variables beside those of the tests.
    ///   - errors: A file for what it says on standard error.
    /// - Throws: ``CannotStart``.
    init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], errors: URL
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CannotStart(path: program.path, error: errno) }
        // Only the copy made below goes to the child.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var words = ([program.path] + arguments).map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for text in words + settings { free(text) }
            close(ends[1])
        }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(
            &actions, 2, errors.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var started: pid_t = 0
        let result = posix_spawn(&started, program.path, &actions, nil, &words, &settings)
        guard result == 0 else {
            close(ends[0])
            throw CannotStart(path: program.path, error: result)
        }
        process = started
        output = ends[0]
    }

    deinit {
        close(output)
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
        var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let ready = poll(&wait, 1, Int32(Self.patienceSeconds) * 1_000)
        if ready < 0, errno == EINTR { return }
        guard ready > 0 else {
            kill()
            _ = ending()
            throw Hangs(seconds: Self.patienceSeconds)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(output, &buffer, buffer.count)
        if count > 0 {
            unread += buffer[..<count]
        } else if count == 0 || errno != EINTR {
            isAtEnd = true
        }
    }

    /// Sends SIGKILL.
    func kill() {
        #if canImport(Darwin)
            _ = Darwin.kill(process, SIGKILL)
        #else
            _ = Glibc.kill(process, SIGKILL)
        #endif
    }

    /// Waits for the end; once.
    func ending() -> Ending {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
