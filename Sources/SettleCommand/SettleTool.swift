import ArgumentParser

/// The tool `settle`.
@main
struct SettleTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle",
        abstract: "Work with Settle databases: import, look, query, serve, sync, look after.",
        discussion: """
            A database is named by a folder and a name: ./shop is the database shop in this folder.

            Begin with
              settle demo                       a tour with 34,006 cities and a server
              settle import ./shop items.json   a database of your own
              settle get ./shop --all           what is in it

            Ends with status 0 when all went well, 1 when something could not be done (a sentence \
            on standard error says what and why), 64 when the command line is wrong, and 130 when \
            interrupted. An interrupted command leaves the database whole: every transaction is in \
            it or is not. Progress is shown on a terminal only. With --json the output is JSON for \
            other programs.
            """,
        version: "0.1.0",
        subcommands: [
            DemoCommand.self, ImportCommand.self, ExportCommand.self, GetCommand.self,
            QueryCommand.self, WatchCommand.self, IndexesCommand.self, OutboxCommand.self,
            ServeCommand.self, CopyTablesCommand.self, TokenCommand.self, SyncCommand.self,
            WithdrawCommand.self, ForgetCommand.self,
            StatsCommand.self, CheckCommand.self, CompactCommand.self, BackupCommand.self,
        ])
}
