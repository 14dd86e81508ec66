import Foundation
import Settle
import SettleSync

/// What became of the last row that was read, as the first page of the next pull tells.
enum LastRowFinding: Sendable, Hashable {
    /// It is on the page.
    case inPlace
    /// There was no reason to ask.
    case notAsked
    /// The table has it as it was.
    case sameAsEver
    /// The table has it with a later time, or outside the query.
    case elsewhere
    /// The table does not have it, or an older state of it: it is another table.
    case gone
}

extension AzureTablesBackend {
    /// Finds out whether the table is still the one that a position was reached in.
    func finding(
        of page: TablePage, _ asked: PullCursor, _ position: TablePosition
    ) async throws(ReplicationError) -> LastRowFinding {
        let last = position.last
        if page.rows.contains(where: { $0.id == last.id }) {
            return .inPlace
        }
        let isExpected: Bool
        switch asked {
        case .at: isExpected = true
        case .from(let time), .skip(let time, _):
            // It may also be on a later page.
            isExpected = time <= last.time && (page.isLast || paging == .skip)
        case .beginning, .after, .bucket: isExpected = false
        }
        guard isExpected && last.mark != .moved || isCheckDue(page, position) else {
            return .notAsked
        }
        guard let row = try await lookUp(last.id, page.dialect).row else { return .gone }
        guard let time = row.time(page.dialect.columns) else { return .elsewhere }
        if time < last.time { return .gone }
        return last.time < time || isExpected ? .elsewhere : .sameAsEver
    }

    /// Whether the last row has not been looked at for so long that it is time to.
    private func isCheckDue(_ page: TablePage, _ position: TablePosition) -> Bool {
        guard let then = position.clocks, let now = page.clocks else { return false }
        return abs(now.local.timeIntervalSince(then.local)) >= RESTTuning.checkIntervalSeconds
    }

    /// The time from which rows may have come in unseen because the server's clock went back; nil
    /// when it did not, or the server's times go on all the same.
    ///
    /// They were written after the position's clocks were read, less the step, less the window.
    func earliestMissed(_ page: TablePage, _ position: TablePosition) -> RowTime? {
        guard paging == .keyset, !page.timesFollowCommits, let then = position.clocks,
            let now = page.clocks
        else { return nil }
        let window = window(of: page)
        // Both `Date`s are cut to the second, and the response was some time on its way. A step of
        // less than half the window is inside what is read again anyway.
        let tolerance = window / 2 + 2 + page.duration
        guard let step = then.stepBack(until: now, tolerance: tolerance) else { return nil }
        return RowTime(then.server.addingTimeInterval(-step - window))
    }
}
