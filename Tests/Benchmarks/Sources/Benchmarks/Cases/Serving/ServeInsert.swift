import Foundation

/// Items inserted one at a time by 32 clients, beside the server's framework alone, which stores
/// nothing.
enum ServeInsert: BenchmarkCase {
    static let name = "serve-insert-32"
    static let summary = "items inserted one at a time, 32 clients"

    /// Documents a second that CouchDB 3.5 took at best from 8 clients, one each request.
    private static let couchRate = 908.0

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await compare(bench, isRelaxed: false) + compare(bench, isRelaxed: true)
    }

    private static func compare(_ bench: Bench, isRelaxed: Bool) async throws -> [Comparison] {
        let texts = bench.documents.texts.prefix(bench.size.servedCounts.inserts)
            .map(Requests.item)
        let count = texts.count
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            let body = folder.appendingPathComponent("item.json")
            try Data(texts[0]).write(to: body)
            return try await RunningServer.with(
                directory: directory, isRelaxed: isRelaxed
            ) { server in
                var tableNumber = 0
                func load(_ port: Int, _ table: String) async throws -> Outcome {
                    let result = try await HTTPLoad(port: port, connectionCount: 32).run(
                        count, expecting: [201]
                    ) { Requests.send("POST", "/tables/\(table)", texts[$0]) }
                    return Outcome(value: Double(count) / result.seconds)
                }
                return try await contest(answering: body, isRelaxed: isRelaxed).comparisons(
                    repetitions: bench.size.repetitions
                ) {
                    tableNumber += 1
                    let table = "inserted\(tableNumber)"
                    let outcome = try await load(server.port, table)
                    let client = TableClient(server: server, table: table)
                    try BenchmarkError.check(
                        try await client.count(), is: count, "The items inserted")
                    return outcome
                } load: { port in
                    try await load(port, "bare")
                }
            }
        }
    }

    /// Beside CouchDB durable alone: so it was measured.
    private static func contest(answering body: URL, isRelaxed: Bool) -> ServingContest {
        ServingContest(
            name: name, unit: "items/s",
            couch: isRelaxed
                ? nil
                : (3, couchRate, "CouchDB 3.5.0 at its best, with 8 clients, on another machine"),
            bare: (
                body, 201, isRelaxed ? 0.4 : nil,
                "a bare Hummingbird route that answers with an item"
                    + (isRelaxed ? "; relaxed" : "")
            ), label: isRelaxed ? "-relaxed" : "")
    }
}
