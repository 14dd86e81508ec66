import Settle

/// How many rows an index has between the keys of a question, whichever of them are shown.
struct RangeCount {
    private let index: String
    private let options: QueryOptions
    private let database: Database

    /// The count for a question that was put to an index; its rows must not be summed up.
    init(_ index: String, _ options: QueryOptions, in database: Database) {
        self.index = index
        self.options = options
        self.database = database
    }

    /// What is said below the rows of an answer; nil when there are none.
    func place(of result: QueryResultEnumerator) async throws -> RowPlace? {
        guard result.count > 0 else { return nil }
        return RowPlace(
            count: result.count, skipped: options.skip.count, total: try await count(result))
    }

    /// Counts.
    ///
    /// - Parameter result: The answer to the question.
    /// - Returns: The number of rows between the keys; of the index as it is, if another process
    ///   changes it meanwhile.
    /// - Throws: `DatabaseError` as the question.
    /// - Complexity: Two questions for a row each; for a list of keys one for all rows.
    private func count(_ result: QueryResultEnumerator) async throws -> Int {
        var question = options
        question.skip = CountArgument(0)
        question.limit = nil
        question.includeDocuments = false
        guard options.limit != nil || options.skip.count > 0 else { return result.count }
        if question.keys == nil {
            question.limit = CountArgument(1)
            let first = try await ask(question)
            let last = try await ask(question.reversed)
            if first.sequence == last.sequence, let total = first.totalRows,
                let before = first.offset, let after = last.offset
            {
                return total - before - after
            }
            question.limit = nil
        }
        return try await ask(question).count
    }

    private func ask(_ question: QueryOptions) async throws -> QueryResultEnumerator {
        try await database.runQuery(
            on: index, with: question.parameters(isReduced: false, freshness: .stale))
    }
}

extension QueryOptions {
    /// The same rows from the other end.
    fileprivate var reversed: QueryOptions {
        var other = self
        other.descending.toggle()
        (other.from, other.to) = (to, from)
        (other.startId, other.endId) = (endId, startId)
        (other.exclusiveStart, other.exclusiveEnd) = (exclusiveEnd, exclusiveStart)
        return other
    }
}
