import Flushes
import Settle

/// Commits of one document each, and what observers are told of them.
extension SettlePeer {
    /// Observes the index of places and waits for the first result.
    func watch(_ query: any QueryParameters) async throws -> SettleWatch {
        let watch = try SettleWatch(query, of: SettleIndexes.places, in: database)
        _ = try await watch.call(at: 0)
        return watch
    }

    /// Raises the amounts of documents, each in a commit of its own.
    ///
    /// - Parameters:
    ///   - identifiers: The documents; one may come several times.
    ///   - query: What is observed meanwhile, whose result each commit has to change: its handler is
    ///     waited for after each. Nil to commit alone.
    /// - Returns: The medians.
    /// - Throws: ``BenchmarkError`` when the last observed result is not the one that is there; what
    ///   Settle throws.
    func raiseSingly(
        _ identifiers: [String], observing query: (any QueryParameters)?
    ) async throws -> CommitTimes {
        let watch: SettleWatch? = if let query { try await self.watch(query) } else { nil }
        var samples: [CommitTimes.Sample] = []
        var last: SettleWatch.Call?
        let flushes = flushes_count()
        for identifier in identifiers {
            // Before the clock is looked at: to read and to change a document is no part of it.
            for document in try await raised([identifier]) {
                let begun = ContinuousClock.now
                try await database.update(document)
                let returned = ContinuousClock.now
                last = try await watch?.call(at: database.lastSequence)
                samples.append(
                    CommitTimes.Sample(begun: begun, returned: returned, called: last?.time))
            }
        }
        let flushed = flushes_are_counted() == 0 ? nil : flushes_count() - flushes
        watch?.end()
        if let query, let last {
            let fresh = try await database.runQuery(on: SettleIndexes.places.name, with: query)
            try BenchmarkError.check(
                last.answer.elementsEqual(fresh), is: true,
                "Whether the last observed result is what the query answers")
        }
        return CommitTimes(samples, flushes: flushed)
    }

    /// Raises the amounts of documents, each in a commit of its own, without waiting for observers.
    ///
    /// - Parameters:
    ///   - identifiers: The documents, in their order; one may come several times.
    ///   - documents: These documents by identifier, as they are stored.
    /// - Throws: ``BenchmarkError`` when one is missing; what Settle throws.
    func raiseSingly(
        _ identifiers: [String], of documents: consuming [String: Document]
    ) async throws {
        for identifier in identifiers {
            guard var document = documents[identifier], let amount = document.integer("amount")
            else { throw BenchmarkError("The document '\(identifier)' is not there.") }
            document["amount"] = amount + 1
            documents[identifier] = try await database.update(document)
        }
    }

    /// The check sum of the rows of an answer, with their identifiers.
    static func sums(of answer: QueryResultEnumerator) throws -> AnswerSums {
        var sums = AnswerSums()
        for row in answer { try sums.add(row, readsIdentifiers: true) }
        return sums
    }
}

/// What is observed.
extension SettlePeer {
    /// All rows of the index.
    static var allRowsQuery: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.reduce = false
        return query
    }

    /// The rows from one key to another, which is included; 0 rows for all of them.
    static func rowsQuery(_ range: ClosedRange<Place>, rowLimit: Int = 0) -> QueryByKeyRange {
        var query = QueryByKeyRange(startKey: range.lowerBound.key, endKey: range.upperBound.key)
        query.reduce = false
        query.rowLimit = UInt(rowLimit)
        return query
    }

    /// The first rows of a type, by city; nil for all of them.
    static func typeQuery(_ type: String, rowLimit: Int?) -> QueryByKeyRange {
        var query = QueryByKeyRange(
            startKey: [type], endKey: [type, [:] as [String: Any]] as [Any])
        query.reduce = false
        query.rowLimit = UInt(rowLimit ?? 0)
        return query
    }

    /// The identifiers of the documents that an answer's rows were made for.
    func identifiers(of query: QueryByKeyRange) async throws -> [String] {
        try await database.runQuery(on: SettleIndexes.places.name, with: query)
            .compactMap(\.documentId)
    }
}
