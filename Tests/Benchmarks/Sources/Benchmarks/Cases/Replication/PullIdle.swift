import Foundation
import Settle
import SettleREST
import SettleSync

/// What a pull costs when there is nothing new: requests, and bytes on the wire.
enum PullIdle: BenchmarkCase {
    static let name = "pull-idle"
    static let summary = "a pull with nothing new: requests, and bytes each way"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let texts = Array(bench.documents.texts.prefix(bench.size.pullCounts.small))
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory) { server in
                try await ReplicationSetUp.fill(
                    server.table("idle"), texts,
                    in: folder.appendingPathComponent("source", isDirectory: true))
                let peer = try await SettlePeer(
                    in: folder.appendingPathComponent("copy", isDirectory: true))
                let wire = try ByteRelay(to: server.port)
                let transport = RecordingTransport()
                // No window: everything was committed before the first pull begins.
                var configuration = ReplicationSetUp.pull(
                    try server.table("idle", port: wire.port))
                configuration.options = [
                    AzureTablesBackend.OptionName.transport: transport,
                    AzureTablesBackend.OptionName.safetyWindowSeconds: 0,
                ]
                try await peer.database.replicate(with: configuration)
                try BenchmarkError.check(
                    peer.database.totalDocumentCount, is: texts.count, "The documents pulled")
                let (before, sent, received) = (transport.all.count, wire.sent, wire.received)
                let summary = try await peer.database.replicate(with: configuration)
                try BenchmarkError.check(summary.pulled, is: 0, "The documents pulled again")
                let figures = [
                    ("requests", Double(transport.all.count - before), 1.0),
                    ("sent", Double(wire.sent - sent), 1_024),
                    ("received", Double(wire.received - received), 1_024),
                ]
                await peer.close()
                wire.close()
                return figures.map { label, value, bound in
                    Comparison(
                        name, peer: "self-\(label)", unit: label == "requests" ? "" : "bytes",
                        isHigherBetter: false, target: .atMost(1),
                        settle: [Outcome(value: value)], peer: [Outcome(value: bound)],
                        remark: "\(texts.count) rows in the table; beside what is allowed")
                }
            }
        }
    }
}
