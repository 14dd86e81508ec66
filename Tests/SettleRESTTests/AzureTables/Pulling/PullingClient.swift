import Foundation
import SettleREST
import SettleSync
import Testing

/// A client that keeps what pulls bring, and the token.
struct PullingClient {
    let backend: AzureTablesBackend
    /// Shown when a pull has no end.
    let name: String
    var token: PullToken?
    /// The version of each row that came, and of no other.
    var versions: [String: String] = [:]
    /// The items of the last pull, in the order in which they came.
    var came: [String] = []

    init(
        _ table: NaiveTable, dialect: AzureTablesBackend.Dialect? = nil,
        paging: AzureTablesBackend.Paging = .keyset, safetyWindow: Duration = .seconds(10),
        name: String = ""
    ) throws {
        self.name = name
        var backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")), transport: table,
            dialect: dialect ?? (table.manner.isNew ? .v3 : .v2), paging: paging,
            safetyWindow: safetyWindow)
        backend.now = { table.date }
        self.backend = backend
    }

    /// Pulls to the end, or until the app dies after some pages.
    mutating func pull(pageSize: Int = 50, pageCountMax: Int = .max) async throws {
        came = []
        var isFirst = true
        var pageCount = 0
        while pageCount < pageCountMax {
            let page = try await backend.pull(
                PullQuery(), after: token, itemCountMax: pageSize, isFirstPage: isFirst)
            pageCount += 1
            if !isFirst && !page.isLast {
                try #require(
                    page.token != nil && page.token != token, "\(name): the pull stands still.")
            }
            for item in page.items {
                versions[item.id] = item.version
                came.append(item.id)
            }
            token = page.token ?? token
            isFirst = false
            if page.isLast { return }
            try #require(pageCount < 2_000, "\(name): the pull has no end.")
        }
    }
}
