import Settle

/// What is asked of the indexes that are measured.
extension SettlePeer {
    /// Gives the database an index and waits until it answers.
    func build(_ index: Database.Index) async throws {
        try await database.addIndex(index)
        var query = QueryByKeyRange()
        query.rowLimit = 1
        try BenchmarkError.check(
            try await answer(of: index, query).count, is: 1,
            "The rows of the first answer of '\(index.name)'")
    }

    /// Takes an index away again.
    func remove(_ index: Database.Index) async throws {
        try await database.removeIndex(named: index.name)
    }

    /// The sum of all amounts, or of those in a range of keys, reduced.
    func sum(of range: Range<Place>? = nil) async throws -> Int {
        var query = QueryByKeyRange(
            startKey: range?.lowerBound.key, endKey: range?.upperBound.key)
        query.inclusiveEnd = false
        return try await integer(query)
    }

    /// The sums of the amounts by the first elements of the key, this many.
    func groups(level: UInt) async throws -> AnswerSums {
        var query = QueryByKeyRange()
        query.groupLevel = level
        return try await sums(query)
    }

    /// The first rows from a key on, of its type alone; with or without reading the identifiers.
    func page(
        from place: Place, rowLimit: Int, readsIdentifiers: Bool = false
    ) async throws -> AnswerSums {
        let query = Self.page(from: place, rowLimit: rowLimit)
        return try await sumsInPlace(query, readsIdentifiers: readsIdentifiers)
    }

    /// As ``page(from:rowLimit:readsIdentifiers:)``, by rows with values that may be kept.
    func pageOfValues(from place: Place, rowLimit: Int) async throws -> AnswerSums {
        try await sums(Self.page(from: place, rowLimit: rowLimit))
    }

    private static func page(from place: Place, rowLimit: Int) -> QueryByKeyRange {
        var query = QueryByKeyRange(
            startKey: place.key, endKey: [place.type, [:] as [String: Any]] as [Any])
        query.reduce = false
        query.rowLimit = UInt(rowLimit)
        return query
    }

    /// The rows of some keys.
    func rows(of places: [Place]) async throws -> AnswerSums {
        try await sumsInPlace(Self.list(of: places), readsIdentifiers: false)
    }

    /// As ``rows(of:)``, by rows with values that may be kept.
    func rowsOfValues(of places: [Place]) async throws -> AnswerSums {
        try await sums(Self.list(of: places))
    }

    private static func list(of places: [Place]) -> QueryByKeyList {
        var query = QueryByKeyList(keys: places.map(\.key))
        query.reduce = false
        return query
    }

    /// The sum of each of some keys.
    func groups(of places: [Place]) async throws -> AnswerSums {
        var query = QueryByKeyList(keys: places.map(\.key))
        query.group = true
        return try await sums(query)
    }

    /// The answer of ``SettleIndexes/types`` over all rows.
    func typeCounts() async throws -> [String: Int] {
        let answer = try await answer(of: SettleIndexes.types, QueryByKeyRange())
        guard answer.count == 1, let counts = answer.rows[0].value as? [String: Int] else {
            throw BenchmarkError("The index of types has no counts to answer with.")
        }
        return counts
    }

    /// Every amount and every key of the index, whatever its reduce function.
    func allRows() async throws -> AnswerSums {
        var query = QueryByKeyRange()
        query.reduce = false
        return try await sums(query)
    }

    /// Adds to the amount of documents, all in one commit.
    func write(_ documents: [Document]) async throws {
        try await database.write { transaction in
            for document in documents { try transaction.update(document) }
        }
    }

    /// Documents with an amount that is larger by one, not stored yet.
    func raised(_ identifiers: [String]) async throws -> [Document] {
        let found = try await database.fetchDocuments(identifiers)
        return try identifiers.map { identifier in
            guard var document = found[identifier], let amount = document.integer("amount") else {
                throw BenchmarkError("The document '\(identifier)' is not there.")
            }
            document["amount"] = amount + 1
            return document
        }
    }

    /// The bytes of the pages of the index.
    ///
    /// - Returns: Those of rows and summaries, and those of all that belongs to the index.
    func placesByteCount() throws -> (rows: Int, all: Int) {
        let tables = try database.statistics().tables.filter {
            $0.name.contains("/\(SettleIndexes.places.name)/")
        }
        let rows = tables.filter { $0.name.hasSuffix("/rows") }
        guard !rows.isEmpty else { throw BenchmarkError("No table holds the rows of the index.") }
        return (rows.reduce(0) { $0 + $1.sizeBytes }, tables.reduce(0) { $0 + $1.sizeBytes })
    }

    private func answer(
        of index: Database.Index, _ query: any QueryParameters
    ) async throws -> QueryResultEnumerator {
        try await database.runQuery(on: index.name, with: query)
    }

    private func integer(_ query: QueryByKeyRange) async throws -> Int {
        let answer = try await answer(of: SettleIndexes.places, query)
        guard answer.count == 1, case .integer(let sum) = answer.rows[0].valueJSON else {
            throw BenchmarkError("The index of places has no sum to answer with.")
        }
        return Int(sum)
    }

    /// Reads every key and value of an answer.
    private func sums(_ query: any QueryParameters) async throws -> AnswerSums {
        var sums = AnswerSums()
        for row in try await answer(of: SettleIndexes.places, query) { try sums.add(row) }
        return sums
    }

    /// Reads every key and value of rows where they lie, and with or without the identifiers.
    private func sumsInPlace(
        _ query: any QueryParameters, readsIdentifiers: Bool
    ) async throws -> AnswerSums {
        try await database.readRows(
            of: SettleIndexes.places.name, with: query, into: PlaceSums()
        ) { sums, row in try sums.add(row, readsIdentifiers: readsIdentifiers) }
        .sums
    }
}

extension AnswerSums {
    /// Adds a row of the index of places, with or without its identifier.
    mutating func add(_ row: QueryResultRow, readsIdentifiers: Bool = false) throws {
        guard case .array(let texts) = row.keyJSON, case .integer(let amount) = row.valueJSON
        else { throw BenchmarkError("A row of the index of places is no list and integer.") }
        var keyBytes = 0
        for case .string(let text) in texts { keyBytes += text.utf8.count }
        if readsIdentifiers { keyBytes += row.documentId?.utf8.count ?? 0 }
        add(amount: Int(amount), keyBytes: keyBytes)
    }
}

extension Place {
    var key: [Any] { [type, city] }
}

/// The sums over rows in place, whose keys are read when they change.
private struct PlaceSums: Sendable {
    private(set) var sums = AnswerSums()
    private var keyBytes = 0

    /// Adds a row of the index of places, with or without its identifier.
    mutating func add(_ row: borrowing QueryRowView, readsIdentifiers: Bool) throws {
        if !row.repeatsKey {
            let key = row.key
            guard let type = try key.element(0)?.string, let city = try key.element(1)?.string
            else { throw BenchmarkError("A key of the index of places is no list of texts.") }
            keyBytes = type.utf8.count + city.utf8.count
        }
        guard let amount = try row.value?.integer else {
            throw BenchmarkError("A row of the index of places has no integer.")
        }
        let identifierBytes = readsIdentifiers ? try row.documentId.utf8.count : 0
        sums.add(amount: Int(amount), keyBytes: keyBytes + identifierBytes)
    }
}
