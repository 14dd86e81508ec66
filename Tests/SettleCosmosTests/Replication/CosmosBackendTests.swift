import CosmosModel
import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

/// What a back-end promises the replicator, of that for collections.
@Suite struct `A collection as a back-end` {
    private let bern: [String: JSONValue] = ["city": "Bern", "name": "Ada"]

    private func insert(
        _ id: String, _ members: [String: JSONValue], _ backend: CosmosBackend
    ) async throws -> RemoteItem? {
        let outcome = try await backend.send(
            RemoteOperation(kind: .insert, id: id, baseVersion: nil, members: members))
        guard case .stored(let item) = outcome else {
            Issue.record("\(outcome)")
            return nil
        }
        return item
    }

    private func reason(_ outcome: RemoteOutcome) -> String? {
        guard case .rejected(let rejection) = outcome else { return nil }
        return rejection.reason
    }

    @Test func `stores, replaces, deletes and brings back`() async throws {
        let account = try await ModelAccount(rangeCount: 2)
        let backend = try account.backend()
        let item = try #require(try await insert("1", bern, backend))
        #expect(item.id == "1" && item.members == bern && !item.isDeleted)
        #expect(item.version?.hasSuffix(#" ["Bern"]"#) == true && item.updated != nil)
        let update = RemoteOperation(
            kind: .update, id: "1", baseVersion: item.version,
            members: ["city": "Bern", "name": "Grace"])
        guard case .stored(let changed) = try await backend.send(update) else {
            Issue.record("The update was not stored.")
            return
        }
        #expect(changed.members["name"] == "Grace" && changed.version != item.version)
        #expect(try await backend.send(update) == .conflict(changed))
        #expect(try await backend.lookUp("1") == .found(changed))
        let stale = RemoteOperation(kind: .delete, id: "1", baseVersion: item.version)
        #expect(try await backend.send(stale) == .conflict(changed))
        let deletion = RemoteOperation(kind: .delete, id: "1", baseVersion: changed.version)
        guard case .deleted(let deleted?) = try await backend.send(deletion) else {
            Issue.record("The document was not deleted.")
            return
        }
        #expect(deleted.isDeleted && deleted.members == changed.members)
        let raw = try await account.client.get(
            documentWithId: "1", as: Cosmos.DocumentProperties.self, inCollection: "people",
            withPartitionKey: "Bern", inDatabase: "crm"
        ).resource.content
        #expect(raw["deleted"] == true && raw["ttl"] == .integer(90 * 86_400))
        // Once more, as after a lost answer, and by one who does not know it.
        #expect(try await backend.send(deletion) == .deleted(deleted))
        #expect(
            try await backend.send(RemoteOperation(kind: .delete, id: "1", baseVersion: nil))
                == .deleted(nil))
        #expect(try await backend.send(update) == .conflict(deleted))
        let back = RemoteOperation(kind: .undelete, id: "1", baseVersion: deleted.version)
        guard case .stored(let restored) = try await backend.send(back) else {
            Issue.record("The document was not brought back.")
            return
        }
        #expect(restored.members == changed.members)
        #expect(try await backend.send(back) == .conflict(restored))
    }

    @Test func `deletes at once when told so`() async throws {
        let account = try await ModelAccount(rangeCount: 2)
        let backend = try account.backend(.hard)
        let item = try #require(try await insert("1", bern, backend))
        let deletion = RemoteOperation(kind: .delete, id: "1", baseVersion: item.version)
        #expect(try await backend.send(deletion) == .deleted(nil))
        #expect(try await backend.send(deletion) == .deleted(nil))
        #expect(try await backend.lookUp("1") == .absent)
        let update = RemoteOperation(
            kind: .update, id: "1", baseVersion: item.version, members: bern)
        #expect(try await backend.send(update) == .conflict(nil))
        #expect(
            try await backend.send(
                RemoteOperation(kind: .undelete, id: "1", baseVersion: item.version))
                == .conflict(nil))
    }

    @Test func `shows what is there when an insert meets it`() async throws {
        let account = try await ModelAccount()
        let backend = try account.backend()
        let item = try #require(try await insert("1", bern, backend))
        let again = RemoteOperation(kind: .insert, id: "1", baseVersion: nil, members: bern)
        #expect(try await backend.send(again) == .conflict(item))
    }

    @Test func `writes nothing over what it does not know`() async throws {
        let account = try await ModelAccount(rangeCount: 3)
        let backend = try account.backend()
        let update = RemoteOperation(kind: .update, id: "1", baseVersion: nil, members: bern)
        #expect(try await backend.send(update) == .conflict(nil))
        _ = try await insert("1", ["city": "Bern"], backend)
        guard case .stored(let item) = try await backend.send(update) else {
            Issue.record("The update was not stored.")
            return
        }
        #expect(item.members == bern)
        guard
            case .deleted = try await backend.send(
                RemoteOperation(kind: .delete, id: "1", baseVersion: nil))
        else {
            Issue.record("It was not deleted.")
            return
        }
        guard case .conflict(let deleted?) = try await backend.send(update) else {
            Issue.record("A deleted document was written.")
            return
        }
        #expect(deleted.isDeleted)
    }

    @Test func `refuses what the service cannot have, and says why`() async throws {
        let account = try await ModelAccount()
        let backend = try account.backend()
        for id in ["a/b", "a?b", "a#b", "a\\b", "a b", String(repeating: "x", count: 256)] {
            let outcome = try await backend.send(
                RemoteOperation(kind: .insert, id: id, baseVersion: nil, members: bern))
            #expect(reason(outcome)?.contains("id") == true)
        }
        for (members, word) in [
            (["city": ["Bern"]], "/city"), (["city": "Bern", "_etag": "x"], "_etag"),
            (["city": "Bern", "deleted": true], "deleted"),
            (["city": "Bern", "ttl": "soon"], "refused"),
        ] as [([String: JSONValue], String)] {
            let outcome = try await backend.send(
                RemoteOperation(kind: .insert, id: "1", baseVersion: nil, members: members))
            #expect(reason(outcome)?.contains(word) == true, "\(outcome)")
        }
        let item = try #require(try await insert("1", bern, backend))
        let move = try await backend.send(
            RemoteOperation(
                kind: .update, id: "1", baseVersion: item.version, members: ["city": "Basel"]))
        #expect(reason(move)?.contains("partition key") == true)
        #expect(try await account.documents() == ["1": bern])
    }

    @Test(arguments: ["/city", "/id"])
    func `sends those of one partition together, each on its own merits`(path: String)
        async throws
    {
        let account = try await ModelAccount(rangeCount: 3, path: path)
        let backend = try account.backend()
        let inserts = (0..<20).map { number in
            RemoteOperation(
                kind: .insert, id: "\(number)", baseVersion: nil,
                members: ["city": .string("city-\(number % 3)")])
        }
        let before = account.service.log.count
        let stored = try await backend.send(inserts).map { try $0.get() }
        #expect(account.service.log.count - before == (path == "/city" ? 4 : 21))
        var versions: [String?] = []
        for (operation, outcome) in zip(inserts, stored) {
            guard case .stored(let item) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(item.id == operation.id)
            versions.append(item.version)
        }
        // One is a conflict, one cannot be, one is a deletion; the others are as they were.
        var mixed = (0..<20).map { number in
            RemoteOperation(
                kind: .update, id: "\(number)", baseVersion: versions[number],
                members: ["city": .string("city-\(number % 3)"), "new": true])
        }
        mixed[4].baseVersion = #""none" ["city-1"]"#
        mixed[5].members["_rid"] = "x"
        mixed[6] = RemoteOperation(kind: .delete, id: "6", baseVersion: versions[6])
        mixed[7] = RemoteOperation(
            kind: .insert, id: "7", baseVersion: nil, members: ["city": "city-1"])
        let outcomes = try await backend.send(mixed).map { try $0.get() }
        for (number, outcome) in outcomes.enumerated() {
            switch (number, outcome) {
            case (4, .conflict(let item?)), (7, .conflict(let item?)):
                #expect(item.members["new"] == nil)
            case (5, .rejected): break
            case (6, .deleted(let item?)): #expect(item.isDeleted)
            case (_, .stored(let item)):
                #expect(item.members["new"] == true && item.id == "\(number)")
            default: Issue.record("\(number): \(outcome)")
            }
        }
    }

    @Test func `gives every item of a pull, and nothing twice without a reason`() async throws {
        let account = try await ModelAccount(rangeCount: 3)
        let backend = try account.backend()
        for number in 0..<30 {
            _ = try await insert("\(number)", ["city": .string("c\(number % 7)")], backend)
        }
        var token: PullToken?
        var ids: [String] = []
        var isFirst = true
        for round in 0... {
            if round == 3 {
                _ = account.service.withState {
                    $0.splitRange("0", ofCollectionAt: "dbs/crm/colls/people")
                }
            }
            let page = try await backend.pull(
                PullQuery(), after: token, itemCountMax: 4, isFirstPage: isFirst)
            #expect(page.items.count <= 4)
            #expect(page.isLast || page.token != token)
            ids += page.items.map(\.id)
            (token, isFirst) = (page.token, false)
            if page.isLast { break }
        }
        #expect(ids.sorted() == (0..<30).map(String.init).sorted())
        let nothing = try await backend.pull(
            PullQuery(), after: token, itemCountMax: 4, isFirstPage: true)
        #expect(nothing == PullPage(items: [], token: token, isLast: true))
    }

    @Test func `lists what is live, whole, also when ranges are split meanwhile`() async throws {
        for splitAfter in 0..<6 {
            let account = try await ModelAccount(rangeCount: 2)
            let backend = try account.backend()
            for number in 0..<20 {
                _ = try await insert("\(number)", ["city": .string("c\(number % 7)")], backend)
            }
            _ = try await backend.send(RemoteOperation(kind: .delete, id: "3", baseVersion: nil))
            account.service.withState { $0.emptyPages = 1 }
            var token: PullToken?
            var ids: Set<String> = []
            for round in 0... {
                if round == splitAfter {
                    _ = account.service.withState {
                        $0.splitRange("0", ofCollectionAt: "dbs/crm/colls/people")
                    }
                }
                let page = try #require(
                    try await backend.list(PullQuery(), after: token, itemCountMax: 3))
                ids.formUnion(page.items.map(\.id))
                #expect(page.isLast || page.token != token)
                token = page.token
                if page.isLast { break }
            }
            #expect(ids == Set((0..<20).map(String.init)).subtracting(["3"]))
            let channel = PullQuery(channels: ["c1", "c2"])
            let some = try #require(
                try await backend.list(channel, after: nil, itemCountMax: 1_000))
            #expect(some.items.map(\.id) == ["1", "8", "15"])
        }
    }

    @Test(arguments: [(403, 0), (403, 3), (403, 1014), (423, 0)])
    func `takes what says something of the client for no refusal`(
        _ status: Int, _ subStatus: Int
    ) async throws {
        let account = try await ModelAccount()
        let backend = try account.backend()
        try await backend.prepare()
        account.service.add(
            FaultRule(.fail(status: status, subStatus: subStatus), count: nil) {
                $0.method == "POST"
            })
        let operations = ["1", "2"].map {
            RemoteOperation(kind: .insert, id: $0, baseVersion: nil, members: bern)
        }
        await #expect {
            _ = try await backend.send(operations[0])
        } throws: { ($0 as? ReplicationError)?.code == .serverFailed }
        for result in try await backend.send(operations) {
            guard case .failure(let error) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(error.code == .serverFailed && error.isRetryable)
        }
    }

    @Test func `tells a wrong key, a missing collection, and a client without an account`()
        async throws
    {
        let account = try await ModelAccount()
        func code(_ backend: CosmosBackend) async -> ReplicationError.Code? {
            do throws(ReplicationError) {
                _ = try await backend.pull(
                    PullQuery(), after: nil, itemCountMax: 10, isFirstPage: true)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code(try account.backend()) == nil)
        let missing = try account.backend(collection: "persons")
        #expect(await code(missing) == .misconfigured)
        let other = try Cosmos.Client.stubbed(
            by: ModelTransport(service: account.service),
            credentials: .masterKey(try Cosmos.MasterKey("bm90IHRoZSBrZXk=")))
        #expect(
            await code(try CosmosBackend(other, collection: "people", inDatabase: "crm"))
                == .unauthorized)
        account.service.isOffline = true
        let offline = try Cosmos.Client.stubbed(
            by: ModelTransport(service: account.service), retries: .never)
        #expect(
            await code(try CosmosBackend(offline, collection: "people", inDatabase: "crm"))
                == .unreachable)
        let client = Cosmos.Client(cache: nil)
        #expect(throws: ReplicationError.self) {
            try CosmosBackend(client, collection: "people", inDatabase: "crm")
        }
        for id in ["", ".", "..", "a/b", "a b", String(repeating: "x", count: 250)] {
            #expect(throws: ReplicationError.self) {
                try CosmosBackend(account.client, collection: id, inDatabase: "crm")
            }
        }
        for deletion in [
            .soft(member: ""), .soft(member: "id"), .soft(member: "_etag"), .soft(member: "ttl"),
            .soft(timeToLive: .milliseconds(1)),
        ] as [CosmosBackend.Deletion] {
            #expect(throws: ReplicationError.self) { try account.backend(deletion) }
        }
    }

    @Test func `knows keys by channels and channels by keys`() throws {
        let keys: [Cosmos.PartitionKey] = [
            "Bern", "[x", "", 17, 1.5, true, .null, .undefined, .init("tenant", "user"),
        ]
        for key in keys {
            #expect(try CosmosBackend.key(ofChannel: CosmosBackend.channel(of: key)) == key)
        }
        #expect(CosmosBackend.channel(of: "Bern") == "Bern")
        #expect(CosmosBackend.channel(of: .init("a", "b")) == #"["a","b"]"#)
        #expect(throws: ReplicationError.self) { try CosmosBackend.key(ofChannel: "[x") }
    }
}
