import ArgumentParser

/// `settle outbox`: the operations that wait in a database for a cloud service.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List, skip, hold, and retry the operations of an outbox.",
        discussion: """
            An application stores what is still to be done on a cloud service with its documents, \
            as operations in the outbox. These commands look at them and change them, also while \
            the application runs: it sees a change within a tenth of a second. They carry nothing \
            out.

            Operations are named by their identifiers, or by the first 4 or more characters when \
            no other operation begins so. A command that names several changes all of them or none.

            Without a word of the list below the operations are listed.

            Examples:
              settle outbox ./shop
              settle outbox show ./shop 1B9D6BCD --content
              settle outbox hold ./shop 1B9D6BCD --for 2h
              settle outbox skip ./shop --pipeline photos --all
            """,
        subcommands: [
            ListOperationsCommand.self, ShowOperationCommand.self, SkipOperationsCommand.self,
            HoldOperationsCommand.self, RetryOperationsCommand.self, ListTagsCommand.self,
        ],
        defaultSubcommand: ListOperationsCommand.self)
}
