import ArgumentParser

/// `settle demo`: a tour of everything, with checks.
struct DemoCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Take a tour: two clients, a server, and 34,006 cities.",
        discussion: """
            Starts a table server in this process on a free port of this machine, imports the \
            cities of the world into client A's database, sums up their people, observes a query, \
            and sends everything to the server. Client B fetches the European cities, renames one \
            and deletes one; client A edits the same city, and the conflict is resolved.

            Every step says what it did, how many documents it was, and how long it took, and checks \
            its result. When something is not as expected the demo ends with a sentence and status \
            1. It works in a temporary folder that it removes at the end.

            Examples:
              settle demo
              settle demo --keep ./tour
              settle query ./tour/client-b --key country --reduce count --group
            """)

    @Option(
        help: ArgumentHelp(
            "Work in this new or empty folder and leave the databases there.", valueName: "folder"),
        completion: .directory)
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "The cities to import, when this program is not run from its source package.",
            valueName: "file"),
        completion: .file())
    var cities: String?

    func perform() async throws {
        let citiesPath = try CitiesFile.path(given: cities)
        let folder = try DemoFolder(keptAt: keep)
        defer { folder.clean() }
        let output = Output(isLineBuffered: true)
        do {
            try await Demo(
                story: DemoStory(output), folder: folder, citiesPath: citiesPath
            ).run()
        } catch let disappointment as DemoStory.UnmetExpectation {
            throw CommandFailure("The demo did not go as expected. \(disappointment.sentence)")
        } catch is OutputClosed {
            throw CommandFailure("The demo ended early, because its output is not read any more.")
        }
        if let keep { try sayWhatIsLeft(in: keep, output) }
    }

    private func sayWhatIsLeft(in folder: String, _ output: Output) throws {
        try output.line()
        try output.line("The databases are in \(folder). Look at them with")
        try output.line("  settle get \(folder)/client-a city-2996944")
        try output.line("  settle query \(folder)/client-b --key country --reduce count --group")
        try output.line("  settle serve --directory \(folder)/server --anonymous")
        try output.flush()
    }
}
