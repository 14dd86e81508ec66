import Foundation
import HTTPTypes
import Settle
import SettleCosmos
import SettleREST

/// Gets that the service answers, beside bare requests of the same bytes by the same transport.
enum CosmosGetOnline: BenchmarkCase {
    static let name = "cosmos-get-online"
    static let summary = "a get that the service answers"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents.prefix(1)
        let (id, type) = (documents.identifiers[0], documents.facts[0].place.type)
        let count = bench.size.servedCounts.pages
        return try await bench.scratch.withFolder { folder in
            let file = folder.appendingPathComponent("document.json")
            let text = try CosmosStub.document(documents.texts[0]).jsonText
            try Data(text.utf8).write(to: file)
            var contest: Contest?
            try await RunningServer.withBare(answering: file) { server in
                let transport = URLSessionTransport()
                let peer = try await CosmosPeer(
                    in: folder, transport: transport, port: server.port)
                let request = HTTPRequest(
                    method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)",
                    path: "/dbs/crm/colls/orders/docs/\(id)",
                    headerFields: [.accept: "application/json"])
                contest = try await Contest(
                    [
                        Contender(name: "settle") {
                            try await Stopwatch.rate(of: count) {
                                for _ in 0..<count {
                                    try BenchmarkError.check(
                                        try await peer.get(id, type).id, is: id,
                                        "The document that was got")
                                }
                            }
                        },
                        Contender(name: "limit") {
                            try await Stopwatch.rate(of: count) {
                                for _ in 0..<count {
                                    let response = try await transport.send(
                                        request, body: nil, bodySizeMax: 1 << 20)
                                    try BenchmarkError.check(
                                        response.body.count, is: text.utf8.count,
                                        "The bytes that were got")
                                }
                            }
                        },
                    ], repetitions: bench.size.repetitions)
                peer.client.reset()
            }
            guard let contest else { throw BenchmarkError("Nothing was measured.") }
            return [
                Comparison(
                    name, peer: "limit", unit: "gets/s", target: .atLeast(0.7),
                    settle: contest["settle"], peer: contest["limit"],
                    remark:
                        "bare requests by the same URLSession; what is got is in the cache already")
            ]
        }
    }
}
