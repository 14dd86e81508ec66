import CosmosModel
import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCosmos

/// What the service has is not what this device keeps, also when the service does not say what it has.
@Suite struct `A conflict of which the service does not tell its version` {
    /// A document that somebody else has changed since it was read.
    private func changed(
        _ account: OfflineAccount
    ) async throws -> Cosmos.DocumentResource<Person> {
        var mine = try await account.create(Person(id: "1", city: "Bern")).resource
        mine.name = "mine"
        try await account.otherClient().replace(
            Person(id: "1", city: "Bern", name: "theirs"), inCollection: "people", inDatabase: "crm"
        )
        return mine
    }

    private func unanswered(_ account: OfflineAccount) {
        account.service.add(FaultRule(.cutBefore, count: nil) { $0.method == "GET" })
    }

    @Test func `fails with what the caller has, and asks no resolver`() async throws {
        let account = try await OfflineAccount()
        let mine = try await changed(account)
        account.client.register(resolverForDocumentsAs: Person.self) { local, _ in
            Issue.record("There is nothing to resolve.")
            return local
        }
        unanswered(account)
        await #expect {
            try await account.client.replace(mine)
        } throws: {
            let error = $0 as? Cosmos.ClientError
            return error?.kind == .preconditionFailed && error?.remote == nil
                && error?.local?["name"]?.stringValue == "mine"
        }
        account.service.removeFaults()
        #expect(try await account.remote("1", "Bern")?.name == "theirs")
        try await account.close()
    }

    @Test func `keeps a write that waits, which is resolved when it does`() async throws {
        let account = try await OfflineAccount()
        let mine = try await changed(account)
        account.client.register(resolverForDocumentsAs: Person.self) { local, remote in
            var merged = remote
            merged.name = "\(local.name) and \(remote.name)"
            return merged
        }
        account.goOffline()
        try await account.client.replace(mine)
        unanswered(account)
        account.client.isNetworkAvailable = true
        await #expect {
            try await account.client.sendQueuedWrites()
        } throws: { isError(.unreachable)($0) }
        #expect(try await account.client.queuedWrites().map(\.action) == [.replace])
        account.service.removeFaults()
        try await account.client.sendQueuedWrites()
        #expect(try await account.remote("1", "Bern")?.name == "mine and theirs")
        try await account.close()
    }
}
