import GRDB

/// A list of keys as SQLite takes it.
///
/// It is joined with the documents: SQLite goes through all of them to find pairs by `IN`.
struct GRDBKeys {
    let rows: String
    let groups: String
    let arguments: StatementArguments

    init(_ places: [Place]) {
        let pairs = Array(repeating: "(?, ?)", count: places.count).joined(separator: ", ")
        let list = "WITH list (type, city) AS (VALUES \(pairs))"
        let isListed = "\(GRDBPlaces.type) = list.type AND \(GRDBPlaces.city) = list.city"
        rows = """
            \(list) SELECT list.type, list.city, \(GRDBPlaces.amount)
            FROM list CROSS JOIN document ON \(isListed)
            """
        groups = """
            \(list) SELECT list.type, list.city,
            (SELECT sum(\(GRDBPlaces.amount)) FROM document WHERE \(isListed)) FROM list
            """
        arguments = StatementArguments(places.flatMap { [$0.type, $0.city] })
    }
}
