import ArgumentParser

/// The tool `settle`.
struct SettleTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle",
        abstract: "Work with Settle databases: import, look, query, serve, sync, look after.",
        discussion: """
            A database is named by a folder and a name: ./shop is the database shop in this folder.

            Begin with
              settle demo                       a tour with 34,006 cities and a server
              settle put ./shop '{"price":3}'    a database of your own
              settle import ./shop items.json   with many documents
              settle ls ./shop                  what is in it

            Ends with status 0 when all went well, 1 when something could not be done (a sentence \
            on standard error says what and why), 64 when the command line is wrong, and 130 when \
            interrupted. An interrupted command leaves the database whole: every transaction is in \
            it or is not. Progress, colours and cut tables are for terminals only. With --json the \
            output is JSON for other programs. --generate-completion-script bash, zsh or fish prints \
            a script for your shell.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Documents",
                subcommands: [
                    ListCommand.self, GetCommand.self, QueryCommand.self, WatchCommand.self,
                    PutCommand.self, EditCommand.self, DeleteCommand.self, EntitiesCommand.self,
                    ShellCommand.self, InspectCommand.self,
                ]),
            CommandGroup(
                name: "Files",
                subcommands: [
                    ImportCommand.self, ExportCommand.self, BackupCommand.self, CheckCommand.self,
                    CompactCommand.self, StatsCommand.self, IndexesCommand.self,
                ]),
            CommandGroup(
                name: "Synchronizing",
                subcommands: [
                    DemoCommand.self, SyncCommand.self, WithdrawCommand.self, ForgetCommand.self,
                    OutboxCommand.self, ServeCommand.self, TokenCommand.self,
                    CopyTablesCommand.self,
                ]),
        ])
}
