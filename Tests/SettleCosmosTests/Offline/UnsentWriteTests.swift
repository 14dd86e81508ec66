import CosmosModel
import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

/// Where no connection came about, nothing was sent, and the app need not have said so.
@Suite struct `Writes of which nothing was sent` {
    /// An account whose line is down; a write was tried, and so was the queue.
    private func account(_ write: (OfflineAccount) async throws -> Void) async throws
        -> OfflineAccount
    {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "there", city: "Bern"))
        account.line.isDown = true
        try await write(account)
        await account.clock.sleepers(reach: 1)
        return account
    }

    private func replace(_ person: Person, by account: OfflineAccount) async throws {
        let response = try await account.client.replace(
            person, inCollection: "people", inDatabase: "crm")
        #expect(response.fromCache)
    }

    @Test func `vanish when what they made is deleted`() async throws {
        let account = try await account {
            try await $0.create(Person(id: "1", city: "Bern"))
        }
        #expect(try await account.client.queuedWrites().map(\.action) == [.create])
        try await account.delete("1", "Bern")
        #expect(try await account.client.queuedWrites().isEmpty)
        try await account.close()
    }

    @Test func `become one`() async throws {
        let account = try await account {
            try await $0.create(Person(id: "1", city: "Bern"))
        }
        try await replace(Person(id: "1", city: "Bern", name: "Grace"), by: account)
        try await account.delete("there", "Bern")
        try await account.create(Person(id: "there", city: "Bern", name: "Edith"))
        #expect(try await account.client.queuedWrites().map(\.action) == [.create, .replace])
        let told = events(of: account.client)
        account.line.isDown = false
        try await account.client.sendQueuedWrites()
        #expect(await told.value.lines == ["sent create 1", "sent replace there", "processed"])
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        #expect(try await account.remote("there", "Bern")?.name == "Edith")
        try await account.close()
    }

    @Test func `are none of those that were cut off after they were sent`() async throws {
        let account = try await account {
            $0.line.isDown = false
            $0.service.add(FaultRule(.cutAfter))
            $0.service.add(FaultRule(.cutBefore, count: nil))
            try await $0.create(Person(id: "1", city: "Bern"))
        }
        try await account.delete("1", "Bern")
        #expect(try await account.client.queuedWrites().map(\.action) == [.create, .delete])
        account.service.removeFaults()
        try await account.client.sendQueuedWrites()
        #expect(try await account.remote("1", "Bern") == nil)
        try await account.close()
    }

    @Test func `are none that were sent once and met no connection the next time`() async throws {
        let transport = StubTransport { _, number throws(ReplicationError) in
            throw number == 0
                ? ReplicationError(.unreachable, "The line was cut.")
                : ReplicationError.noAnswer(.refused, host: "h", cause: CancellationError())
        }
        let client = try Cosmos.Client.stubbed(by: transport, clock: LeapingClock())
        await #expect {
            try await client.createOrReplace(
                Person(id: "1", city: "Bern"), inCollection: "c", inDatabase: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.leavesNothing == false }
        #expect(transport.sent.count == 4)
        let refused = StubTransport { _, _ throws(ReplicationError) in
            throw ReplicationError.noAnswer(.offline, host: "h", cause: CancellationError())
        }
        await #expect {
            try await Cosmos.Client.stubbed(by: refused, clock: LeapingClock()).createOrReplace(
                Person(id: "1", city: "Bern"), inCollection: "c", inDatabase: "d")
        } throws: { ($0 as? Cosmos.ClientError)?.leavesNothing == true }
    }

    @Test func `are known by the reason that the transport gives`() {
        func isUnsent(_ reason: UnansweredReason, mayBeSent: Bool = false) -> Bool {
            ReplicationError.noAnswer(
                reason, host: "h", mayBeSent: mayBeSent, cause: CancellationError()
            ).isUnsent
        }
        #expect(
            UnansweredReason.allCases.filter { isUnsent($0) } == [.unknownHost, .refused, .offline])
        #expect(!isUnsent(.offline, mayBeSent: true))
    }
}
