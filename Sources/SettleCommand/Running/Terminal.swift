import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the tool knows of the terminals it is connected to, and what it asks of them.
enum Terminal {
    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether somebody can be asked: questions go to standard error, answers come from standard
    /// input.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// The columns of a terminal: `COLUMNS`, else what the terminal says.
    ///
    /// - Parameter descriptor: Standard output or standard error.
    /// - Returns: Nil when that is no terminal, or its width is not known.
    static func width(of descriptor: Int32 = STDOUT_FILENO) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        if let text = ProcessInfo.processInfo.environment["COLUMNS"], let columns = Int(text),
            columns > 0
        {
            return columns
        }
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Asks a question that is answered with yes or no.
    ///
    /// - Returns: True for an answer that begins with y or Y.
    static func confirms(_ question: String) -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        return readLine()?.lowercased().hasPrefix("y") ?? false
    }

    /// Runs a line of the shell in the foreground, as an editor needs it.
    ///
    /// Foundation's `Process` puts a program into a group of its own, which may not read from the
    /// terminal. Blocks the calling thread.
    ///
    /// - Returns: The status it ended with; nil when it could not be run, or was killed.
    static func run(_ line: String) -> Int32? {
        // What is ignored here would be ignored there too.
        let handled = [SIGINT, SIGPIPE].map { ($0, signal($0, SIG_DFL)) }
        defer { for (number, handler) in handled { _ = signal(number, handler) } }
        let status = unsafe system(line)
        guard status >= 0, status & 0x7F == 0 else { return nil }
        return (status >> 8) & 0xFF
    }
}
