import CosmosModel
import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Sending queued writes` {
    @Test(arguments: [Fault.cutBefore, .cutAfter])
    func `knows a create again whose answer was lost`(_ fault: Fault) async throws {
        let account = try await OfflineAccount()
        account.service.add(FaultRule(fault))
        let made = try await account.create(Person(id: "1", city: "Bern", age: 7))
        #expect(made.fromCache && made.statusCode == 201)
        let told = events(of: account.client)
        try await account.goOnline()
        #expect(await told.value.lines == ["sent create 1", "processed"])
        #expect(try await account.remote("1", "Bern")?.age == 7)
        try await account.close()
    }

    @Test func `knows replaces, patches, deletions and batches again whose answers were lost`()
        async throws
    {
        let account = try await OfflineAccount()
        let client = account.client
        for id in 1...3 { try await account.create(Person(id: "\(id)", city: "Bern", age: 0)) }
        // Each is carried out, but nothing is heard of it.
        func lost() { account.service.add(FaultRule(.cutAfter)) }
        func isBack() async throws {
            let told = events(of: client)
            try await account.goOnline()
            #expect(await told.value.lines.allSatisfy { !$0.hasPrefix("failed") })
        }
        var one = try await account.get("1", "Bern").resource
        one.age = 5
        lost()
        one = try await client.replace(one).resource
        try await isBack()
        lost()
        try await client.patch(one, with: [.increment(path: "/age", by: 2)])
        try await isBack()
        #expect(try await account.remote("1", "Bern")?.age == 7)
        lost()
        try await account.delete("2", "Bern")
        try await isBack()
        #expect(try await account.remote("2", "Bern") == nil)
        var batch = Cosmos.Batch()
        try batch.create(Person(id: "4", city: "Bern", age: 4))
        batch.patch(documentWithId: "3", [.increment(path: "/age", by: 3)])
        batch.delete(documentWithId: "1")
        lost()
        let results = try await client.perform(
            batch, inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        #expect(results.fromCache)
        try await isBack()
        #expect(try await account.remote("1", "Bern") == nil)
        #expect(try await account.remote("3", "Bern")?.age == 3)
        #expect(try await account.remote("4", "Bern")?.age == 4)
        try await account.close()
    }

    @Test func `knows bytes of an attachment again`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        account.service.add(FaultRule(.cutAfter))
        try await client.create(
            attachmentWithId: "a", contentType: "text/plain", with: Data([1, 2]), onDocument: person
        )
        let told = events(of: client)
        try await account.goOnline()
        #expect(await told.value.lines == ["sent create a", "processed"])
        try await account.close()
    }

    @Test(arguments: [
        Fault.throttle(retryAfterMilliseconds: 1), .fail(status: 503), .fail(status: 449),
        .fail(status: 408), .cutBefore, .cutAfter, .fail(status: 401), .fail(status: 403),
        .fail(status: 403, subStatus: 3), .fail(status: 403, subStatus: 1014), .fail(status: 423),
    ])
    func `keeps a write over what passes by itself`(_ fault: Fault) async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        account.service.add(FaultRule(fault, count: nil))
        account.client.isNetworkAvailable = true
        await #expect(throws: Cosmos.ClientError.self) {
            try await account.client.sendQueuedWrites()
        }
        #expect(try await account.client.queuedWrites().count == 1)
        #expect(try await account.get("1", "Bern").fromCache)
        account.service.removeFaults()
        let told = events(of: account.client)
        try await account.goOnline()
        #expect(await told.value.lines == ["sent create 1", "processed"])
        #expect(try await account.remote("1", "Bern") != nil)
        try await account.close()
    }

    @Test func `goes on by itself when the network is back`() async throws {
        let account = try await OfflineAccount()
        account.service.isOffline = true
        #expect(try await account.create(Person(id: "1", city: "Bern")).fromCache)
        let told = events(of: account.client)
        await account.clock.sleepers(reach: 1)
        account.service.isOffline = false
        account.clock.advance(by: .seconds(1))
        #expect(await told.value.lines == ["sent create 1", "processed"])
        // Any answer of the service shows that it is back.
        account.service.isOffline = true
        #expect(try await account.create(Person(id: "2", city: "Bern")).fromCache)
        await account.clock.sleepers(reach: 1)
        let again = events(of: account.client)
        account.service.isOffline = false
        _ = try await account.client.databases().all()
        #expect(await again.value.lines == ["sent create 2", "processed"])
        try await account.close()
    }

    @Test func `waits longer after each failure`() async throws {
        let account = try await OfflineAccount(cache: {
            $0.retryWait = .seconds(1)
            $0.retryWaitMax = .seconds(4)
        })
        account.service.isOffline = true
        try await account.create(Person(id: "1", city: "Bern"))
        for seconds in [1, 2, 4, 4] {
            await account.clock.sleepers(reach: 1)
            account.service.clearLog()
            account.clock.advance(by: .seconds(seconds) - .milliseconds(1))
            #expect(account.service.log.isEmpty)
            account.clock.advance(by: .milliseconds(1))
        }
        try await account.close()
    }

    @Test func `loses nothing over a restart`() async throws {
        var account = try await OfflineAccount()
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        try await account.restart()
        #expect(try await account.get("1", "Bern").fromCache)
        #expect(try await account.client.queuedWrites().count == 1)
        // It ends while the request is under way.
        let gate = FaultGate()
        account.service.add(FaultRule(.delayAfter(gate)))
        account.client.isNetworkAvailable = true
        await gate.arrivals()
        account.client.isNetworkAvailable = false
        try await account.restart()
        gate.open()
        let told = events(of: account.client)
        try await account.goOnline()
        #expect(await Set(told.value.lines) == ["sent create 1", "processed"])
        #expect(try await account.remote("1", "Bern") != nil)
        try await account.close()
    }

    @Test func `asks the strategies as a write online would`() async throws {
        let account = try await OfflineAccount()
        let other = try account.otherClient()
        let client = account.client
        for id in 1...5 { try await account.create(Person(id: "\(id)", city: "Bern", age: 0)) }
        func edit(_ id: String) async throws {
            var mine = try await account.get(id, "Bern").resource
            account.goOffline()
            mine.name = "mine"
            try await client.replace(mine)
            try await other.replace(
                Person(id: id, city: "Bern", name: "theirs", age: 1), inCollection: "people",
                inDatabase: "crm")
        }
        func outcome() async throws -> [String] {
            let told = events(of: client)
            try await account.goOnline()
            return await told.value.lines
        }
        try await edit("1")
        #expect(try await outcome() == ["failed replace 1 preconditionFailed", "processed"])
        #expect(try await account.get("1", "Bern").resource.content.name == "theirs")
        client.register(strategy: .latestWins, for: .document)
        try await edit("2")
        #expect(try await outcome() == ["sent replace 2", "processed"])
        #expect(try await account.remote("2", "Bern")?.name == "theirs")
        client.register(strategy: .mineWins, for: .document)
        try await edit("3")
        #expect(try await outcome() == ["sent replace 3", "processed"])
        #expect(try await account.remote("3", "Bern")?.name == "mine")
        client.register(strategy: .none, for: .document)
        client.register(resolverForDocumentsAs: Person.self) { local, remote in
            var merged = remote
            merged.name = "\(local.name) and \(remote.name)"
            return merged
        }
        try await edit("4")
        #expect(try await outcome() == ["sent replace 4", "processed"])
        #expect(
            try await account.remote("4", "Bern")
                == Person(id: "4", city: "Bern", name: "mine and theirs", age: 1))
        // What somebody has changed is not deleted.
        let five = try await account.get("5", "Bern").resource
        account.goOffline()
        try await client.delete(five)
        try await other.replace(
            Person(id: "5", city: "Bern", name: "theirs"), inCollection: "people", inDatabase: "crm"
        )
        #expect(try await outcome() == ["failed delete 5 preconditionFailed", "processed"])
        #expect(try await account.get("5", "Bern").resource.content.name == "theirs")
        try await account.close()
    }

    @Test func `shows both versions of a conflict that no strategy resolves`() async throws {
        let account = try await OfflineAccount()
        var mine = try await account.create(Person(id: "1", city: "Bern")).resource
        account.goOffline()
        mine.name = "mine"
        try await account.client.replace(mine)
        try await account.otherClient().replace(
            Person(id: "1", city: "Bern", name: "theirs"), inCollection: "people", inDatabase: "crm"
        )
        let told = events(of: account.client)
        try await account.goOnline()
        guard case .failed(let write, let error)? = await told.value.first else {
            Issue.record("The write has not failed.")
            return
        }
        #expect(write.link.text == "dbs/crm/colls/people/docs/1" && write.type == .document)
        #expect(error.local?["name"]?.stringValue == "mine")
        #expect(error.remote?["name"]?.stringValue == "theirs")
        try await account.close()
    }

    @Test func `gives up what is in a document that could not be made`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        try await account.client.create(
            attachmentWithId: "a", contentType: "text/plain", with: Data([1]), onDocument: person)
        try await account.otherClient().create(
            Person(id: "1", city: "Bern", name: "theirs"), inCollection: "people", inDatabase: "crm"
        )
        let told = events(of: account.client)
        try await account.goOnline()
        #expect(
            await told.value.lines == [
                "failed create 1 conflict", "failed create a conflict", "processed",
            ])
        #expect(try await account.get("1", "Bern").resource.content.name == "theirs")
        try await account.close()
    }

    @Test func `is not held up by one write that always fails`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        for city in ["Basel", "Bern", "Chur"] {
            try await account.create(Person(id: "1", city: city))
        }
        account.service.add(
            FaultRule(.fail(status: 500), count: nil) {
                $0.headers["x-ms-documentdb-partitionkey"]?.contains("Basel") == true
            })
        await #expect {
            try await account.goOnline()
        } throws: { isError(.internalServerError)($0) }
        #expect(try await account.client.queuedWrites().count == 1)
        account.service.removeFaults()
        #expect(try await account.remote("1", "Chur") != nil)
        try await account.goOnline()
        #expect(try await account.remote("1", "Basel") != nil)
        try await account.close()
    }
}
