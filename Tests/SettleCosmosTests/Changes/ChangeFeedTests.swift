import CosmosModel
import Foundation
import Settle
import Testing

@testable import SettleCosmos

@Suite struct `The change feed` {
    private let path = "dbs/crm/colls/people"

    private func account(rangeCount: Int = 3, count: Int = 12) async throws -> ModelAccount {
        let account = try await ModelAccount(rangeCount: rangeCount)
        for number in 0..<count {
            try await account.create(Person(id: "\(number)", city: "city-\(number % 5)"))
        }
        return account
    }

    private func changes(
        _ client: Cosmos.Client, from start: Cosmos.ChangeStart,
        withPartitionKey key: Cosmos.PartitionKey? = nil, maxPerPage: Int? = nil
    ) -> Cosmos.Changes<Cosmos.DocumentResource<Person>> {
        client.changes(
            ofDocumentsAs: Person.self, inCollection: "people", inDatabase: "crm", from: start,
            withPartitionKey: key, maxPerPage: maxPerPage)
    }

    /// The ids of all changes from a start on, and where they end.
    private func read(
        _ changes: Cosmos.Changes<Cosmos.DocumentResource<Person>>
    ) async throws -> (ids: [String], end: Cosmos.ChangeContinuation) {
        var ids: [String] = []
        var end: Cosmos.ChangeContinuation?
        for try await page in changes {
            #expect(page.isCaughtUp == page.items.isEmpty)
            ids += page.items.map(\.id)
            end = page.continuation
        }
        return (ids, try #require(end))
    }

    @Test func `gives all documents, then what changed, and in the end nothing`() async throws {
        let account = try await account()
        let first = try await read(changes(account.client, from: .beginning, maxPerPage: 2))
        #expect(first.ids.count == 12)
        #expect(Set(first.ids) == Set((0..<12).map(String.init)))
        let none = try await read(changes(account.client, from: .after(first.end)))
        #expect(none.ids.isEmpty)
        var person = try await account.get("7", "city-2")
        person.name = "Grace"
        try await account.client.replace(person)
        try await account.create(Person(id: "new", city: "city-9"))
        let later = try await read(changes(account.client, from: .after(none.end)))
        #expect(Set(later.ids) == ["7", "new"])
    }

    @Test func `goes on from each page as from the last`() async throws {
        let account = try await account()
        var iterator = changes(account.client, from: .beginning, maxPerPage: 1).makeAsyncIterator()
        var ids: [String] = []
        while let page = try await iterator.next() {
            ids += page.items.map(\.id)
            let rest = try await read(changes(account.client, from: .after(page.continuation)))
            #expect((ids + rest.ids).sorted() == (0..<12).map(String.init).sorted())
        }
    }

    @Test func `asks quiet ranges some at a time, and gives no more than a page holds`()
        async throws
    {
        let account = try await account(rangeCount: 16, count: 0)
        let start = try await read(changes(account.client, from: .beginning))
        for number in 0..<12 {
            try await account.create(Person(id: "\(number)", city: "city-\(number)"))
        }
        for size in [1, 3, 1_000] {
            var ids: [String] = []
            for try await page in changes(
                account.client, from: .after(start.end), maxPerPage: size)
            {
                #expect(page.items.count <= size)
                ids += page.items.map(\.id)
            }
            #expect(ids.sorted() == (0..<12).map(String.init).sorted())
        }
        account.service.clearLog()
        let end = try await read(changes(account.client, from: .now)).end
        // The list of ranges, and each of them once.
        #expect(account.service.log.count == 17)
        #expect(try await read(changes(account.client, from: .after(end))).ids.isEmpty)
    }

    @Test func `begins now, or at a time`() async throws {
        let account = try await account()
        let now = try await read(changes(account.client, from: .now))
        #expect(now.ids.isEmpty)
        // Between the first documents and the new one, however long this takes.
        let date = Date(timeIntervalSince1970: account.service.now.seconds + 50)
        account.service.advance(bySeconds: 100)
        try await account.create(Person(id: "new", city: "city-9"))
        #expect(try await read(changes(account.client, from: .after(now.end))).ids == ["new"])
        #expect(try await read(changes(account.client, from: .date(date))).ids == ["new"])
    }

    @Test func `gives those of one partition alone`() async throws {
        let account = try await account()
        let one = try await read(
            changes(account.client, from: .beginning, withPartitionKey: "city-1", maxPerPage: 1))
        #expect(Set(one.ids) == ["1", "6", "11"])
        try await account.create(Person(id: "other", city: "city-2"))
        try await account.create(Person(id: "new", city: "city-1"))
        #expect(try await read(changes(account.client, from: .after(one.end))).ids == ["new"])
    }

    @Test func `follows splits without a loss, between pages and later`() async throws {
        for splitAfter in 0..<5 {
            let account = try await account(rangeCount: 2)
            var iterator = changes(account.client, from: .beginning, maxPerPage: 2)
                .makeAsyncIterator()
            var ids: [String] = []
            var end: Cosmos.ChangeContinuation?
            for number in 0... {
                if number == splitAfter {
                    account.service.withState { state in
                        for id in state.splitRange("0", ofCollectionAt: path) {
                            state.splitRange(id, ofCollectionAt: path)
                        }
                    }
                }
                guard let page = try await iterator.next() else { break }
                ids += page.items.map(\.id)
                end = page.continuation
            }
            #expect(ids.sorted() == (0..<12).map(String.init).sorted(), "split \(splitAfter)")
            _ = account.service.withState { $0.splitRange("1", ofCollectionAt: path) }
            for number in 0..<10 {
                try await account.create(Person(id: "new-\(number)", city: "city-\(number)"))
            }
            let later = try await read(
                changes(account.client, from: .after(try #require(end)), maxPerPage: 3))
            #expect(later.ids.sorted() == (0..<10).map { "new-\($0)" }, "split \(splitAfter)")
        }
    }

    @Test(arguments: [1007, 1008])
    func `waits while a split or a move is about to end`(subStatus: Int) async throws {
        let account = try await ModelAccount(rangeCount: 2, clock: LeapingClock())
        try await account.create(Person(id: "1", city: "Bern"))
        account.service.add(
            FaultRule(.fail(status: 410, subStatus: subStatus), count: 2) {
                $0.headers["a-im"] != nil && $0.segments.last == "docs"
            })
        #expect(try await read(changes(account.client, from: .beginning)).ids == ["1"])
    }

    @Test func `is refused with a continuation that is none, and of another collection`()
        async throws
    {
        let account = try await account(count: 1)
        for text in ["", "c1:", "c1:{}", "c1:{\"collection\":\"x\",\"parts\":[{}]}", "12"] {
            await #expect {
                try await read(
                    changes(account.client, from: .after(.init(text: text))))
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
        }
        await #expect {
            try await read(changes(account.client, from: .beginning, maxPerPage: 0))
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
        let end = try await read(changes(account.client, from: .beginning)).end
        try await account.client.delete(collectionWithId: "people", fromDatabase: "crm")
        await #expect {
            try await read(changes(account.client, from: .after(end)))
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .notFound }
        try await account.client.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm")
        await #expect {
            try await read(changes(account.client, from: .after(end)))
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .gone }
    }
}
