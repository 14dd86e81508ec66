import Foundation
import Settle
import SettleSync

/// Works out where a pull stands after a page.
struct PullStep: Sendable {
    /// What was asked for.
    let asked: PullCursor
    /// Where the pull stood before; nil at the beginning of a table.
    let before: TablePosition?
    /// True for the first page of a pull.
    let isFirst: Bool
    /// How long before it was read a row is final, in seconds.
    let window: Double

    /// The position after a page; nil when nothing was ever read.
    ///
    /// - Throws: ``SettleSync/ReplicationError`` with `protocolViolation` when no row has a time or
    ///   the server does not do what it was asked for, so that rows would be passed by.
    func position(after page: TablePage) throws(ReplicationError) -> TablePosition? {
        guard let row = page.rows.last else { return positionAtEnd(page) }
        if isFirst, case .at = asked, page.rows.count == 1, let before, before.isUnchanged(row) {
            // Nothing is new. The same token costs nothing to keep.
            return before
        }
        let timed = try page.timedRows()
        let times = timed.map(\.time)
        guard let last = Self.last(of: timed, page) else { return passing(timed, page) }
        var next = TablePosition(
            cursor: .after(last.time, id: last.id), last: last, digits: before?.digits,
            finality: .all, clocks: page.clocks, dialect: page.dialect)
        switch asked {
        case .skip(let time, let count):
            let latest = times.max() ?? last.time
            next.cursor =
                latest > time
                ? .skip(latest, count: 0) : .skip(time, count: count + page.rows.count)
            next.finality = .unknown
            next.clocks = nil
            return next
        case .bucket(let start, let digits, _):
            // Ends with an empty page alone: a count is another query, and may miss a row that a
            // change took out of the unit in between.
            next.cursor = .bucket(start, digits: digits, after: last.id)
            next.unsure = before?.unsure
        case .beginning, .after, .at, .from:
            try Self.checkOrder(times)
            if next.digits == nil, isRepeated(timed) { next.digits = 9 }
            if let digits = next.digits {
                try advance(&next, among: times, digits: digits, page)
            }
        }
        next.finality = finality(of: page, readUpTo: next.cursor.end ?? last.time)
        return next
    }

    /// How much a row's time may be ahead of the `Date`, which has whole seconds, in seconds.
    private static let clockTolerance = 2.0

    // MARK: Ends

    /// The position after a page without rows.
    private func positionAtEnd(_ page: TablePage) -> TablePosition? {
        guard var next = before else { return nil }
        switch asked {
        case .skip(let time, _):
            next.cursor = .skip(time, count: 0)
            return next
        case .bucket(let start, let digits, _):
            next.cursor = .from(start.advanced(digits: digits))
        case .from where isFirst && asked != next.cursor:
            break
        default:
            return next
        }
        next.clocks = page.clocks
        next.finality = finality(of: page, readUpTo: next.cursor.end ?? next.last.time)
        return next
    }

    /// The last row that a next page can begin behind; nil when there is none.
    private static func last(
        of timed: [(row: TableRow, time: RowTime)], _ page: TablePage
    ) -> TablePosition.Row? {
        for (row, time) in timed.reversed() {
            guard let id = row.id, !id.isEmpty else { continue }
            // What cannot be read has no size.
            let isSmall =
                row.fault == nil
                && JSONText.text(of: row.value).count <= RESTTuning.anchorSizeMax
            return TablePosition.Row(
                time: time, id: id, version: row[page.dialect.columns.version]?.stringValue ?? "",
                mark: isSmall ? .small : .large, number: row.number)
        }
        return nil
    }

    /// The position after a page of which no row has an identifier.
    ///
    /// The unit of time that it ends in is drained by identifiers, from the first one on; behind a page
    /// of such a unit, its end is next.
    private func passing(
        _ timed: [(row: TableRow, time: RowTime)], _ page: TablePage
    ) -> TablePosition? {
        guard let time = timed.last?.time else { return before }
        let id = AzureTablesBackend.firstId
        var next =
            before
            ?? TablePosition(
                cursor: .beginning,
                last: TablePosition.Row(time: time, id: id, version: "", mark: .moved),
                digits: nil, finality: .all, clocks: page.clocks, dialect: page.dialect)
        switch asked {
        case .bucket(let start, let digits, nil):
            next.cursor = .bucket(start, digits: digits, after: id)
        case .bucket(let start, let digits, _):
            next.cursor = .from(start.advanced(digits: digits))
        case .skip(let start, let count):
            next.cursor =
                time > start
                ? .skip(time, count: 0) : .skip(start, count: count + page.rows.count)
            next.finality = .unknown
            next.clocks = nil
            return next
        default:
            if !isGoingBack(&next, page) {
                let digits = min(next.digits ?? 9, time.digits)
                drain(&next, time.floored(digits: digits), digits: digits, after: id, page)
            }
        }
        next.clocks = page.clocks
        next.finality = finality(of: page, readUpTo: next.cursor.end ?? time)
        return next
    }

    // MARK: Finality

