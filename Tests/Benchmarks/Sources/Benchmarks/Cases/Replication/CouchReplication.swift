import Foundation
import Settle
import SettleREST
import SettleSync

/// Documents replicated in CouchDB's protocol with the server of this package, beside the pull of a table with the
/// same documents in the same run.
enum CouchReplication {
    private static let couch = "couch"
    private static let table = "table"

    /// Compares a replication with the pull of a table.
    ///
    /// - Parameters:
    ///   - name: The case.
    ///   - bench: What is replicated, and how often.
    ///   - replicate: Replicates with a server of CouchDB's protocol, and says how many documents a second.
    /// - Returns: The comparison.
    /// - Throws: ``BenchmarkError`` when documents are missing; what a server or a database throws.
    static func compare(
        _ name: String, _ bench: Bench,
        _ replicate: @escaping (_ server: RunningServer, _ texts: [[UInt8]]) async throws -> Outcome
    ) async throws -> [Comparison] {
        let texts = Array(bench.documents.texts.prefix(bench.size.pullCounts.large))
        return try await bench.scratch.withFolder { folder in
            let tables = folder.appendingPathComponent("tables", isDirectory: true)
            return try await RunningServer.with(directory: tables) { tableServer in
                let url = try tableServer.table("same")
                try await ReplicationSetUp.fill(
                    url, texts, in: folder.appendingPathComponent("source", isDirectory: true))
                let databases = folder.appendingPathComponent("databases", isDirectory: true)
                return try await RunningServer.withCouch(directory: databases) { server in
                    let contest = try await Contest(
                        [
                            Contender(name: couch) { try await replicate(server, texts) },
                            Contender(name: table) { try await pull(url, texts, bench) },
                        ], repetitions: bench.size.importRepetitions)
                    return [
                        Comparison(
                            name, peer: "self-table", unit: "docs/s", target: .atLeast(0.6),
                            settle: contest[couch], peer: contest[table],
                            remark: "\(texts.count) documents; a table with the same ones pulled")
                    ]
                }
            }
        }
    }

    /// Pulls everything into a new database, in a process of its own.
    static func pull(_ url: URL, _ texts: [[UInt8]], _ bench: Bench) async throws -> Outcome {
        let report = try await bench.scratch.withFolder { folder in
            try PullProcess.run(url, folder: folder)
        }
        try BenchmarkError.check(report.sums.count, is: texts.count, "The documents pulled")
        return Outcome(value: Double(texts.count) / report.seconds)
    }

    /// Pushes documents into a new database of a server.
    static func push(
        _ url: URL, _ texts: [[UInt8]], in folder: URL
    ) async throws -> Outcome {
        let peer = try await SettlePeer(in: folder)
        try await peer.insert(texts, batch: 1_000)
        var configuration = ReplicationSetUp.push(url, requests: 8)
        configuration.pageSize = ReplicationSetUp.pageSize
        configuration.direction = .clientToServer
        configuration.options[CouchBackend.OptionName.createsDatabase] = true
        let outcome = try await Stopwatch.rate(of: texts.count) { [configuration] in
            let summary = try await peer.database.replicate(with: configuration)
            try BenchmarkError.check(summary.pushed, is: texts.count, "The documents pushed")
        }
        await peer.close()
        return outcome
    }
}

/// A database of CouchDB's protocol pulled into a new one.
enum CouchPull: BenchmarkCase {
    static let name = "couch-pull-100k"
    static let summary = "a database pulled in CouchDB's protocol, beside a table"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        var isFilled = false
        return try await CouchReplication.compare(name, bench) { server, texts in
            let url = try server.database("pulled")
            if !isFilled {
                _ = try await bench.scratch.withFolder {
                    try await CouchReplication.push(url, texts, in: $0)
                }
                isFilled = true
            }
            return try await CouchReplication.pull(url, texts, bench)
        }
    }
}

/// A database pushed to a new one of CouchDB's protocol.
enum CouchPush: BenchmarkCase {
    static let name = "couch-push-100k"
    static let summary = "a database pushed in CouchDB's protocol, beside a table pulled"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        var number = 0
        return try await CouchReplication.compare(name, bench) { server, texts in
            number += 1
            let url = try server.database("pushed\(number)")
            return try await bench.scratch.withFolder {
                try await CouchReplication.push(url, texts, in: $0)
            }
        }
    }
}
