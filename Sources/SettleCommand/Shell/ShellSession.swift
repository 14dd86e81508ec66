import ArgumentParser
import Foundation

/// The lines of a shell, one after the other.
struct ShellSession {
    /// The database.
    let path: DatabasePath
    /// Whether commands may change it.
    let allowsWriting: Bool
    /// Where lines come from.
    let input: ShellInput

    /// Why a line was not carried out, as a status.
    private struct Failed {
        let status: ExitCode
        /// A sentence; nil when it has been printed.
        let sentence: String?
    }

    /// Carries out lines until there are no more, or until one fails where nobody types them.
    ///
    /// - Throws: `ExitCode` of the line that failed; it has been reported on standard error.
    func run() async throws {
        // Between commands, too, Ctrl-C gives up a line and does not end the shell.
        if input.isTyped { await Interruption.ignoreAtRest() }
        var text = ""
        var number = 0
        var start = 1
        while true {
            let line = await input.next(prompt: text.isEmpty ? prompt : "...> ")
            number += 1
            switch line {
            case .end:
                guard !text.isEmpty else { return }
                let sentence =
                    "The input ends in a quote, a bracket or a backslash that is still open."
                return try end(Failed(status: .validationFailure, sentence: sentence), at: start)
            case .cancelled:
                text = ""
                continue
            case .text(let next):
                if text.isEmpty { start = number }
                text += (text.isEmpty ? "" : "\n") + next
            }
            let words = ShellWords(text)
            guard words.open == .nothing else { continue }
            input.remember(text)
            text = ""
            guard !words.words.isEmpty else { continue }
            if words.words.count == 1, ShellGrammar.endings.contains(words.texts[0]) { return }
            let failed = await DatabasePath.$allowsWriting.withValue(allowsWriting) {
                await perform(words.texts)
            }
            if let failed { try end(failed, at: start) }
        }
    }

    private var prompt: String {
        ScreenText.printable(path.name) + (allowsWriting ? " (write)> " : "> ")
    }

    /// Reports what a line failed with, and ends the shell unless somebody types.
    private func end(_ failed: Failed, at line: Int) throws {
        if let sentence = failed.sentence {
            StandardError.line("Error: " + (input.isTyped ? "" : "Line \(line): ") + sentence)
        }
        if !input.isTyped { throw failed.status }
    }

    /// Carries out a line.
    ///
    /// - Returns: Why it could not be carried out; nil when it was.
    private func perform(_ words: [String]) async -> Failed? {
        if words[0] == "help" {
            return printed { try ShellGrammar.help(for: Array(words.dropFirst())) }
        }
        if let sentence = ShellGrammar.misspelling(in: words) {
            return Failed(status: .validationFailure, sentence: sentence)
        }
        do {
            var command = try ShellGrammar.parseAsRoot(
                ShellGrammar.arguments(of: words, database: path))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return nil
        } catch {
            let failed = failure(of: error)
            // What is no failure, such as a help text.
            guard failed.status != .success else {
                return printed { ShellGrammar.fullMessage(for: error) }
            }
            // It checks what a command needs before it looks for what is too much.
            guard failed.status == .validationFailure,
                let option = Misspelling.option(in: words, of: ShellGrammar.self)
            else { return failed }
            return Failed(status: failed.status, sentence: option)
        }
    }

    /// Prints a text on standard output.
    private func printed(_ text: () throws -> String) -> Failed? {
        let output = Output()
        do {
            try output.line(try text())
            try output.flush()
            return nil
        } catch {
            return failure(of: error)
        }
    }

    private func failure(of error: any Error) -> Failed {
        let sentence = ShellGrammar.message(for: error)
        return Failed(
            status: ShellGrammar.exitCode(for: error), sentence: sentence.isEmpty ? nil : sentence)
    }
}
