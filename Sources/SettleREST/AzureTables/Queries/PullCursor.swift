import SettleOData

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
    func filter(_ columns: TableColumns) -> ODataNode? {
        let (time, id) = (columns.updatedAt, TableColumns.id)
        func behind(
            _ last: RowTime, _ comparison: ODataNode.Comparison, _ lastId: String
        ) -> ODataNode {
            .disjunction([
                ODataFilter.time(column: time, .greater, last),
                .conjunction([
                    ODataFilter.time(column: time, .equal, last),
                    ODataFilter.text(column: id, comparison, lastId),
                ]),
            ])
        }
        switch self {
        case .beginning: return nil
        case .after(let last, let lastId):
            return behind(last, .greater, lastId)
        case .at(let last, let lastId):
            return behind(last, .greaterOrEqual, lastId)
        case .from(let first), .skip(let first, _):
            return ODataFilter.time(column: time, .greaterOrEqual, first)
        case .bucket(let start, let digits, let lastId):
            let bucket = [
                ODataFilter.time(column: time, .greaterOrEqual, start),
                ODataFilter.time(column: time, .less, start.advanced(digits: digits)),
            ]
            return .conjunction(
                bucket + (lastId.map { [ODataFilter.text(column: id, .greater, $0)] } ?? []))
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
