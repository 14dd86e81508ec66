import CosmosModel
import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Replication with a collection` {
    /// Two databases and the collection between them.
    private func pair(
        rangeCount: Int = 3
    ) async throws -> (ScratchDirectory, ModelAccount, ReplicaDevice, ReplicaDevice) {
        let scratch = try ScratchDirectory("cosmos")
        return (
            scratch, try await ModelAccount(rangeCount: rangeCount, clock: LeapingClock()),
            try await ReplicaDevice("a", in: scratch), try await ReplicaDevice("b", in: scratch)
        )
    }

    @Test func `keeps databases and the collection equal, deletions included`() async throws {
        let (scratch, account, first, second) = try await pair()
        let backend = try account.backend()
        for number in 0..<25 {
            try await first.put("\(number)", ["city": .string("c\(number % 4)"), "n": 1])
        }
        let sent = try await first.replicate(backend)
        #expect(sent.pushed == 25)
        #expect(try await second.replicate(backend).pulled == 25)
        try await second.put("3", ["city": "c3", "n": 2])
        try await second.delete("4")
        try await account.create(Person(id: "p", city: "c9", name: "Grace"))
        try await second.replicate(backend)
        #expect(try await first.replicate(backend).pulled == 3)
        #expect(try await first.members("3") == ["city": "c3", "n": 2])
        #expect(try await first.members("4") == nil)
        #expect(try await first.members("p") == ["city": "c9", "name": "Grace"])
        // Deleted for good, which only a full resync finds.
        try await account.client.delete(
            documentWithId: "p", fromCollection: "people", withPartitionKey: "c9",
            fromDatabase: "crm")
        try await first.replicate(backend)
        #expect(try await first.members("p") != nil)
        try await first.replicate(backend) { $0.reconciling = .atStart }
        #expect(try await first.members("p") == nil)
        // What was deleted comes back under its identifier.
        try await first.put("4", ["city": "c0", "n": 5])
        try await first.replicate(backend)
        try await second.replicate(backend)
        #expect(try await second.members("4") == ["city": "c0", "n": 5])
        let quiet = try await first.replicate(backend)
        #expect(quiet.pushed == 0 && quiet.pulled == 0)
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `asks the conflict handler when both sides changed`() async throws {
        let (scratch, account, first, second) = try await pair()
        let backend = try account.backend()
        try await first.put("1", ["city": "Bern", "a": 1, "b": 1])
        try await first.replicate(backend)
        try await second.replicate(backend)
        try await first.put("1", ["city": "Bern", "a": 2, "b": 1])
        try await second.put("1", ["city": "Bern", "a": 1, "b": 2])
        try await first.replicate(backend)
        let left = try await second.replicate(backend)
        #expect(left.pushed == 0)
        #expect(try await second.database.replicationConflicts().count == 1)
        let merged = try await second.replicate(backend) { $0.conflictHandler = .merge }
        #expect(merged.conflictsResolved == 1)
        try await first.replicate(backend)
        for device in [first, second] {
            #expect(try await device.members("1") == ["city": "Bern", "a": 2, "b": 2])
            await device.close()
        }
        withExtendedLifetime(scratch) {}
    }

    @Test func `sends again what had no answer, and writes it once`() async throws {
        let (scratch, account, first, second) = try await pair(rangeCount: 1)
        let backend = try account.backend()
        for kind in ["insert", "update", "delete"] {
            switch kind {
            case "insert": try await first.put("1", ["city": "Bern"])
            case "update": try await first.put("1", ["city": "Bern", "n": 1])
            default: try await first.delete("1")
            }
            account.service.add(FaultRule(.cutAfter) { $0.method != "GET" })
            await #expect(throws: (any Error).self) { try await first.replicate(backend) }
            let version = try await backend.lookUp("1")
            try await first.restart()
            let summary = try await first.replicate(backend)
            #expect(summary.conflictsResolved == 0, "\(kind)")
            #expect(try await backend.lookUp("1") == version, "\(kind)")
            #expect(try await first.database.pendingOperations().isEmpty, "\(kind)")
        }
        #expect(try await first.database.replicationConflicts().isEmpty)
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `fetches the partitions of its channels alone`() async throws {
        let (scratch, account, first, second) = try await pair()
        let backend = try account.backend()
        for number in 0..<10 {
            try await first.put("\(number)", ["city": .string("c\(number % 5)")])
        }
        try await first.replicate(backend)
        let summary = try await second.replicate(backend) { $0.limitToChannels = ["c1", "c3"] }
        #expect(summary.pulled == 4)
        try await first.put("6", ["city": "c1", "n": 1])
        try await first.put("7", ["city": "c2", "n": 1])
        try await first.replicate(backend)
        #expect(
            try await second.replicate(backend) { $0.limitToChannels = ["c1", "c3"] }.pulled == 1)
        #expect(try await second.members("7") == nil)
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `waits when it is throttled, as the service says`() async throws {
        let (scratch, account, first, second) = try await pair()
        let backend = try account.backend()
        try await first.put("1", ["city": "Bern"])
        account.service.add(FaultRule(.throttle(retryAfterMilliseconds: 1_500), count: 4))
        #expect(try await first.replicate(backend).pushed == 1)
        let impatient = try Cosmos.Client.stubbed(
            by: ModelTransport(service: account.service), retries: .never)
        account.service.add(FaultRule(.throttle(retryAfterMilliseconds: 1_500)))
        await #expect {
            try await second.replicate(
                CosmosBackend(impatient, collection: "people", inDatabase: "crm"))
        } throws: {
            let error = $0 as? ReplicationError
            return error?.code == .busy && error?.retryAfter == .milliseconds(1_500)
        }
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `begins again when the collection was made anew`() async throws {
        let (scratch, account, first, second) = try await pair()
        let backend = try account.backend()
        try await first.put("1", ["city": "Bern"])
        try await first.replicate(backend)
        try await account.client.delete(collectionWithId: "people", fromDatabase: "crm")
        await #expect {
            try await first.replicate(backend)
        } throws: { ($0 as? ReplicationError)?.code == .misconfigured }
        try await account.client.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm")
        try await account.create(Person(id: "2", city: "Basel"))
        try await first.replicate(backend) { $0.reconciling = .atStart }
        #expect(try await first.members("2") != nil)
        #expect(try await first.members("1") == nil)
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `does not take a replica that lags for the collection in a full resync`()
        async throws
    {
        let (scratch, account, first, second) = try await pair(rangeCount: 2)
        account.service.withState { $0.holdReplica() }
        for number in 0..<4 { try await first.put("\(number)", ["city": .string("c\(number)")]) }
        try await first.replicate(account.backend())
        // Another process, which has seen nothing of the collection but what the token says.
        try await first.restart()
        let client = try Cosmos.Client.stubbed(
            by: ModelTransport(service: account.service), clock: LeapingClock())
        let backend = try CosmosBackend(client, collection: "people", inDatabase: "crm")
        try await first.replicate(backend) { $0.reconciling = .atStart }
        for number in 0..<4 { #expect(try await first.members("\(number)") != nil) }
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `leaves a document that the service refuses, and sends the others`() async throws {
        let (scratch, account, first, second) = try await pair()
        let backend = try account.backend()
        try await first.put("a/b", ["city": "Bern"])
        try await first.put("ok", ["city": "Bern"])
        try await first.put("list", ["city": ["Bern"]])
        #expect(try await first.replicate(backend).pushed == 1)
        #expect(try await first.database.rejectedOperations().count == 2)
        #expect(try await first.members("a/b") == ["city": "Bern"])
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }
}
