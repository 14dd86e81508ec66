import ArgumentParser
import Settle

/// `settle query`: rows of an index that is stored, or declared on the command line.
struct QueryCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "List, look up, or sum up documents by their members.",
        discussion: """
            Each --key names a member of the documents; a path such as address.city names a member \
            of a member. Documents are listed in the order of that member. Several --key make an \
            array key: ordered by the first, then by the second, and so on. A document that has none \
            of the members is left out; --value names a member to show beside the key; --filter \
            leaves out the documents that do not fit.

            With --reduce the values are summed up: over everything, or with --group-level N for \
            each different beginning of N members of the key, or with --group for each key.

            Keys for --from, --to, --prefix and --keys are JSON: numbers as they are, strings in \
            quotes, arrays for several members. --prefix '["EU"]' takes the keys that begin with \
            "EU", --prefix '"Mon"' the strings that begin so, where case and accents make no \
            difference unless strings are ordered raw. With --descending the query begins at the \
            high end: --from is then the higher key.

            Without --index the database is left alone: the rows are made in a temporary folder and \
            forgotten. With --index NAME and --key they are kept in the database, with their \
            declaration, and the next query has only the changes to catch up with. --index NAME \
            alone asks an index that is stored, brings it up to date first if it is behind, and \
            sums up if that index does and --no-reduce is not given. With --stale it is asked as \
            it is. See 'settle indexes'.

            Where values cannot be summed up, the row says why, and the command ends with status 1.

            Examples:
              settle query ./shop --key name
              settle query ./shop --key price --from 10 --to 20 --include-documents
              settle query ./shop --key name --filter '{"price":{"$lt":5}}' --prefix '"a"'
              settle query ./cities --key country --value population --reduce sum --group
              settle query ./cities --key continent --key name --from '["EU","M"]' --limit 5
              settle query ./cities --index byCountry --group-level 1
              settle query ./cities --key country --key name --value population --csv > cities.csv
            """)

    @OptionGroup var database: DatabaseArgument

    @OptionGroup var declared: IndexOptions

    @Flag(help: "Show the rows themselves, though they could be summed up.")
    var noReduce = false

    @OptionGroup var options: QueryOptions

    @Option(
        help: ArgumentHelp(
            "Ask the index of this name; with --key, keep the rows in the database under it.",
            valueName: "name"))
    var index: String?

    @Flag(help: "Ask the stored index as it is, without bringing it up to date.")
    var stale = false

    @Flag(help: "Print a JSON object a row, with \"key\", \"value\", and \"id\".")
    var json = false

    @Flag(
        help: """
            Print CSV text (RFC 4180, in UTF-8): a line of titles, then a line a row. Text that would \
            be read as a number stands in quotes; null is an empty field.
            """)
    var csv = false

    func validate() throws {
        try IndexOptions.check(name: index)
        if csv, json { throw ValidationError("--csv goes without --json.") }
        guard !declared.key.isEmpty else { return try validateStored() }
        if stale {
            throw ValidationError("--stale asks a stored index: --index NAME without --key.")
        }
        let isReduced = declared.reduce != nil && !noReduce
        if options.isGrouped, !isReduced {
            throw ValidationError("Grouping needs --reduce, and no --no-reduce.")
        }
        if options.includeDocuments, isReduced {
            throw ValidationError(
                "Rows that were summed up have no documents; give --no-reduce as well.")
        }
    }

    private func validateStored() throws {
        guard index != nil else {
            throw ValidationError(
                "Say what to order by: at least one --key, such as --key name; or name a stored "
                    + "index with --index.")
        }
        guard declared.isEmpty else {
            throw ValidationError(
                "--value, --filter, --reduce and --collation declare an index, which needs a --key; "
                    + "a stored index has its own.")
        }
        if options.isGrouped, noReduce {
            throw ValidationError("Grouping goes without --no-reduce.")
        }
    }

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        if let index, declared.key.isEmpty {
            try await askStored(index)
        } else if let index {
            try await askKept(declared.declaration(named: index))
        } else {
            try await askPassing(declared.declaration(named: "query"))
        }
    }

    /// Asks an index that the database has.
    private func askStored(_ name: String) async throws {
        try await current(
            index: name,
            inReading: { database in
                let status = try database.indexStatus(named: name)
                let asked = try DeclaredIndex(status, noReduce: noReduce, for: options)
                if stale, !status.isBuilt {
                    throw CommandFailure(
                        "The index '\(name)' has no rows yet, because it was never built to the "
                            + "end. Without --stale it is built first.")
                }
                guard stale || status.isCurrent else { return false }
                try await show(ask(asked, of: database), of: asked, in: database)
                return true
            },
            inWriting: { database in
                let status = try database.indexStatus(named: name)
                let asked = try DeclaredIndex(status, noReduce: noReduce, for: options)
                try await IndexProgress.shown {
                    try await database.buildIndex(named: name, progress: $0)
                }
                try await show(ask(asked, of: database), of: asked, in: database)
            })
    }

    /// Asks an index that is declared here, and kept.
    private func askKept(_ declaration: Database.IndexDeclaration) async throws {
        let asked = DeclaredIndex(declaration, noReduce: noReduce)
        try await current(
            index: declaration.name,
            inReading: { database in
                let status = try database.indexStatuses().first { $0.name == declaration.name }
                guard let status, status.declaration == declaration, status.isCurrent else {
                    return false
                }
                try await show(ask(asked, of: database), of: asked, in: database)
                return true
            },
            inWriting: { database in
                try IndexReplacement.refuse(
                    declaration, in: database,
                    advice: "Ask that one by --index alone, take another name, or have it replaced "
                        + "by 'settle indexes add --replace'.")
                try await IndexProgress.shown {
                    try await database.addIndex(declaration.index, progress: $0)
                }
                try await show(ask(asked, of: database), of: asked, in: database)
            })
    }

    /// Opens the database for reading, and for writing only if its index is behind.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - read: Answers false when the index is behind, or not there.
    ///   - write: Brings it up to date.
    /// - Throws: ``CommandFailure`` when it would have to be brought up to date and the database may
    ///   only be read; what opening, `read` and `write` throw.
    private func current(
        index: String, inReading read: (Database) async throws -> Bool,
        inWriting write: (Database) async throws -> Void
    ) async throws {
        do {
            if try await database.path.withDatabase(isReadOnly: true, read) { return }
        } catch let error as DatabaseError where error.code == .readOnly {
            // Another process has written since it was looked at.
        }
        do {
            try await database.path.withDatabase(write)
        } catch let error as DatabaseError
            where [.readOnly, .permissionDenied].contains(error.code)
        {
            throw CommandFailure(
                "The index '\(index)' is not up to date or not there, and the database may only be "
                    + "read here. --key without --index leaves the database alone, and --stale "
                    + "asks an index that is stored as it is.")
        }
    }

    /// Asks an index that is made for this question and forgotten.
    private func askPassing(_ declaration: Database.IndexDeclaration) async throws {
        let asked = DeclaredIndex(declaration, noReduce: noReduce)
        try await database.path.withDatabase(isReadOnly: true) { database in
            let passing = PassingIndex(declaration, of: database)
            try await passing.with { scratch in
                var plain = options
                plain.includeDocuments = false
                let result = try await ask(asked, of: scratch, plain)
                let documents =
                    options.includeDocuments
                    ? try await database.fetchDocuments(result.rows.compactMap(\.documentId)) : [:]
                try await show(result, of: asked, in: scratch, documents)
            }
        }
    }

    private func ask(
        _ index: DeclaredIndex, of database: Database, _ options: QueryOptions? = nil
    ) async throws -> QueryResultEnumerator {
        try await database.runQuery(
            on: index.name,
            with: (options ?? self.options).parameters(
                isReduced: index.isReduced, freshness: stale ? .stale : .current))
    }

    private func show(
        _ result: QueryResultEnumerator, of index: DeclaredIndex, in database: Database,
        _ documents: [String: Document] = [:]
    ) async throws {
        var rendering = index.rendering(options, isJSON: json, on: screenOptions.screen)
        rendering.documents = documents
        let place =
            json || csv || index.isReduced
            ? nil : try await RangeCount(index.name, options, in: database).place(of: result)
        let output = Output()
        let lines =
            csv
            ? rendering.csv(of: result, withDocuments: options.includeDocuments)
            : rendering.lines(of: result, place: place)
        for line in lines { try output.line(line) }
        try output.flush()
        let errorCount = try database.indexStatus(named: index.name).errorCount
        if errorCount > 0 {
            StandardError.line(
                "\(Quantity.count(errorCount, "document")) could not be indexed and "
                    + "\(errorCount == 1 ? "is" : "are") left out.")
        }
        if index.isReduced { try RowText.requireSums(in: result.rows) }
    }
}
