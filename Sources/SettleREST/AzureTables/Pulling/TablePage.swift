import Foundation
import Settle
import SettleSync

/// A page of rows as a server sent it.
struct TablePage: Sendable {
    let dialect: AzureTablesBackend.Dialect
    let rows: [JSONValue]
    /// How many rows there are from the page's start on, where the server said so.
    let count: Int?
    /// True when the server said that no page follows, and meant all rows.
    let saysEnd: Bool
    /// The server's clock and ours, where the server told its own.
    let clocks: ServerClocks?
    /// How long the answer took, in seconds.
    let duration: Double
    /// Whether the server's times follow its commits, whatever its clock does.
    let timesFollowCommits: Bool
    /// Whether the server stores null only where it was sent.
    let storesJSON: Bool

    /// Reads an answer: bare rows, rows with a count, or `items`.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `protocolViolation` when it is none of them.
    init(
        _ answer: HTTPAnswer, dialect: AzureTablesBackend.Dialect, rowCountMax: Int = .max,
        clocks: ServerClocks? = nil, duration: Double = 0
    ) throws(ReplicationError) {
        let json = try answer.json()
        self.dialect = dialect
        self.clocks = clocks
        self.duration = duration
        timesFollowCommits = answer.timesFollowCommits
        storesJSON = answer.storesJSON
        if case .array(let rows) = json {
            (self.rows, count, saysEnd) = (rows, nil, false)
            return
        }
        guard case .object(let members) = json,
            let rows = (members["results"] ?? members["items"])?.arrayValue
        else {
            throw ReplicationError(
                .protocolViolation,
                "The server answered with JSON that is no list of items; check that the address "
                    + "is a table.")
        }
        self.rows = rows
        // A count that cannot be one is as good as none.
        count = members["count"]?.integerValue.flatMap { Int(exactly: $0) }
            .flatMap { (rows.count...RESTTuning.itemCountMax).contains($0) ? $0 : nil }
        // A page that has all that was asked for has no successor either, whatever follows it.
        saysEnd = members["nextLink"] == .null && rows.count < rowCountMax
    }

    /// The item that a row is; nil when it is none.
    func item(of row: JSONValue) -> RemoteItem? {
        RemoteItem(row, dialect.columns, storesJSON: storesJSON)
    }

    /// The time that a row was last written.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `protocolViolation` when it has none.
    func time(of row: JSONValue) throws(ReplicationError) -> RowTime {
        guard let time = row[dialect.columns.updatedAt]?.stringValue.flatMap({ RowTime($0) })
        else {
            throw ReplicationError(
                .protocolViolation,
                "The server sent an item without a time for its '\(dialect.columns.updatedAt)', "
                    + "which tells where to go on; the table needs this column.")
        }
        return time
    }

    /// Whether nothing was left behind the rows when the page was made, as far as it tells.
    ///
    /// A short page does not mean the end, since a server may give less than it was asked for.
    var isLast: Bool {
        rows.isEmpty || saysEnd || count.map { $0 <= rows.count } ?? false
    }
}
