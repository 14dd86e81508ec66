import Foundation

/// This program, run again for one of its hidden commands.
enum OwnProcess {
    /// Where this program lies.
    ///
    /// - Throws: ``BenchmarkError`` when it does not know.
    static func program() throws -> URL {
        guard let program = Bundle.main.executableURL else {
            throw BenchmarkError("This program does not know where it lies.")
        }
        return program
    }

    /// Runs a command and reads the report that it prints.
    ///
    /// - Throws: ``BenchmarkError`` when it ends with another status than 0, or prints no report.
    static func report<Report: Decodable>(
        _ arguments: [String], as type: Report.Type
    ) throws -> Report {
        let process = Process()
        let output = Pipe()
        process.executableURL = try program()
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                "The command \(arguments[0]) ended with status \(process.terminationStatus).")
        }
        return try JSONDecoder().decode(type, from: text)
    }
}
