import ArgumentParser
import Settle

/// `settle watch`: the changes of a database, or of the answer to a query, while they happen.
struct WatchCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the changes of a database, or of a query, while they happen.",
        discussion: """
            Prints a line for each document that changes, whoever changes it: another process is \
            seen within a tenth of a second. A document that changes faster than it can be printed \
            is printed once, as it is then. Nothing in the database is touched.

            Begins with what changes from now on; --since 0 shows everything first, and with \
            --once nothing else. With --json prints one compact JSON object a line, for pipes.

            With --index NAME and the options of 'settle query' the answer of a stored index is \
            watched instead: it is printed once, and then how it differs, step by step. A row is \
            marked with + when it is new, - when it is gone, ~ when it shows something else, and \
            > when its document has another key; then stands its place in the answer, or the old \
            place > the new one. Steps that come faster than they can be printed are taken \
            together. The index is kept up to date in the database.

            Ctrl-C ends it with status 0 and, without --index, tells the sequence from which --since \
            goes on. It ends with status 1 when the index is removed, or the database is removed or \
            replaced.

            Examples:
              settle watch ./shop
              settle watch ./shop --since 0 --type order --documents
              settle watch ./shop --json | jq .id
              settle watch ./shop --once --since 1200
              settle watch ./shop --index byPrice --from 10 --limit 20
              settle watch ./cities --index byCountry --group-level 1 --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin after this sequence, 0 for the beginning. Otherwise with what changes from now "
                + "on, and with --once at the beginning.",
            valueName: "sequence"),
        transform: CountArgument.natural(parsing:))
    var since: CountArgument?

    @Flag(help: "Print what there is or what has changed until now, and end.")
    var once = false

    @Flag(help: "Print the documents too.")
    var documents = false

    @Option(
        help: ArgumentHelp(
            "Leave out documents whose member 'type' is not this text now; deletions are all shown, "
                + "because they have no type."))
    var type: String?

    @Option(
        help: ArgumentHelp(
            "Watch the answer of the stored index of this name.", valueName: "name"))
    var index: String?

    @Flag(help: "Show the rows of the index themselves, though they could be summed up.")
    var noReduce = false

    @OptionGroup(title: "Options with --index") var options: QueryOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func validate() throws {
        try IndexOptions.check(name: index)
        guard index != nil else {
            guard options.isEmpty, !noReduce else {
                throw ValidationError(
                    "The options of a query, such as --from, --limit and --no-reduce, go with "
                        + "--index NAME, which says what is asked.")
            }
            return
        }
        if since != nil {
            throw ValidationError(
                "--since goes without --index: an answer is shown as it is now, and then how it "
                    + "changes.")
        }
        if type != nil {
            throw ValidationError(
                "--type goes without --index: the index says which documents have rows.")
        }
        if documents {
            throw ValidationError(
                "--documents goes without --index; with it, --include-documents shows the document "
                    + "of each row.")
        }
        if options.isGrouped, noReduce {
            throw ValidationError("Grouping goes without --no-reduce.")
        }
    }

    func perform() async throws {
        if let index {
            let watch = ResultWatch(
                index: index, options: options, noReduce: noReduce, isOnce: once, isJSON: json,
                screen: screenOptions.screen)
            // Whoever writes the documents need not know the index.
            let path = database.path
            try await path.withDatabase { try await watch.run(in: $0, at: path) }
        } else {
            try await database.path.withDatabase(isReadOnly: true) { try await follow($0) }
        }
    }

    /// Prints the changes of a database.
    private func follow(_ database: Database) async throws {
        guard once || !database.isReadWithoutLocks else {
            throw CommandFailure(
                "'\(database.name)' cannot be watched: lock.mdb may not be written here, so it is "
                    + "read without locks, and cannot be changed meanwhile. --once prints what "
                    + "there is.")
        }
        let start = try begin(in: database)
        let rendering = ChangeRendering(isJSON: json, name: database.name)
        if !once, !json { StandardError.line(rendering.greeting(start)) }
        let feed = database.changes(
            since: start, isLive: !once, includesDocuments: documents, ofType: type,
            ignoresForgottenPurges: true)
        let last =
            once
            ? try await Self.print(feed, from: start, rendering)
            : try await WatchedFile(self.database.path).whileThere {
                try await Self.print(feed, from: start, rendering)
            }
        guard Task.isCancelled else { return }
        guard !once else { throw Interrupted(rendering.farewell(last)) }
        StandardError.line(rendering.farewell(last))
    }

    /// The sequence to begin after.
    ///
    /// - Throws: ``CommandFailure`` for one that the database has not come to.
    private func begin(in database: Database) throws -> UInt64 {
        let (last, forgotten) = try database.read { ($0.sequence, $0.forgottenPurgeSequence) }
        let start = since.map { UInt64($0.count) } ?? (once ? 0 : last)
        guard start <= last else {
            throw CommandFailure(
                "The database '\(database.name)' is at the sequence \(last) and has not come to "
                    + "\(start) yet.")
        }
        if start < forgotten {
            StandardError.line("Purges up to the sequence \(forgotten) are no longer listed.")
        }
        return start
    }

    /// Prints a feed page by page, so that a line is seen at once and many cost one write.
    ///
    /// - Returns: The sequence of the last change that was read.
    private static func print(
        _ feed: ChangeFeed, from start: UInt64, _ rendering: ChangeRendering
    ) async throws -> UInt64 {
        let output = Output()
        var last = start
        for try await page in feed.pages {
            for element in page.elements {
                for line in rendering.lines(for: element) { try output.line(line) }
            }
            try output.flush()
            last = page.lastSequence
        }
        return last
    }
}
