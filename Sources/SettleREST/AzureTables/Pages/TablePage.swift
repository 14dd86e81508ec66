import Foundation
import Settle
import SettleSync
import SettleTableProtocol

/// A page of rows as a server sent it.
struct TablePage: Sendable {
    let dialect: AzureTablesBackend.Dialect
    let rows: [TableRow]
    /// How many rows there are from the page's start on, where the server said so.
    let count: Int?
    /// True when the server said that no page follows, and meant all rows.
    let saysEnd: Bool
    /// The server's clock and ours, where the server told its own.
    let clocks: ServerClocks?
    /// How long the response took, in seconds.
    let duration: Double
    /// Whether the server's times follow its commits, whatever its clock does.
    let timesFollowCommits: Bool
    /// Whether the server stores null only where it was sent.
    let storesJSON: Bool

    /// Reads a response: bare rows, rows with a count, or `items`.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `protocolViolation` when it is none of them.
    init(
        _ response: FullHTTPResponse, dialect: AzureTablesBackend.Dialect, rowCountMax: Int = .max,
        clocks: ServerClocks? = nil, duration: Double = 0
    ) throws(ReplicationError) {
        let json = try response.json()
        self.dialect = dialect
        self.clocks = clocks
        self.duration = duration
        timesFollowCommits = response.timesFollowCommits
        storesJSON = response.storesJSON
        if let elements = json.elements {
            (rows, count, saysEnd) = (elements.map(\.row), nil, false)
            return
        }
        guard let elements = (json[PageMember.results] ?? json[PageMember.items])?.elements else {
            throw ReplicationError(
                .protocolViolation,
                "The server answered with JSON that is no list of items; check that the address "
                    + "is a table.")
        }
        let rows = elements.map(\.row)
        self.rows = rows
        // A count that cannot be one is as good as none.
        count = json[PageMember.count]?.value.integerValue.flatMap { Int(exactly: $0) }
            .flatMap { (rows.count...RESTTuning.itemCountMax).contains($0) ? $0 : nil }
        // A page that has all that was asked for has no successor either, whatever follows it.
        saysEnd = json[PageMember.nextLink]?.value == .null && rows.count < rowCountMax
    }

    /// The item that a row is; nil when it is none.
    func item(of row: TableRow) -> RemoteItem? {
        RemoteItem(row, dialect.columns, storesJSON: storesJSON)
    }

    /// The item of a row of a list; one without an identifier has a fault that says which row it is.
    func item(listed row: TableRow) -> RemoteItem {
        RemoteItem(listed: row, dialect.columns, storesJSON: storesJSON)
    }

    /// The rows that say when they were last written, with their times.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `protocolViolation` when there are rows and none
    ///   of them does.
    func timedRows() throws(ReplicationError) -> [(row: TableRow, time: RowTime)] {
        var timed: [(TableRow, RowTime)] = []
        timed.reserveCapacity(rows.count)
        for row in rows {
            if let time = row.time(dialect.columns) { timed.append((row, time)) }
        }
        guard rows.isEmpty || !timed.isEmpty else {
            throw ReplicationError(
                .protocolViolation,
                "The server sent items without a time for their '\(dialect.columns.updatedAt)', "
                    + "which tells where to go on; the table needs this column.")
        }
        return timed
    }

    /// Whether nothing was left behind the rows when the page was made, as far as it tells.
    ///
    /// A short page does not mean the end, since a server may give less than it was asked for.
    var isLast: Bool {
        rows.isEmpty || saysEnd || count.map { $0 <= rows.count } ?? false
    }
}
