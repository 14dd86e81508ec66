import ArgumentParser
import Foundation

/// `settle shell`: the commands of the tool on one database, typed one after the other.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Work in a database with a prompt.",
        discussion: """
            Carries out one command a line: those of the tool without the name of the database, as \
            'get apple' or 'query --key price --limit 5'. 'help' lists them. JSON needs no quotes, \
            and what is open at the end of a line goes on in the next. Nothing is changed in the \
            database unless --write is given.

            On a terminal lines are edited, with a history and completion by Tab. Ctrl-C gives up a \
            line, or interrupts a command; Ctrl-D or 'exit' ends the shell. The history is in \
            ~/.settle_history, or where SETTLE_HISTORY says; an empty one means none. A line that \
            begins with a space is not kept.

            Lines may also come from a file or a pipe. Then the first one that fails ends the shell \
            with its status, and the number of the line is told.

            Examples:
              settle shell ./shop
              settle shell ./shop --write
              echo 'query --key price --limit 5' | settle shell ./shop
              settle shell ./shop --write < changes.txt
            """)

    @OptionGroup var database: DatabaseArgument

    @Flag(help: "Let commands change the database.")
    var write = false

    func run() async throws {
        let path = database.path
        do {
            // One that is made by the first command need not be there.
            if !write || path.isThere { try await path.withDatabase(isReadOnly: true) { _ in } }
        } catch {
            throw CommandFailure(FailureText.sentence(for: error))
        }
        let input = ShellInput(completion: ShellCompletion(path: path))
        if input.isTyped {
            let mode = write ? "which may be changed" : "read only"
            StandardError.line(
                "The database \(ScreenText.printable(path.name)), \(mode). 'help' lists commands, "
                    + "Ctrl-D ends.")
        }
        try await ShellSession(path: path, allowsWriting: write, input: input).run()
    }
}
