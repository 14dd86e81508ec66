import ArgumentParser
import Foundation

/// Where the program begins.
@main
enum Main {
    /// Runs the command of the command line; one that nobody knows is answered with the nearest.
    static func main() async {
        // A reader of help texts may have had enough, too.
        _ = signal(SIGPIPE, SIG_IGN)
        Terminal.widenHelp()
        guard areArgumentsText else {
            StandardError.line("Error: An argument is not UTF-8.")
            SettleTool.exit(withError: ExitCode.validationFailure)
        }
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

    /// Whether all arguments are UTF-8; `CommandLine.arguments` repairs those that are not.
    private static var areArgumentsText: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { index in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return true }
            return unsafe String(validatingCString: word) != nil
        }
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
