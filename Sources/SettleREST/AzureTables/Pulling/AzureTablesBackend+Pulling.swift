import Foundation
import Settle
public import SettleSync

extension AzureTablesBackend {
    /// Fetches the items changed after a token.
    ///
    /// Pages go by time and identifier, and the first of a pull begins where nothing can have come
    /// in late; see ``init(url:tokenProvider:transport:filter:dialect:paging:safetyWindow:carriesAttachments:)``. A
    /// pull with nothing new is one request.
    ///
    /// Whether the table is still the one that the token was made in, or was made anew or restored
    /// from a backup, is told by the last row that was read. A small one (512 bytes of JSON) is
    /// asked for again with every pull, and makes up the whole response when there is nothing new.
    /// When it is not where it was, or is large and an hour has gone by, one more request asks for
    /// it alone. If it is gone, or older than it was, the pull begins at the beginning. So a large
    /// row costs nothing, and a table made anew is noticed at once or within the hour.
    ///
    /// > Source: Azure Mobile Apps clients page by `updatedAt ge` and `$skip`, which passes by rows
    /// > when one that was read changes meanwhile.
    public func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        if let selection, selection.isSelection {
            return try await selectedPage(
                selection, query, after: token, itemCountMax: itemCountMax)
        }
        let position = token.flatMap { TablePosition($0) }
        if isFirstPage {
            return try await firstPage(of: query, position, itemCountMax: itemCountMax)
        }
        let asked = position?.cursor ?? beginning
        let page = try await page(
            TablePageRequest(query: query, cursor: asked, rowCountMax: itemCountMax),
            hint: position?.dialect)
        let step = PullStep(
            asked: asked, before: position, isFirst: false, window: window(of: page))
        return try result(page, step)
    }

    /// Where a table begins.
    private var beginning: PullCursor { paging == .skip ? .skippingNothing : .beginning }

    private func firstPage(
        of query: PullQuery, _ position: TablePosition?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage {
        func request(_ cursor: PullCursor) -> TablePageRequest {
            TablePageRequest(
                query: query, cursor: cursor, rowCountMax: itemCountMax, isCounted: true)
        }
        guard let position else {
            let page = try await page(request(beginning), hint: nil)
            return try result(
                page,
                PullStep(
                    asked: beginning, before: nil, isFirst: true, window: window(of: page)))
        }
        var asked = position.beginning(paging)
        var page = try await page(request(asked), hint: position.dialect)
        if let earlier = earliestMissed(page, position), asked.time.map({ earlier < $0 }) ?? false {
            asked = .from(earlier)
            page = try await self.page(request(asked), hint: position.dialect)
        }
        var before = position
        switch try await finding(of: page, asked, position) {
        case .inPlace: break
        case .notAsked: break
        case .elsewhere:
            before.last.mark = .moved
            before.clocks = page.clocks
        case .sameAsEver: before.clocks = page.clocks
        case .gone:
            let all = try await self.page(request(beginning), hint: position.dialect)
            return try result(
                all,
                PullStep(asked: beginning, before: nil, isFirst: true, window: window(of: all)))
        }
        return try result(
            page, PullStep(asked: asked, before: before, isFirst: true, window: window(of: page)))
    }

    /// Makes of a page what the replicator wants to know.
    private func result(
        _ page: TablePage, _ step: PullStep
    ) throws(ReplicationError) -> PullPage {
        // An old token stands for the same position as a new one that says the same.
        let rows =
            step.isFirst && step.before != nil
            ? page.rows.filter { step.before?.isUnchanged($0) != true } : page.rows
        let next = try step.position(after: page)
        let isLast: Bool
        switch step.asked {
        case .bucket: isLast = false
        // The official clients, too, believe only an empty page.
        case .skip: isLast = page.rows.isEmpty
        default: isLast = page.isLast
        }
        let known = page.rows.count - rows.count
        return PullPage(
            itemCount: rows.count, token: next?.token, isLast: isLast,
            itemCountRemaining: step.isFirst && !rows.isEmpty
                ? page.count.map { $0 - known } : nil
        ) { rows.map { page.item(listed: $0) } }
    }

    /// How long before a page was made its rows are final, in seconds.
    func window(of page: TablePage) -> Double {
        givenWindow ?? (page.timesFollowCommits ? 0 : RESTTuning.safetyWindowSecondsDefault)
    }
}
