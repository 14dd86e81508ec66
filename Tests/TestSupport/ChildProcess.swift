package import Foundation
import SettlePrimitives
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program in a process of its own, which gets no file of the tests but those that it is given.
///
/// Foundation's `Process` is not for tests with thousands of open files: on Linux it reads past the
/// end of a buffer when it lists them, which ended the tests with a signal now and then (Swift 6.3),
/// and notices the end of a program only when nobody else has inherited its files.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)

        /// The status of its exit, or the number of the signal.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let signal): signal
            }
        }
    }

    /// The program was not started.
    package struct CannotStart: Error {
        let path: String
        let error: Int32
    }

    /// Where what a program reads comes from, or where what it writes goes.
    package enum Stream {
        case nothing
        case ours
        case file(URL)
        case pipe
    }

    /// Waits for the end of a process on a thread of its own, whether anybody asks for it or not.
    ///
    /// Beside a program that has ended and that nobody has waited for, Swift Testing never sees its exit
    /// tests end; and a test that fails does not wait for what it has started.
    private final class Wait: Sendable {
        private let result = Lock<Ending?>(nil)
        private let group = DispatchGroup()

        init(_ identifier: Int32) {
            group.enter()
            Thread.detachNewThread { [self] in
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7f
                let ending = signal == 0 ? Ending.exited((status >> 8) & 0xff) : .signalled(signal)
                result.withLock { $0 = ending }
                group.leave()
            }
        }

        /// How it ended; nil while it runs.
        var ending: Ending? { result.withLock { $0 } }

        func ended() -> Ending {
            group.wait()
            guard let ending else { preconditionFailure("The end is noted before it is told.") }
            return ending
        }
    }

    /// The number of the process.
    package let identifier: Int32
    private let wait: Wait
    /// Our ends of its pipes; nil where it has none.
    package let input, output, errors: FileHandle?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - arguments: Its arguments without its name.
    ///   - environment: Variables beside those of the tests.
    ///   - directory: Where it runs; nil for that of the tests.
    ///   - input: Its standard input.
    ///   - output: Its standard output.
    ///   - errors: Its standard error.
    /// - Throws: ``CannotStart``.
    package init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:],
        directory: URL? = nil, input: Stream = .nothing, output: Stream = .nothing,
        errors: Stream = .ours
    ) throws {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = ([program.path] + arguments).map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        var actions = FileActions()
        defer {
            for text in words + settings { free(text) }
            actions.end()
        }
        if let directory { actions.enter(directory) }
        let ends: [FileHandle?]
        do throws(FileActions.Failure) {
            ends = [
                try actions.connect(STDIN_FILENO, input),
                try actions.connect(STDOUT_FILENO, output),
                try actions.connect(STDERR_FILENO, errors),
            ]
            identifier = try actions.spawn(program.path, &words, &settings)
        } catch {
            throw CannotStart(path: program.path, error: error.errno)
        }
        (self.input, self.output, self.errors) = (ends[0], ends[1], ends[2])
        wait = Wait(identifier)
        // Who writes to a program that has ended shall get an error and not end, too.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Sends a signal, unless it has ended and its number may be another's.
    package func send(_ signal: Int32) {
        if wait.ending == nil { _ = kill(identifier, signal) }
    }

    /// Waits for the end; blocks, so it belongs on a thread of its own: see ``onThread(_:)``.
    package func ending() -> Ending { wait.ended() }

    /// Runs a program to its end; blocks, as ``ending()`` does.
    ///
    /// - Throws: ``CannotStart``.
    package static func run(
        _ program: URL, _ arguments: [String], directory: URL? = nil, errors: Stream = .ours
    ) throws -> Ending {
        try ChildProcess(program, arguments, directory: directory, errors: errors).ending()
    }
}

/// What happens to the files of a process before its program begins.
private struct FileActions {
    struct Failure: Error {
        let errno: Int32
    }

    #if canImport(Darwin)
        private var actions: posix_spawn_file_actions_t?
        private var attributes: posix_spawnattr_t?
    #else
        private var actions = posix_spawn_file_actions_t()
        private var attributes = posix_spawnattr_t()
    #endif
    private var ofChild: [Int32] = []

    #if !canImport(Darwin)
        // Of glibc, but hidden from Swift since POSIX does not have them.
        private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>
        private static let addClosingFrom = unsafeBitCast(
            dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
            to: (@convention(c) (Actions, CInt) -> CInt).self)
        private static let addChangeOfDirectory = unsafeBitCast(
            dlsym(nil, "posix_spawn_file_actions_addchdir_np"),
            to: (@convention(c) (Actions, UnsafePointer<CChar>) -> CInt).self)
    #endif

    init() {
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
    }

    mutating func end() {
        for descriptor in ofChild { close(descriptor) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    mutating func enter(_ directory: URL) {
        #if canImport(Darwin)
            posix_spawn_file_actions_addchdir_np(&actions, directory.path)
        #else
            _ = Self.addChangeOfDirectory(&actions, directory.path)
        #endif
    }

    /// Connects a stream; our end when it is a pipe.
    mutating func connect(
        _ number: Int32, _ stream: ChildProcess.Stream
    ) throws(Failure) -> FileHandle? {
        let isInput = number == STDIN_FILENO
        let mode = isInput ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
        switch stream {
        case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
        case .file(let file):
            posix_spawn_file_actions_addopen(&actions, number, file.path, mode, 0o600)
        case .ours:
            #if canImport(Darwin)
                posix_spawn_file_actions_addinherit_np(&actions, number)
            #endif
        case .pipe:
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure(errno: errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            ofChild.append(isInput ? ends[0] : ends[1])
            posix_spawn_file_actions_adddup2(&actions, ofChild[ofChild.count - 1], number)
            return FileHandle(fileDescriptor: isInput ? ends[1] : ends[0], closeOnDealloc: true)
        }
        return nil
    }

    /// Starts the program with all signals as they are at the start of a program.
    mutating func spawn(
        _ program: String, _ words: inout [UnsafeMutablePointer<CChar>?],
        _ settings: inout [UnsafeMutablePointer<CChar>?]
    ) throws(Failure) -> pid_t {
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            _ = Self.addClosingFrom(&actions, STDERR_FILENO + 1)
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var process: pid_t = 0
        let result = posix_spawn(&process, program, &actions, &attributes, &words, &settings)
        guard result == 0 else { throw Failure(errno: result) }
        return process
    }
}