    /// Up to where nothing can come in later, after a page was read up to a time.
    private func finality(
        of page: TablePage, readUpTo time: RowTime
    ) -> TablePosition.Finality {
        guard window > 0 else {
            // Times come in the order of commits, unless the clock was set back behind rows that
            // are there: what comes in now lies before them.
            if !page.timesFollowCommits, let clocks = page.clocks, let horizon = horizon(of: page),
                time.date > clocks.server.addingTimeInterval(Self.clockTolerance)
            {
                return .until(horizon)
            }
            // What an earlier page of this pull passed by is not read again before the next pull.
            if !isFirst, let before, case .until = before.finality { return before.finality }
            return .all
        }
        guard let horizon = horizon(of: page) else { return .unknown }
        if !isFirst, let before {
            // What an earlier page of this pull passed by is not read again before the next pull.
            switch before.finality {
            case .unknown: return .unknown
            case .until(let earlier): return .until(min(earlier, horizon))
            case .all: break
            }
        }
        return time <= horizon ? .all : .until(horizon)
    }

    /// The time up to which every row was committed when the page was made.
    ///
    /// The page was made before its `Date`, but not before it was asked for. If the clock went back
    /// since the page before, that happened after the page before.
    private func horizon(of page: TablePage) -> RowTime? {
        guard let clocks = page.clocks else { return nil }
        var age = page.duration
        if !isFirst, let earlier = before?.clocks {
            age = max(age, clocks.local.timeIntervalSince(earlier.local))
        }
        return RowTime(clocks.server.addingTimeInterval(-window - age))
    }

    // MARK: Finer times than shown

    /// Whether the server gave a row that it cannot give if its times are as it shows them: with
    /// the time behind which it was asked to begin, but not behind its identifier.
    ///
    /// Then it keeps finer times than it shows, and finds rows to be later than their own texts.
    /// Such rows come again and again and would do so forever, while nothing is passed by. A server
    /// that sorts identifiers in another way is taken for one of those, too, which is only slower.
    private func isRepeated(_ timed: [(row: TableRow, time: RowTime)]) -> Bool {
        func isBefore(_ place: (row: TableRow, time: RowTime), _ time: RowTime, _ id: String)
            -> Bool
        {
            guard !(place.time < time), !(time < place.time), let other = place.row.id else {
                return false
            }
            return other.lowercased() <= id.lowercased()
        }
        switch asked {
        case .after(let time, let id):
            return timed.contains { isBefore($0, time, id) }
        case .at(let time, let id):
            let isFirst = timed.first?.row.id == id
            return timed.dropFirst(isFirst ? 1 : 0).contains { isBefore($0, time, id) }
        default: return false
        }
    }

    /// Goes on where shown times are only the beginnings of units of time.
    ///
    /// A unit that a page has not wholly inside it is read from its beginning by the next; one that
    /// fills a page is drained by identifiers. How long a unit is, the digits of the time itself
    /// tell: a longer one than needed only takes in more rows, and one that turns out too short
    /// becomes longer.
    private func advance(
        _ next: inout TablePosition, among times: [RowTime], digits: Int, _ page: TablePage
    ) throws(ReplicationError) {
        if !isFirst, case .from(let bound) = asked {
            for time in times {
                let width = min(digits, time.digits)
                guard time.floored(digits: width).advanced(digits: width) <= bound else { continue }
                guard width > 0 else {
                    throw ReplicationError(
                        .protocolViolation,
                        "The server sent items that are older than what it was asked for; check "
                            + "that its table can be filtered by time.")
                }
                next.digits = width - 1
                drain(&next, time.floored(digits: width - 1), digits: width - 1, after: nil, page)
                return
            }
        }
        if isGoingBack(&next, page) { return }
        let width = min(digits, next.last.time.digits)
        let start = next.last.time.floored(digits: width)
        if page.isLast {
            // Without a window the unit may get more rows; with one, finality minds them.
            next.cursor = .from(window > 0 ? start.advanced(digits: width) : start)
        } else if let first = times.first, first < start {
            next.cursor = .from(start)
        } else {
            drain(&next, start, digits: width, after: nil, page)
        }
    }

    /// Goes on within a unit of time, by identifiers.
    ///
    /// Rows may still come into a unit that is not over, behind identifiers that were read. It is
    /// over when a row behind it was seen before, or when the server's clock has passed it; where
    /// times do not follow commits, the safety window minds what comes late.
    private func drain(
        _ next: inout TablePosition, _ start: RowTime, digits: Int, after id: String?,
        _ page: TablePage
    ) {
        next.cursor = .bucket(start, digits: digits, after: id)
        let end = start.advanced(digits: digits)
        let isPassed = page.clocks.map { window > 0 || end.date <= $0.server } ?? false
        if !isPassed && !(before.map { $0.last.time >= end } ?? false) {
            next.unsure = TablePosition.Unit(start: start, digits: digits)
        }
    }

    /// Whether a unit of time is to be drained once more, because rows have come behind it that
    /// were not there before.
    ///
    /// Behind the last page, the next pull does it.
    private func isGoingBack(_ next: inout TablePosition, _ page: TablePage) -> Bool {
        guard !isFirst, let unit = before?.unsure else { return false }
        if page.isLast {
            next.unsure = unit
            return false
        }
        next.unsure = nil
        next.cursor = .bucket(unit.start, digits: unit.digits, after: nil)
        return true
    }

    private static func checkOrder(_ times: [RowTime]) throws(ReplicationError) {
        for (earlier, later) in zip(times, times.dropFirst()) where later < earlier {
            throw ReplicationError(
                .protocolViolation,
                "The server did not sort its items by time as it was asked to, so that a pull "
                    + "could pass by some.")
        }
    }
}
