import Settle

/// Fills new databases, observes the rows of one type by city, and commits changes of these rows.
struct Following {
    private let bench: Bench
    private let rowLimit: Int?
    private let isDurable: Bool
    private let rows: TypeRows
    /// The documents that are changed, one in each commit.
    private let picks: [String]
    /// The result after all commits.
    private let expected: AnswerSums

    /// - Parameters:
    ///   - bench: What is stored.
    ///   - rowLimit: How many rows are observed; nil for all of the type.
    ///   - isDurable: Whether commits are durable, else relaxed, which in SQLite is NORMAL.
    ///   - count: How many commits there are; each changes a row that is observed.
    init(_ bench: Bench, rowLimit: Int? = nil, isDurable: Bool, count: Int) {
        self.bench = bench
        self.rowLimit = rowLimit
        self.isDurable = isDurable
        rows = TypeRows(bench.documents, rowLimit: rowLimit)
        picks = rows.picks(count)
        expected = rows.sums(raising: picks)
    }

    /// How many rows are observed.
    var rowCount: Int { rows.count }

    /// Runs Settle until its handler was called with the last result.
    func settle() async throws -> Outcome {
        try await ObservedPlaces.with(
            bench.documents.count, bench, durability: isDurable ? .full : .relaxed
        ) { filled in
            let settle = filled.settle
            let documents = try await settle.database.fetchDocuments(Array(Set(picks)))
            let watch = try await settle.watch(
                SettlePeer.typeQuery(rows.type, rowLimit: rowLimit))
            var last: QueryResultEnumerator?
            let outcome = try await rate {
                try await settle.raiseSingly(picks, of: documents)
                last = try await watch.call(at: settle.database.lastSequence).answer
            }
            watch.end()
            try BenchmarkError.check(
                try last.map { try SettlePeer.sums(of: $0) }, is: expected,
                "The last result that Settle told of")
            return outcome
        }
    }

    /// Runs GRDB until it has told of the last result.
    func grdb(isPool: Bool) async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let table = try GRDBTable(in: folder, isPool: isPool, isDurable: isDurable)
            try table.fill(bench.documents)
            let watch = try table.watch(rows.type, rowLimit: rowLimit)
            _ = try await watch.result(total: rows.sums(raising: []).amounts)
            var last: AnswerSums?
            let outcome = try await rate {
                try table.raiseSingly(picks)
                last = try await watch.result(total: expected.amounts)
            }
            watch.end()
            try BenchmarkError.check(last, is: expected, "The last result that GRDB told of")
            try table.close()
            return outcome
        }
    }

    private func rate(_ work: () async throws -> Void) async throws -> Outcome {
        try await Stopwatch.durableRate(of: picks.count, commits: picks.count, work)
    }
}
