import Settle
import SettleSync

extension AzureTablesBackend {
    /// What a token within a pull of counted rows begins with.
    private static let selectionLayout = "q1|"

    /// Fetches the next rows of a query whose rows are counted off.
    ///
    /// Goes on by the number of rows that came, as the official clients do. When rows come or go
    /// while they are read, some may be passed by or come twice.
    func selectedPage(
        _ selection: TableQuery, _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage {
        let read = try Self.readCount(token)
        let remaining = selection.limit.map { $0 - read }
        if let remaining, remaining <= 0 { return PullPage(items: [], token: token, isLast: true) }
        let (skipCount, overflow) = selection.offset.addingReportingOverflow(read)
        guard !overflow else { return PullPage(items: [], token: token, isLast: true) }
        var request = TablePageRequest(
            query: query, cursor: .beginning,
            rowCountMax: min(itemCountMax, remaining ?? itemCountMax))
        request.selection = (selection, skipCount)
        let page = try await page(request, hint: nil)
        let items = page.rows.map { page.item(listed: $0) }
        let isLast = page.isLast || remaining.map { page.rows.count >= $0 } ?? false
        return PullPage(
            items: items, token: PullToken("\(Self.selectionLayout)\(read + page.rows.count)"),
            isLast: isLast)
    }

    private static func readCount(_ token: PullToken?) throws(ReplicationError) -> Int {
        guard let token else { return 0 }
        guard token.text.hasPrefix(selectionLayout),
            let count = Int(token.text.dropFirst(selectionLayout.count)), count >= 0
        else {
            throw ReplicationError(
                .protocolViolation, "A query was asked to go on at a place where none ended.")
        }
        return count
    }
}
