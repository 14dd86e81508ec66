import Foundation

/// Many clients that read pages, insert and update at once: no error, no lost write, and how long the
/// slow answers take beside the middle one.
enum ServeLoad: BenchmarkCase {
    static let name = "serve-load"
    static let summary = "48 clients: half pages, a quarter inserts, a quarter updates"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let texts = bench.documents.texts
        let items = texts.prefix(bench.size.servedCounts.mixed / 4 + 1).map(Requests.item)
        let identifiers = bench.documents.identifiers
        let count = min(bench.size.servedCounts.mixed, texts.count)
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory) { server in
                // What is updated is there before.
                let seeded = Array(texts.suffix(64))
                let seededIds = Array(identifiers.suffix(64))
                try await ReplicationSetUp.fill(
                    server.table("mixed"), seeded,
                    in: folder.appendingPathComponent("source", isDirectory: true))
                let load = HTTPLoad(port: server.port, connectionCount: 48)
                let result = try await load.run(count, expecting: [200, 201]) { number in
                    switch number % 4 {
                    case 0: Requests.send("POST", "/tables/mixed", items[number / 4])
                    case 1:
                        Requests.send(
                            "PATCH", "/tables/mixed/\(seededIds[number / 4 % 64])",
                            Array("{\"step\":\(number)}".utf8))
                    default: Requests.page(of: "mixed", after: "1970-01-01T00:00:00.000Z")
                    }
                }
                let client = TableClient(server: server, table: "mixed")
                let inserted = (0..<count).count { $0 % 4 == 0 }
                try BenchmarkError.check(
                    try await client.count(), is: inserted + 64, "The items after the load")
                let middle = Outcome(value: result.latency(at: 0.5) * 1e3)
                return [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)].map {
                    label, share in
                    Comparison(
                        name, peer: "self-\(label)", unit: "ms", isHigherBetter: false,
                        settle: [Outcome(value: result.latency(at: share) * 1e3)],
                        peer: [middle],
                        remark: "\(count) requests, all answered, every write there; beside the "
                            + "middle answer")
                }
            }
        }
    }
}
