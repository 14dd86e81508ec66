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

            The rows are kept in the database while the command runs. With --index NAME they stay, \
            with their declaration, and the next query has only the changes to catch up with. It \
            needs no --key: --index NAME alone asks an index that is stored, and sums up if that \
            index does and --no-reduce is not given. With --stale it is asked as it is. See \
            'settle indexes'.

            Examples:
              settle query ./shop --key name
              settle query ./shop --key price --from 10 --to 20 --include-documents
              settle query ./shop --key name --filter '{"price":{"$lt":5}}' --prefix '"a"'
              settle query ./cities --key country --value population --reduce sum --group
              settle query ./cities --key continent --key name --from '["EU","M"]' --limit 5
              settle query ./cities --index byCountry --group-level 1
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

    func validate() throws {
        try IndexOptions.check(name: index)
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

    func perform() async throws {
        let output = Output()
        try await database.path.withDatabase { database in
            let (index, result) = try await answer(of: database)
            let rendering = index.rendering(options, isJSON: json)
            for line in rendering.lines(of: result) { try output.line(line) }
            try output.flush()
        }
    }

    private typealias Answer = (DeclaredIndex, QueryResultEnumerator)

    private func answer(of database: Database) async throws -> Answer {
        if declared.key.isEmpty, let index { return try await askStored(index, of: database) }
        let declaration = declared.declaration(
            named: index ?? PassingIndex.name(for: declared.declaration(named: "")))
        if index != nil {
            try IndexReplacement.refuse(
                declaration, in: database,
                advice: "Ask that one by --index alone, take another name, or have it replaced by "
                    + "'settle indexes add --replace'.")
        }
        let asked = DeclaredIndex(declaration, noReduce: noReduce)
        do {
            try await IndexProgress.shown {
                try await database.addIndex(declaration.index, progress: $0)
            }
            let result = try await ask(asked, of: database)
            if index == nil { try await database.removeIndex(named: declaration.name) }
            return (asked, result)
        } catch {
            // Only a crash may leave an index behind that nobody asked for.
            if index == nil { try? await database.removeIndex(named: declaration.name) }
            throw error
        }
    }

    private func askStored(_ name: String, of database: Database) async throws -> Answer {
        let status = try database.indexStatus(named: name)
        let asked = try DeclaredIndex(status, noReduce: noReduce, for: options)
        if !stale {
            try await IndexProgress.shown {
                try await database.buildIndex(named: name, progress: $0)
            }
        } else if !status.isBuilt {
            throw CommandFailure(
                "The index '\(name)' has no rows yet, because it was never built to the end. "
                    + "Without --stale it is built first.")
        }
        return (asked, try await ask(asked, of: database))
    }

    private func ask(
        _ index: DeclaredIndex, of database: Database
    ) async throws -> QueryResultEnumerator {
        try await database.runQuery(
            on: index.name,
            with: options.parameters(
                isReduced: index.isReduced, freshness: stale ? .stale : .current))
    }
}

/// The index that a query needs only while it runs.
private enum PassingIndex {
    /// A name that is the same for the same declaration.
    ///
    /// One that a crash has left behind is found by it and used again.
    static func name(for declaration: Database.IndexDeclaration) -> String {
        let text = JSONRendering.compact(declaration.json)
        // FNV-1a, 64 bits.
        let digest = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { digest, byte in
            (digest ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let digits = String(digest, radix: 16)
        return "settle query " + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
