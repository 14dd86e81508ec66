import Settle

/// Prints the answer of a stored index, and then how it changes.
struct ResultWatch: Sendable {
    let index: String
    let options: QueryOptions
    let noReduce: Bool
    let isOnce: Bool
    let isJSON: Bool

    /// Prints until the task is cancelled, or the first answer alone.
    ///
    /// - Throws: ``CommandFailure`` when the index cannot be asked; `CancellationError` when there was
    ///   no answer yet; otherwise `DatabaseError`, and what writing throws.
    func run(in database: Database) async throws {
        let asked = try DeclaredIndex(
            try database.indexStatus(named: index), noReduce: noReduce, for: options)
        let rendering = asked.rendering(options, isJSON: isJSON)
        try await IndexProgress.shown { try await database.buildIndex(named: index, progress: $0) }
        let changes = database.queryChanges(
            on: index,
            with: options.parameters(isReduced: asked.isReduced, freshness: .current))
        let output = Output()
        var last: QueryResultEnumerator?
        if !isOnce, !isJSON {
            StandardError.line(
                "Watching the index '\(ScreenText.printable(index))' of '\(database.name)'. "
                    + "Ctrl-C ends it.")
        }
        for try await step in changes {
            let lines =
                last.map { rendering.lines(of: step, after: $0) }
                ?? rendering.firstLines(of: step.result)
            for line in lines { try output.line(line) }
            try output.flush()
            if isOnce { return }
            last = step.result
        }
        guard let last else { throw CancellationError() }
        StandardError.line("Ended at the sequence \(last.sequence).")
    }
}
