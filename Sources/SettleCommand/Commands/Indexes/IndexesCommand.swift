import ArgumentParser

/// `settle indexes`: the indexes that are stored in a database.
struct IndexesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indexes",
        abstract: "List, add, and remove the indexes of a database.",
        discussion: """
            An index that is declared by members of the documents is stored in the database with \
            its declaration: 'settle query --index NAME' asks it, and so does every application \
            that opens the database. An index made by the code of an application is listed, and can \
            be removed, but only that application can ask it.

            Without a word of the list below the indexes are listed.

            Examples:
              settle indexes ./shop
              settle indexes add ./shop --name byKind --key kind --value price --reduce sum
              settle indexes errors ./shop byKind
              settle indexes remove ./shop byKind
            """,
        subcommands: [
            ListIndexesCommand.self, AddIndexCommand.self, RemoveIndexCommand.self,
            IndexErrorsCommand.self,
        ],
        defaultSubcommand: ListIndexesCommand.self)
}
