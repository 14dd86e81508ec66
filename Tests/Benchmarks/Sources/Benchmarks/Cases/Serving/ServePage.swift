import Foundation

/// Pages of 50 rows read from a server by many clients, beside the server's framework alone with the
/// same bytes.
enum ServePage: BenchmarkCase {
    static let name = "serve-page"
    static let summary = "pages of 50 rows, 16 clients"

    /// Pages of 50 a second if CouchDB 3.5 gave them as fast as the rows of one long `_changes` with
    /// documents, 22,000 a second, and a request cost nothing.
    private static let couchRate = 22_000.0 / 50

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let texts = Array(bench.documents.texts.prefix(bench.size.pullCounts.small))
        let count = bench.size.servedCounts.pages
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory) { server in
                try await ReplicationSetUp.fill(
                    server.table("rows"), texts,
                    in: folder.appendingPathComponent("source", isDirectory: true))
                let client = TableClient(server: server, table: "rows")
                let requests = try await client.times().map {
                    Requests.page(of: "rows", after: $0)
                }
                let page = try await client.list(
                    Requests.pageQuery(after: "1970-01-01T00:00:00.000Z"))
                let body = folder.appendingPathComponent("page.json")
                try JSONSerialization.data(withJSONObject: page).write(to: body)
                func load(_ port: Int) async throws -> Outcome {
                    let result = try await HTTPLoad(port: port, connectionCount: 16).run(
                        count, expecting: [200]
                    ) { requests[$0 % requests.count] }
                    return Outcome(value: Double(count) / result.seconds)
                }
                return try await ServingContest(
                    name: name, unit: "pages/s",
                    couch: (
                        5, couchRate,
                        "CouchDB 3.5.0's rows of one long _changes, on another machine"
                    ),
                    bare: (
                        body, 200, 0.2, "a bare Hummingbird route that answers with the same bytes"
                    )
                ).comparisons(repetitions: bench.size.repetitions) {
                    try await load(server.port)
                } load: {
                    try await load($0)
                }
            }
        }
    }
}
