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

    /// Whether lines come from somebody who types them.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether lines can be edited while they are typed.
    static var canEdit: Bool {
        isInput && isOutput
            && !["dumb", "", nil].contains(ProcessInfo.processInfo.environment["TERM"])
    }

    /// The columns of a terminal: `COLUMNS`, else what the terminal says.
    ///
    /// - Parameter descriptor: Standard output or standard error.
    /// - Returns: Nil when that is no terminal, or its width is not known.
    static func width(of descriptor: Int32 = STDOUT_FILENO) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        if let columns = columnsGiven.flatMap({ Int($0) }), columns > 0 { return columns }
        return widthFound(of: descriptor)
    }

    /// `COLUMNS` as the tool was started with it.
    private static let columnsGiven = ProcessInfo.processInfo.environment["COLUMNS"]

    /// Fewer columns than that end ArgumentParser's help in a trap.
    private static let helpWidthMin = 40

    /// Whether help texts have to be made as for a wider terminal.
    private static let isTooNarrow: Bool = {
        let width = columnsGiven.flatMap { Int($0) } ?? widthFound(of: STDOUT_FILENO)
        return width.map { $0 < helpWidthMin } ?? false
    }()

    /// Has help texts made for 40 columns where there are fewer.
    ///
    /// Called once, before anything is parsed.
    static func widenHelp() {
        guard isTooNarrow else { return }
        _ = unsafe setenv("COLUMNS", String(helpWidthMin), 1)
    }

    /// A line of the shell that begins with the variables that the tool was started with.
    private static func withVariablesGiven(_ line: String) -> String {
        guard isTooNarrow else { return line }
        guard let columnsGiven else { return "unset COLUMNS; \(line)" }
        let quoted = columnsGiven.replacing("'", with: "'\\''")
        return "COLUMNS='\(quoted)'; export COLUMNS; \(line)"
    }

    /// The columns that a terminal says it has.
    private static func widthFound(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Asks a question that is answered with yes or no.
    ///
    /// Blocks the calling thread.
    ///
    /// - Parameter question: The question.
    /// - Returns: True for an answer that begins with y or Y.
    static func confirms(_ question: String) -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        return inputLine()?.lowercased().hasPrefix("y") ?? false
    }

    /// The next line of standard input without its end; nil when there is none.
    ///
    /// Reads no byte behind it, so that what comes next may be read by others. `readLine` holds a lock of the C library
    /// meanwhile, which the end of the process may need. Blocks the calling thread.
    static func inputLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
            }
            guard byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
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
        let status = unsafe system(withVariablesGiven(line))
        guard status >= 0, status & 0x7F == 0 else { return nil }
        return (status >> 8) & 0xFF
    }
}
