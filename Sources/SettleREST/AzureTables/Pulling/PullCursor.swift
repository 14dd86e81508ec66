/// Which rows a request of a pull asks for.
enum PullCursor: Sendable, Hashable {
    /// All.
    case beginning
    /// Those behind a row, by time and identifier.
    ///
    /// Unlike a number of rows to skip, this does not pass by one when another that was read
    /// changes meanwhile.
    case after(RowTime, id: String)
    /// Those behind a row, and the row itself first, if it still has its time.
    case at(RowTime, id: String)
    /// Those of a time on.
    case from(RowTime)
    /// Those of one unit of time, in the order of their identifiers: for servers with finer times
    /// than they show.
    case bucket(RowTime, digits: Int, after: String?)
    /// Those of a time on but for some, as the official clients do it.
    case skip(RowTime, count: Int)

    /// The first time that the official clients ask from.
    static let skippingNothing = PullCursor.skip(
        RowTime(seconds: 0, nanoseconds: 0, digits: 3), count: 0)

    /// The condition; nil for none.
    func filter(_ columns: TableColumns) -> ODataFilter? {
        let (time, id) = (columns.updatedAt, TableColumns.id)
        switch self {
        case .beginning: return nil
        case .after(let last, let lastId):
            return .or(
                .time(column: time, .after, last),
                .all([.time(column: time, .equal, last), .text(column: id, .after, lastId)]))
        case .at(let last, let lastId):
            return .or(
                .time(column: time, .after, last),
                .all([.time(column: time, .equal, last), .text(column: id, .from, lastId)]))
        case .from(let first): return .time(column: time, .from, first)
        case .skip(let first, _):
            return .all([.time(column: time, .from, first)])
        case .bucket(let start, let digits, let lastId):
            let bucket: [ODataFilter] = [
                .time(column: time, .from, start),
                .time(column: time, .before, start.advanced(digits: digits)),
            ]
            return .all(bucket + (lastId.map { [.text(column: id, .after, $0)] } ?? []))
        }
    }

    /// By what the rows are sorted.
    func order(_ columns: TableColumns) -> String {
        switch self {
        case .bucket: TableColumns.id
        case .skip: columns.updatedAt
        default: "\(columns.updatedAt),\(TableColumns.id)"
        }
    }

    /// How many rows are passed by; nil where that is not asked for at all.
    var skipCount: Int? {
        guard case .skip(_, let count) = self else { return nil }
        return count
    }
}
