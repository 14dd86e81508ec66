import ArgumentParser

/// `settle entities`: the entities of a datastore.
struct EntitiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entities",
        abstract: "List, show, import, and export the entities of a datastore.",
        discussion: """
            A datastore keeps entities in a database: each has an identifier, a type and properties, \
            and of each property every value that it ever had.

            Without a word of the list below the types are listed. Types and lists are read from the \
            index 'entities', which is made if there is none.

            Examples:
              settle entities ./people
              settle entities list ./people --type person
              settle entities show ./people anna --history
              settle entities show ./people anna --as-of 2026-12-24
              settle entities export ./people people.json
              settle entities import ./people people.json
            """,
        subcommands: [
            ListEntityTypesCommand.self, ListEntitiesCommand.self, ShowEntityCommand.self,
            ImportEntitiesCommand.self, ExportEntitiesCommand.self,
        ],
        defaultSubcommand: ListEntityTypesCommand.self)
}
