import Foundation
import Settle
import SettleSync

/// Where a pull of a table stands, and what the next one has to know about it.
struct TablePosition: Sendable, Hashable {
    /// The last row that was read.
    struct Row: Sendable, Hashable {
        var time: RowTime
        var id: String
        /// Empty when it had none.
        var version: String
        var mark: Mark
        /// Made of what the row showed; nil where an earlier release did not keep it.
        var number: UInt32?
    }

    /// What is known about the last row.
    enum Mark: String, Sendable, Hashable, CaseIterable {
        /// It is small: the next pull asks for it once more.
        case small = "s"
        /// It is not, and is asked after now and then.
        case large = "l"
        /// It is elsewhere by now, which is as it should be.
        case moved = "m"
    }

    /// Up to where nothing can come in later any more.
    ///
    /// A row gets its time before its transaction is committed. A pull in between passes it by,
    /// so that what was read is final only up to the safety window before it was read.
    enum Finality: Sendable, Hashable {
        /// All that was read is.
        case all
        /// Rows up to a time are, and those behind it are read again.
        case until(RowTime)
        /// Nobody knows, because the server does not tell its time.
        case unknown
    }

    /// A unit of time: the times that a server shows as one.
    struct Unit: Sendable, Hashable {
        var start: RowTime
        /// How many digits of a second's fraction it leaves of a time.
        var digits: Int
    }

    /// Where the next request begins.
    var cursor: PullCursor
    var last: Row
    /// How many digits of a time the server can be believed; nil when it shows its times whole.
    var digits: Int?
    var finality: Finality
    /// The unit of time that was drained, or is being drained, though it may not have been over when
    /// that began: what has come into it since is not known.
    var unsure: Unit?
    /// What the clocks said when this was last changed.
    var clocks: ServerClocks?
    /// What the server was last found to speak.
    var dialect: AzureTablesBackend.Dialect

    /// Where a new pull begins.
    func beginning(_ paging: AzureTablesBackend.Paging) -> PullCursor {
        if paging == .skip {
            if case .until(let time) = finality, time < last.time { return .skip(time, count: 0) }
            return .skip(last.time, count: 0)
        }
        if let unsure {
            if case .until(let time) = finality { return .from(min(time, unsure.start)) }
            return .from(unsure.start)
        }
        switch (finality, cursor) {
        case (.until(let time), _): return .from(time)
        case (.unknown, .bucket(let start, _, _)): return .from(start)
        case (.unknown, _), (_, .skip): return .from(last.time)
        case (.all, .after(let time, let id)) where last.mark == .small:
            return .at(time, id: id)
        case (.all, _): return cursor
        }
    }

    /// Whether a row is the last one as it was read, which is no news.
    ///
    /// The version does not tell: a server may have left out members that it shows by now.
    func isUnchanged(_ row: TableRow) -> Bool {
        row.id == last.id && row.number == last.number
    }
}

extension PullCursor {
    /// Up to where a pull that goes on here has read.
    var time: RowTime? {
        switch self {
        case .beginning: nil
        case .after(let time, _), .at(let time, _), .from(let time), .bucket(let time, _, _),
            .skip(let time, _):
            time
        }
    }

    /// Up to where a pull will have read when what it is at here is done.
    var end: RowTime? {
        guard case .bucket(let start, let digits, _) = self else { return time }
        return start.advanced(digits: digits)
    }
}
