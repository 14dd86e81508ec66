import Foundation
import Settle
import SettleOData
import SettleSync
import SettleTableProtocol

/// A page to be asked for.
struct TablePageRequest: Sendable {
    let query: PullQuery
    let cursor: PullCursor
    let rowCountMax: Int
    /// Whether it is worth asking how many rows there are.
    var isCounted = false
    /// Whether deleted rows are wanted, too.
    var includesDeleted = true
    /// Only rows behind this identifier, by which they are sorted then.
    var listedAfter: String?
    var isList = false
    /// Sorts the rows in the place of the cursor, and how many of them to pass by.
    var selection: (query: TableQuery, skipCount: Int)?
}

extension AzureTablesBackend {
    /// Asks for a page; for a smaller one when the response is too large, or when the server refuses
    /// pages of that size.
    func page(
        _ request: TablePageRequest, hint: Dialect?
    ) async throws(ReplicationError) -> TablePage {
        let wanted = min(max(1, request.rowCountMax), RESTTuning.pageSizeMax)
        var countMax = min(wanted, memory.rowCountMax ?? wanted)
        var isSizeRefused = false
        while true {
            let asked = countMax
            do throws(ReplicationError) {
                let start = now()
                let (dialect, response) = try await rows(request, asked, hint: hint)
                let end = now()
                if response.status == 400, asked > 1, !response.isAboutVersion {
                    let smaller =
                        isSizeRefused
                        ? asked / 2
                        : try await sizeTaken(request, below: asked, after: response, hint: hint)
                    guard let smaller else { throw response.failure("list the table") }
                    (countMax, isSizeRefused) = (smaller, true)
                    continue
                }
                guard response.status == 200 else { throw response.failure("list the table") }
                if isSizeRefused { memory.keepRowCountMax(asked) }
                return try TablePage(
                    response, dialect: dialect, rowCountMax: asked,
                    clocks: response.serverTime.map { ServerClocks(server: $0, local: end) },
                    duration: max(0, end.timeIntervalSince(start)))
            } catch {
                guard error.code == .responseTooLarge, countMax > 1 else { throw error }
                countMax = max(1, countMax / 4)
            }
        }
    }

    private func rows(
        _ request: TablePageRequest, _ rowCountMax: Int, hint: Dialect?
    ) async throws(ReplicationError) -> (Dialect, FullHTTPResponse) {
        try await get(hint: hint) { (dialect) throws(ReplicationError) in
            try parameters(request, dialect, rowCountMax: rowCountMax)
        }
    }

    /// What to try after a page was refused: the size that the server names, or half of what it refused;
    /// nil when it refuses a page of one row as well, so that it is not the size.
    private func sizeTaken(
        _ request: TablePageRequest, below refused: Int, after response: FullHTTPResponse,
        hint: Dialect?
    ) async throws(ReplicationError) -> Int? {
        func isTaken(_ rowCountMax: Int) async throws(ReplicationError) -> Bool {
            let response = try await rows(request, rowCountMax, hint: hint).1
            // Any other response says nothing about sizes.
            guard response.status == 200 || response.status == 400 else {
                throw response.failure("list the table")
            }
            return response.status == 200
        }
        if let named = response.numbers.filter({ $0 < refused }).max(), try await isTaken(named) {
            return named
        }
        return try await isTaken(1) ? refused / 2 : nil
    }

    /// What a query asks for beside a place to go on from: the predicate and the channels.
    func conditions(of query: PullQuery) -> [ODataNode] {
        var conditions: [ODataNode] = []
        if let predicate { conditions.append(predicate.node) }
        if !query.channels.isEmpty {
            conditions.append(
                ODataFilter.containsAny(column: "channels", query.channels.sorted()))
        }
        return conditions
    }

    private func parameters(
        _ request: TablePageRequest, _ dialect: Dialect, rowCountMax: Int
    ) throws(ReplicationError) -> [QueryParameter] {
        let cursor = request.cursor
        var conditions = conditions(of: request.query)
        if let condition = cursor.filter(dialect.columns) { conditions.append(condition) }
        if let id = request.listedAfter {
            conditions.append(ODataFilter.text(column: TableColumns.id, .greater, id))
        }
        var parameters: [QueryParameter] = []
        if !conditions.isEmpty {
            let filter = try ODataNode.conjunction(conditions).text(
                for: dialect.odata, levelsAround: ODataFilter.levelsMax)
            parameters.append(QueryParameter(.filter, filter))
        }
        let order =
            try request.selection?.query.orderText(for: dialect.odata)
            ?? (request.isList ? TableColumns.id : cursor.order(dialect.columns))
        parameters.append(QueryParameter(.orderBy, order))
        let skipCount = request.selection.map { $0.skipCount > 0 ? $0.skipCount : nil }
        if let skip = skipCount ?? cursor.skipCount {
            parameters.append(QueryParameter(.skip, "\(skip)"))
        }
        parameters.append(QueryParameter(.top, "\(rowCountMax)"))
        if isCounted(request) { parameters.append(dialect.askingForCount) }
        if request.includesDeleted { parameters.append(dialect.askingForDeleted) }
        return parameters + givenParameters
    }

    private func isCounted(_ request: TablePageRequest) -> Bool {
        switch request.cursor {
        // The official clients never ask.
        case .skip: false
        // Counting one unit of time is cheap, and saves asking for nothing at its end.
        case .bucket: true
        default: request.isCounted
        }
    }
}
