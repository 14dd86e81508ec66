import ArgumentParser

/// The commands of the shell: those of the tool that begin with a database, which is left out there.
struct ShellGrammar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle",
        subcommands: [
            ListCommand.self, GetCommand.self, QueryCommand.self, WatchCommand.self,
            PutCommand.self, EditCommand.self, DeleteCommand.self, EntitiesCommand.self,
            InspectCommand.self, ImportCommand.self, ExportCommand.self, BackupCommand.self,
            CheckCommand.self, CompactCommand.self, StatsCommand.self, IndexesCommand.self,
            SyncCommand.self, WithdrawCommand.self, ForgetCommand.self, OutboxCommand.self,
        ])

    /// The names of the commands.
    static var names: [String] { configuration.subcommands.map(name(of:)) }

    /// The words that end the shell.
    static let endings = ["exit", "quit"]

    /// The name of a command.
    static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    /// The command that the first words name, and how many words that are.
    static func command(of words: [String]) -> (type: any ParsableCommand.Type, count: Int) {
        var found: any ParsableCommand.Type = Self.self
        var count = 0
        while count < words.count,
            let next = found.configuration.subcommands.first(where: { name(of: $0) == words[count] }
            )
        {
            found = next
            count += 1
        }
        return (found, count)
    }

    /// The command line of the tool that a line of the shell stands for.
    ///
    /// - Parameters:
    ///   - words: The words of the line.
    ///   - database: The path of the database.
    /// - Returns: The arguments.
    static func arguments(of words: [String], database: DatabasePath) -> [String] {
        let count = command(of: words).count
        return words.prefix(count) + [database.absolute] + words.dropFirst(count)
    }

    /// What is wrong with the name of a command; nil when there is nothing.
    static func misspelling(in words: [String]) -> String? {
        guard let first = words.first, command(of: words).count == 0 else {
            return Misspelling.sentence(for: words, of: Self.self)
        }
        if endings.contains(first) { return "'\(first)' stands alone." }
        let nearest = Misspelling.nearest(to: first, among: names + endings + ["help"])
        let advice = nearest.map { "Did you mean '\($0)'?" } ?? "'help' lists the commands."
        return "There is no command '\(Misspelling.shown(first))' in the shell. \(advice)"
    }

    /// What 'help' prints, of all commands or of those that are named.
    ///
    /// - Throws: ``CommandFailure`` when there is none of the name.
    static func help(for words: [String]) throws -> String {
        guard !words.isEmpty else { return overview }
        let found = command(of: words)
        guard found.count == words.count else {
            throw CommandFailure(
                misspelling(in: words) ?? "'\(name(of: found.type))' has no such command.")
        }
        return helpMessage(for: found.type)
            + "\n\nIn the shell the database is left out: \(words.joined(separator: " ")) …"
    }

    private static var overview: String {
        let lines = configuration.subcommands.map { command in
            let name = name(of: command)
            return "  " + name + String(repeating: " ", count: max(1, 10 - name.count))
                + command.configuration.abstract
        }
        return
            (lines + [
                "",
                "They are the commands of the tool without the name of the database: 'get apple', 'query",
                "--key price --limit 5'. JSON needs no quotes, and what is open at the end of a line goes",
                "on in the next. 'help get' tells all about one; 'exit' or Ctrl-D ends.",
            ]).joined(separator: "\n")
    }
}
