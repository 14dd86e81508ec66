import Settle

/// Prints the answer of a stored index, and then how it changes.
struct ResultWatch: Sendable {
    let index: String
    let options: QueryOptions
    let noReduce: Bool
    let isOnce: Bool
    let isJSON: Bool
    let screen: Screen

    /// Prints until the task is cancelled, or the first answer alone.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - path: Where it lies.
    /// - Throws: ``CommandFailure`` when the index cannot be asked, when the database is taken away,
    ///   and when the only answer has values that cannot be summed up; `CancellationError` when there was no answer yet; otherwise `DatabaseError`, and what
    ///   writing throws.
    func run(in database: Database, at path: DatabasePath) async throws {
        let status = try database.indexStatus(named: index)
        let asked = try DeclaredIndex(status, noReduce: noReduce, for: options)
        let rendering = asked.rendering(options, isJSON: isJSON, on: screen)
        try await IndexProgress.shown { try await database.buildIndex(named: index, progress: $0) }
        let changes = database.queryChanges(
            on: index,
            with: options.parameters(isReduced: asked.isReduced, freshness: .current))
        if !isOnce, !isJSON {
            StandardError.line(
                "Watching the index '\(ScreenText.printable(index))' of '\(database.name)'. "
                    + "Ctrl-C ends it.")
        }
        let last = try await WatchedFile(path).whileThere {
            try await print(changes, rendering) {
                try checkIsSame(as: status, in: database)
            } place: { result in
                guard !isJSON, !asked.isReduced else { return nil }
                return try await RangeCount(index, options, in: database).place(of: result)
            }
        }
        guard !isOnce else {
            if asked.isReduced { try RowText.requireSums(in: last.rows) }
            return
        }
        StandardError.line("Ended at the sequence \(last.sequence).")
    }

    /// Refuses to show rows of another index under the titles of the one that was asked.
    private func checkIsSame(as status: IndexStatus, in database: Database) throws {
        let now = try database.indexStatus(named: index)
        guard now.declaration != status.declaration else { return }
        throw CommandFailure(
            "The index '\(index)' was replaced while it was watched. Watch it again.")
    }

    /// Prints one step after the other.
    ///
    /// - Parameters:
    ///   - changes: The steps.
    ///   - rendering: How they are shown.
    ///   - check: Throws when a step must not be shown.
    ///   - place: Says what stands below the first answer.
    /// - Returns: The last answer.
    /// - Throws: `CancellationError` when there was no answer; what `check`, the steps, and writing
    ///   throw.
    private func print(
        _ changes: QueryChanges, _ rendering: ResultRendering,
        check: () throws -> Void, place: (QueryResultEnumerator) async throws -> RowPlace?
    ) async throws -> QueryResultEnumerator {
        let output = Output()
        var last: QueryResultEnumerator?
        for try await step in changes {
            try check()
            let lines: [String]
            if let last {
                lines = rendering.lines(of: step, after: last)
            } else {
                lines = rendering.firstLines(of: step.result, place: try await place(step.result))
            }
            for line in lines { try output.line(line) }
            try output.flush()
            last = step.result
            if isOnce { break }
        }
        guard let last else { throw CancellationError() }
        return last
    }
}
