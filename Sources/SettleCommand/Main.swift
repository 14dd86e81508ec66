import ArgumentParser
import Foundation

/// Where the program begins.
@main
enum Main {
    /// Runs the command of the command line; one that nobody knows is answered with the nearest.
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let sentence =
            Misspelling.sentence(for: arguments, of: SettleTool.self)
            ?? unknownOption(in: arguments)
        if let sentence {
            StandardError.line("Error: \(sentence)")
            SettleTool.exit(withError: ExitCode.validationFailure)
        }
        await SettleTool.main()
    }

    /// What to say of an option that nobody knows, where ArgumentParser would say something else.
    ///
    /// It checks what a command needs before it looks for what is too much: without this, a slip
    /// in `--key` is answered with the sentence that a key is missing.
    private static func unknownOption(in arguments: [String]) -> String? {
        do {
            _ = try SettleTool.parseAsRoot(arguments)
            return nil
        } catch {
            guard SettleTool.exitCode(for: error) == .validationFailure else { return nil }
            return Misspelling.option(in: arguments, of: SettleTool.self)
        }
    }
}
