import GRDB

/// Asks the index, in one read.
///
/// Statements are cached, and each goes by the index; all but one need nothing else.
struct GRDBPlaces {
    static let index = "byPlace"
    static let type = "json_extract(body, '$.type')"
    static let city = "json_extract(body, '$.address.city')"
    static let amount = "json_extract(body, '$.amount')"

    let database: GRDB.Database

    // Without being told, SQLite 3.40 goes through the documents for a sum over all of them.
    private static let total = "SELECT sum(\(amount)) FROM document INDEXED BY \(index)"

    // One comparison of two members each would not be done by the index.
    private static let rangeTotal = """
        SELECT
        (SELECT total(\(amount)) FROM document WHERE \(type) = ?1 AND \(city) >= ?2) +
        (SELECT total(\(amount)) FROM document WHERE \(type) > ?1 AND \(type) < ?3) +
        (SELECT total(\(amount)) FROM document WHERE \(type) = ?3 AND \(city) < ?4)
        """

    private static let typeGroups = "SELECT \(type), sum(\(amount)) FROM document GROUP BY 1"

    private static let placeGroups = """
        SELECT \(type), \(city), sum(\(amount)) FROM document GROUP BY 1, 2
        """

    private static let page = """
        SELECT \(type), \(city), \(amount) FROM document
        WHERE \(type) = ? AND \(city) >= ? ORDER BY \(city) LIMIT ?
        """

    private static let pageWithIdentifiers = """
        SELECT \(type), \(city), \(amount), id FROM document
        WHERE \(type) = ? AND \(city) >= ? ORDER BY \(city) LIMIT ?
        """

    /// The sum of all amounts.
    func sum() throws -> Int {
        try integer(database.cachedStatement(sql: Self.total), [])
    }

    /// The sum of the amounts in a range of keys of more than one type.
    func sum(of range: Range<Place>) throws -> Int {
        let (lower, upper) = (range.lowerBound, range.upperBound)
        return try integer(
            database.cachedStatement(sql: Self.rangeTotal),
            [lower.type, lower.city, upper.type, upper.city])
    }

    /// The sum for each type.
    func typeGroups() throws -> AnswerSums {
        let statement = try database.cachedStatement(sql: Self.typeGroups)
        var sums = AnswerSums()
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() {
            let type: String = row[0]
            sums.add(amount: row[1], keyBytes: type.utf8.count)
        }
        return sums
    }

    /// The sum for each key.
    func placeGroups() throws -> AnswerSums {
        try sums(database.cachedStatement(sql: Self.placeGroups), [])
    }

    /// The first rows from a key on, of its type alone; without identifiers, which the index lacks.
    func page(from place: Place, rowLimit: Int) throws -> AnswerSums {
        try sums(
            database.cachedStatement(sql: Self.page), [place.type, place.city, rowLimit])
    }

    /// As ``page(from:rowLimit:)``, with the identifiers of the documents.
    func pageWithIdentifiers(from place: Place, rowLimit: Int) throws -> AnswerSums {
        let statement = try database.cachedStatement(sql: Self.pageWithIdentifiers)
        var sums = AnswerSums()
        let rows = try Row.fetchCursor(statement, arguments: [place.type, place.city, rowLimit])
        while let row = try rows.next() {
            let (type, city, identifier): (String, String, String) = (row[0], row[1], row[3])
            let bytes = type.utf8.count + city.utf8.count + identifier.utf8.count
            sums.add(amount: row[2], keyBytes: bytes)
        }
        return sums
    }

    /// The rows of some keys.
    func rows(of keys: GRDBKeys) throws -> AnswerSums {
        try sums(database.cachedStatement(sql: keys.rows), keys.arguments)
    }

    /// The sum of each of some keys.
    func groups(of keys: GRDBKeys) throws -> AnswerSums {
        try sums(database.cachedStatement(sql: keys.groups), keys.arguments)
    }

    /// Checks that SQLite answers each question by its index.
    ///
    /// - Parameter keys: Some keys, for the questions that take them.
    /// - Throws: ``BenchmarkError`` with what it does instead.
    func checkPlans(_ keys: GRDBKeys) throws {
        let questions = [
            Self.total, Self.rangeTotal, Self.typeGroups, Self.placeGroups, Self.page,
            Self.pageWithIdentifiers, keys.rows, keys.groups,
        ]
        for question in questions {
            let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN \(question)")
            // Nothing is asked for, so nothing needs a value.
            statement.setUncheckedArguments([])
            for row in try Row.fetchAll(statement) {
                let step: String = row["detail"]
                guard !step.contains("document") || step.contains("INDEX \(Self.index)")
                else {
                    throw BenchmarkError("SQLite does not go by the index: \(step): \(question)")
                }
            }
        }
    }

    private func integer(_ statement: Statement, _ arguments: StatementArguments) throws -> Int {
        try Int.fetchOne(statement, arguments: arguments) ?? 0
    }

    /// Reads every key and value of an answer.
    private func sums(
        _ statement: Statement, _ arguments: StatementArguments
    ) throws -> AnswerSums {
        var sums = AnswerSums()
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            let type: String = row[0]
            let city: String = row[1]
            sums.add(amount: row[2], keyBytes: type.utf8.count + city.utf8.count)
        }
        return sums
    }
}
