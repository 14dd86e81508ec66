import CosmosModel
import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

/// Documents of one id in several logical partitions, which the service allows.
@Suite struct `Identifiers of documents of a collection` {
    private func twins(
        _ account: ModelAccount
    ) async throws {
        try await account.create(Person(id: "1", city: "Bern", name: "Ada"))
        try await account.create(Person(id: "1", city: "Basel", name: "Grace"))
    }

    @Test func `that do not say which is meant are refused with id and partitions`() async throws {
        let account = try await ModelAccount(rangeCount: 3, clock: LeapingClock())
        try await twins(account)
        let backend = try account.backend()
        do {
            _ = try await backend.lookUp("1")
            Issue.record("It was found.")
        } catch {
            #expect(error.code == .misconfigured && error.documentId == "1")
            for word in ["'1'", #"["Bern"]"#, #"["Basel"]"#] {
                #expect(error.message.contains(word))
            }
        }
        for kind in [OperationKind.update, .delete] {
            let operation = RemoteOperation(
                kind: kind, id: "1", baseVersion: nil, members: ["city": "Chur"])
            guard case .rejected(let rejection) = try await backend.send(operation) else {
                Issue.record("It was not refused.")
                continue
            }
            #expect(rejection.reason.contains(#"["Basel"] and ["Bern"]"#))
        }
        #expect(try await account.get("1", "Bern").content.name == "Ada")
        #expect(try await account.get("1", "Basel").content.name == "Grace")
    }

    @Test func `of id and partition keep both apart`() async throws {
        let scratch = try ScratchDirectory("cosmos")
        let account = try await ModelAccount(rangeCount: 3, clock: LeapingClock())
        try await twins(account)
        let backend = try CosmosBackend(
            account.client, collection: "people", inDatabase: "crm",
            identifiers: .idAndPartition)
        let first = try await ReplicaDevice("a", in: scratch)
        let second = try await ReplicaDevice("b", in: scratch)
        #expect(try await first.replicate(backend).pulled == 2)
        #expect(try await first.members("1/Bern") == ["city": "Bern", "name": "Ada"])
        #expect(try await first.members("1/Basel") == ["city": "Basel", "name": "Grace"])
        try await first.put("1/Bern", ["city": "Bern", "name": "Edith"])
        try await first.delete("1/Basel")
        let new = CosmosBackend.identifier(of: "1", in: "Chur/GR")
        #expect(new == "1/Chur/GR")
        try await first.put(new, ["city": "Chur/GR", "name": "Joan"])
        #expect(try await first.replicate(backend).pushed == 3)
        #expect(try await account.get("1", "Bern").content.name == "Edith")
        #expect(try await account.get("1", "Chur/GR").content.name == "Joan")
        try await second.replicate(backend) { $0.reconciling = .atStart }
        #expect(try await second.members("1/Bern") == ["city": "Bern", "name": "Edith"])
        #expect(try await second.members("1/Basel") == nil)
        #expect(try await second.members(new) == ["city": "Chur/GR", "name": "Joan"])
        // Both sides change one; then what was deleted comes back.
        try await second.put("1/Bern", ["city": "Bern", "name": "Edith", "a": 1])
        try await second.replicate(backend)
        try await first.put("1/Basel", ["city": "Basel", "name": "Hedy"])
        try await first.replicate(backend)
        try await second.replicate(backend)
        #expect(try await first.members("1/Bern")?["a"] == 1)
        #expect(try await second.members("1/Basel") == ["city": "Basel", "name": "Hedy"])
        let quiet = try await first.replicate(backend) { $0.reconciling = .atStart }
        #expect(quiet.pushed == 0 && quiet.pulled == 0)
        for device in [first, second] { await device.close() }
        withExtendedLifetime(scratch) {}
    }

    @Test func `are refused where they are no id and partition, or another one`() async throws {
        let account = try await ModelAccount()
        let backend = try CosmosBackend(
            account.client, collection: "people", inDatabase: "crm",
            identifiers: .idAndPartition)
        for (id, word) in [
            ("1", "slash"), ("", "slash"), ("1/[", "slash"), ("1/Basel", "another"),
            ("a b/Bern", "space"), ("/Bern", "empty"),
        ] {
            let outcome = try await backend.send(
                RemoteOperation(
                    kind: .insert, id: id, baseVersion: nil, members: ["city": "Bern"]))
            guard case .rejected(let rejection) = outcome else {
                Issue.record("'\(id)': \(outcome)")
                continue
            }
            #expect(rejection.reason.contains(word), "\(rejection.reason)")
        }
        #expect(try await backend.lookUp("1") == .absent)
        #expect(try await backend.lookUp("1/Bern") == .absent)
        #expect(
            try await backend.send(RemoteOperation(kind: .delete, id: "1", baseVersion: nil))
                == .deleted(nil))
    }

    @Test func `are the id where that is the partition key`() async throws {
        let account = try await ModelAccount(path: "/id")
        let backend = try CosmosBackend(
            account.client, collection: "people", inDatabase: "crm",
            identifiers: .idAndPartition)
        guard
            case .stored(let item) = try await backend.send(
                RemoteOperation(kind: .insert, id: "1", baseVersion: nil, members: ["n": 1]))
        else {
            Issue.record("It was not stored.")
            return
        }
        #expect(item.id == "1")
        #expect(try await backend.lookUp("1") == .found(item))
    }

    @Test func `do not matter while the app says that there is no network, and nothing is sent`()
        async throws
    {
        let scratch = try ScratchDirectory("cosmos")
        let account = try await ModelAccount(clock: LeapingClock())
        try await account.create(Person(id: "1", city: "Bern"))
        let device = try await ReplicaDevice("a", in: scratch)
        let backend = try account.backend()
        account.client.isNetworkAvailable = false
        #expect(!account.client.isNetworkAvailable)
        account.service.clearLog()
        await #expect {
            try await device.replicate(backend)
        } throws: { ($0 as? ReplicationError)?.code == .unreachable }
        await #expect {
            try await account.get("1", "Bern")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .unreachable }
        #expect(account.service.log.isEmpty)
        account.client.isNetworkAvailable = true
        #expect(try await device.replicate(backend).pulled == 1)
        await device.close()
        withExtendedLifetime(scratch) {}
    }
}
