import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A table pulled into a new database, beside a bare client that fetches the same pages and throws
/// them away plus a bulk insert of the same documents; and the memory of ten times the rows.
enum PullAll: BenchmarkCase {
    static let name = "pull-100k"
    static let summary = "a table pulled, beside its bare pages and a bulk insert"

    private static let bare = "bare"
    private static let small = "small"
    /// Documents a second that CouchDB 3.5 replicated from one local database to another by HTTP.
    private static let couchRate = 3_570.0

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let counts = bench.size.pullCounts
        let texts = Array(bench.documents.texts.prefix(counts.large))
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory) { server in
                let (large, few) = (try server.table("large"), try server.table("few"))
                for (name, url, texts) in [
                    ("large", large, texts), ("few", few, Array(texts.prefix(counts.small))),
                ] {
                    let source = folder.appendingPathComponent(name, isDirectory: true)
                    try await ReplicationSetUp.fill(url, texts, in: source)
                }
                return try await compare(bench, texts, large, few)
            }
        }
    }

    private static func compare(
        _ bench: Bench, _ texts: [[UInt8]], _ large: URL, _ few: URL
    ) async throws -> [Comparison] {
        let pages = try await pages(of: large, bench)
        var peaks: [String: [Outcome]] = [:]
        var processor: [String: [Outcome]] = [:]
        func pull(_ url: URL, _ name: String, count: Int) async throws -> Outcome {
            let report = try await bench.scratch.withFolder { folder in
                try PullProcess.run(url, folder: folder)
            }
            try BenchmarkError.check(report.sums.count, is: count, "The documents pulled")
            peaks[name, default: []].append(Outcome(value: Double(report.peak.anonymous)))
            processor[name, default: []].append(
                Outcome(value: report.processor * 1_000_000 / Double(count)))
            return Outcome(value: Double(count) / report.seconds)
        }
        let fewCount = bench.size.pullCounts.small
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try await pull(large, SettlePeer.name, count: texts.count)
                },
                Contender(name: bare) {
                    let used = ProcessorTime.seconds
                    let outcome = try await bare(pages, texts, bench)
                    processor[bare, default: []].append(
                        Outcome(
                            value: (ProcessorTime.seconds - used) * 1_000_000 / Double(texts.count))
                    )
                    return outcome
                },
                Contender(name: small) { try await pull(few, small, count: fewCount) },
            ], repetitions: bench.size.importRepetitions)
        let settle = contest[SettlePeer.name]
        return [
            Comparison(
                name, peer: "self-bare", unit: "docs/s", target: .atLeast(0.5), settle: settle,
                peer: contest[bare],
                remark: "\(texts.count) rows; the same \(pages.count) pages fetched and thrown "
                    + "away, plus a bulk insert"),
            Comparison(
                name, peer: "self-couchdb", unit: "docs/s", target: .atLeast(5), settle: settle,
                peer: settle.map { _ in Outcome(value: couchRate) },
                remark: "CouchDB 3.5.0 from local HTTP to local HTTP, on another machine"),
            Comparison(
                name, peer: "self-processor", unit: "µs/doc", isHigherBetter: false,
                settle: processor[SettlePeer.name] ?? [], peer: processor[bare] ?? [],
                remark:
                    "of processor, all threads of the client; the bare pages and the bulk insert"),
            Comparison(
                name, peer: "self-memory", unit: "bytes", isHigherBetter: false,
                target: .atMost(1.25), settle: peaks[SettlePeer.name] ?? [],
                peer: peaks[small] ?? [],
                remark: "\(texts.count) rows beside \(fewCount)"),
        ]
    }

    /// What a pull asks for.
    private static func pages(of url: URL, _ bench: Bench) async throws -> [URLRequest] {
        let transport = RecordingTransport()
        try await bench.scratch.withFolder { folder in
            let peer = try await SettlePeer(in: folder, durability: .relaxed)
            var configuration = ReplicationSetUp.pull(url)
            configuration.options[AzureTablesBackend.OptionName.transport] = transport
            try await peer.database.replicate(with: configuration)
            await peer.close()
        }
        return try transport.all.map { request in
            guard let path = request.path, let url = URL(string: path, relativeTo: url) else {
                throw BenchmarkError("A request has no address.")
            }
            var bare = URLRequest(url: url.absoluteURL)
            for field in request.headerFields {
                bare.setValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            return bare
        }
    }

    private static func bare(
        _ pages: [URLRequest], _ texts: [[UInt8]], _ bench: Bench
    ) async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let peer = try await SettlePeer(in: folder)
            let session = URLSession(configuration: .ephemeral)
            let outcome = try await Stopwatch.rate(of: texts.count) {
                for page in pages {
                    let (_, response) = try await session.data(for: page)
                    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
                        throw BenchmarkError("A page was not answered.")
                    }
                }
                try await peer.insert(texts, batch: 10_000)
            }
            session.invalidateAndCancel()
            await peer.close()
            return outcome
        }
    }
}
