import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `A check of what the replicator keeps` {
    /// A device with bases of both places, pending changes, and a checkpoint.
    private func filledDevice() async throws -> Device {
        let device = try await Device()
        let server = ModelServer()
        for number in 0..<5 { server.put("d\(number)", ["n": .integer(Int64(number))]) }
        try await device.replicate(server)
        try await device.put("d1", ["n": 100])
        try await device.put("own", ["n": 1])
        #expect(try await device.database.check() == [])
        return device
    }

    /// What is done to a row, and what the check says of it.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let problem: String
        let apply: @Sendable (Transaction) throws -> Void

        private static func garbage(_ name: String, _ problem: String) -> Damage {
            Damage(testDescription: "garbage in \(name)", problem: problem) { transaction in
                let table = try transaction.sideTable(named: name)
                try table.set([0xEE, 9], for: #require(try table.firstKey()))
            }
        }

        private static func lost(_ name: String, _ problem: String) -> Damage {
            Damage(testDescription: "a lost row of \(name)", problem: problem) { transaction in
                let table = try transaction.sideTable(named: name)
                try table.remove(#require(try table.firstKey()))
            }
        }

        private static func stray(_ name: String, _ key: [UInt8], _ problem: String) -> Damage {
            Damage(testDescription: "a stray row of \(name)", problem: problem) { transaction in
                try transaction.sideTable(named: name).set([7], for: key)
            }
        }

        /// The key of a document of the remote, which has the number 1.
        private static func key(_ id: String) -> [UInt8] { [0, 0, 0, 1] + Array(id.utf8) }

        static let all = [
            garbage(RemoteTables.remotesName, "The record of a remote cannot be read."),
            lost(RemoteTables.remotesName, "A row is of no remote."),
            garbage(RemoteTables.serversName, "The base of the document 'd1' cannot be read."),
            garbage(QueryNumbers.tableName, "The number of a query cannot be read."),
            lost(QueryNumbers.tableName, "The base of the document 'd0' cannot be read."),
            garbage(RemoteTables.entriesName, "A pending change cannot be read."),
            lost(
                RemoteTables.entriesName,
                "The document 'd1' is in the queue at a place that is not its own."),
            lost(
                RemoteTables.queueName,
                "The pending change of the document 'd1' is not in the queue."),
            stray(RemoteTables.queueName, key("d"), "A key cannot be read."),
            stray(RemoteTables.queueName, [0, 0, 0, 9, 1], "A row is of no remote."),
            stray(
                RemoteTables.blockedName, key("d1"),
                "Nothing waits for an identifier that is listed as waited for."),
            garbage(RemoteTables.checkpointsName, "A checkpoint cannot be read."),
            stray(
                RemoteTables.faultsName, key("x"), "An item that was set aside cannot be read."),
            stray(RemoteTables.downloadsName, key("x"), "A row cannot be read."),
        ]
    }

    @Test(arguments: Damage.all)
    func `finds`(damage: Damage) async throws {
        let device = try await filledDevice()
        try await device.database.write { try damage.apply($0) }
        let findings = try await device.database.check()
        #expect(findings.contains { $0.problem.hasSuffix(damage.problem) }, "\(findings)")
    }
}
