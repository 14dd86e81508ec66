import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

/// Databases and a table, with everything in between but the wire.
@Suite(.serialized) struct `Journey to a table` {
    private struct Device {
        let scratch: ScratchDirectory
        let database: Database

        init() async throws {
            scratch = try ScratchDirectory("table")
            let configuration = Database.OpenDatabaseConfiguration(
                name: "db", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "settle.tests.completion"))
            database = try #require(try await Database.open(with: configuration, create: true))
        }

        func put(_ id: String, _ members: [String: JSONValue]) async throws {
            var document = Document(id: id)
            for (name, value) in members { document[json: name] = value }
            try await database.save(document)
        }

        @discardableResult
        func replicate(
            _ table: any HTTPTransport, channels: [String] = [],
            _ handler: ConflictHandler = .leave
        ) async throws -> ReplicationSummary {
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "http://h/tables/t")),
                options: ["transport": table], limitToChannels: channels)
            configuration.conflictHandler = handler
            configuration.retryLimit = 0
            configuration.pageSize = 3
            return try await database.replicate(with: configuration)
        }

        func members(_ id: String) async throws -> [String: JSONValue]? {
            try await database.fetchDocument(id)?.json
        }
    }

    @Test func `carries every document there and back as it was`() async throws {
        let (a, b) = (try await Device(), try await Device())
        let table = AlteringTransport(to: ModelTable(), storesJSON: true)
        let documents: [String: [String: JSONValue]] = [
            "plain": ["text": "it's \"q\" \u{65E5}\u{672C}", "n": 1, "x": 1.5, "no": .null],
            "nested": ["tags": ["a", ["b": [1, 2.0, .null]]], "empty": [:]],
            "big": ["n": .integer(.max), "m": .integer(.min), "tiny": 2.5e-300],
            "system": ["version": 1, "_version": 2, "Deleted": true, "createdAt": "never"],
            "b/c d?#%+'\"": ["odd": "identifier"], "\u{E9}\u{1F600}": [:],
        ]
        for (id, members) in documents { try await a.put(id, members) }
        #expect(try await a.replicate(table).pushed == documents.count)
        #expect(try await b.replicate(table).pulled == documents.count)
        for (id, members) in documents {
            #expect(try await b.members(id) == members, "\(id)")
            #expect(try await a.members(id) == members, "\(id)")
        }
        #expect(try await a.replicate(table).pulled == 0)
    }

    @Test func `takes edits, removed members, deletions and returns both ways`() async throws {
        let (a, b, table) = (try await Device(), try await Device(), ModelTable())
        try await a.put("x", ["text": "one", "gone": 1])
        try await a.replicate(table)
        try await b.replicate(table)
        try await b.put("x", ["text": "two"])
        try await b.replicate(table)
        try await a.replicate(table)
        // PATCH cannot remove a column, so both sides agree on null.
        let expected: [String: JSONValue] = ["text": "two", "gone": .null]
        #expect(try await a.members("x") == expected)
        #expect(try await b.members("x") == expected)

        try await a.database.delete(documentWithId: "x")
        try await a.replicate(table)
        try await b.replicate(table)
        #expect(try await b.members("x") == nil)
        try await b.put("x", ["text": "back"])
        try await b.replicate(table)
        try await a.replicate(table)
        #expect(try await a.members("x")?["text"] == "back")
        #expect(table.contents.count == 1)
    }

    @Test func `does not pass by a row that got the time of the last one read`() async throws {
        let (a, b, table) = (try await Device(), try await Device(), ModelTable())
        for id in ["z", "b"] {
            try await a.put(id, [:])
            try await a.replicate(table)
        }
        #expect(try await b.replicate(table).pulled == 2)
        // The table gives this write the time of the one before.
        try await a.put("a", [:])
        try await a.replicate(table)
        #expect(try await b.replicate(table).pulled == 1)
        #expect(try await b.members("a") != nil)
    }

    @Test func `is limited to channels`() async throws {
        let (a, b, table) = (try await Device(), try await Device(), ModelTable())
        try await a.put("eu", ["channels": ["continent-EU"]])
        try await a.put("af", ["channels": ["continent-AF"]])
        try await a.put("both", ["channels": ["continent-AF", "it's"]])
        try await a.replicate(table)
        #expect(try await b.replicate(table, channels: ["continent-EU", "it's"]).pulled == 2)
        #expect(try await b.members("af") == nil)
    }

    @Test func `repeats nothing when answers are lost`() async throws {
        let (a, table) = (try await Device(), ModelTable())
        let shout = ConflictHandler { conflict in
            Issue.record("\(conflict.documentId) is no conflict.")
            return .leave
        }
        let steps: [@Sendable (Device) async throws -> Void] = [
            { try await $0.put("x", ["n": 1]) }, { try await $0.put("x", ["n": 2]) },
            { try await $0.database.delete(documentWithId: "x") },
        ]
        for (index, step) in steps.enumerated() {
            try await step(a)
            table.loseAnswers(1)
            await #expect(throws: ReplicationError.self) { try await a.replicate(table, shout) }
            try await a.replicate(table, shout)
            #expect(table.writeCount == index + 1)
            #expect(try a.database.pendingOperations().isEmpty)
        }
        #expect(table.contents.isEmpty)
    }

    @Test func `finds conflicts in 409, 412 and 404`() async throws {
        let (a, b, table) = (try await Device(), try await Device(), ModelTable())
        // 409: both insert.
        try await a.put("i", ["a": 1])
        try await b.put("i", ["b": 1])
        try await a.replicate(table)
        #expect(try await b.replicate(table, .merge).conflictsResolved == 1)
        try await a.replicate(table)
        #expect(table.contents["i"] == ["a": 1, "b": 1])
        // 412: both update.
        try await a.put("i", ["a": 2, "b": 1])
        try await b.put("i", ["a": 1, "b": 2])
        try await a.replicate(table)
        #expect(try await b.replicate(table, .merge).conflictsResolved == 1)
        try await a.replicate(table)
        #expect(try await a.members("i") == ["a": 2, "b": 2])
        // 404: one deletes, the other updates.
        try await a.database.delete(documentWithId: "i")
        try await b.put("i", ["a": 3, "b": 3])
        try await a.replicate(table)
        let summary = try await b.replicate(table)
        #expect(summary.conflicts == 1)
        let conflict = try #require(try b.database.replicationConflicts().first)
        #expect(conflict.server == nil)
        #expect(conflict.base?.json == ["a": 2, "b": 2])
        #expect(try await b.database.resolve(conflict, with: .useLocal))
        try await b.replicate(table)
        try await a.replicate(table)
        #expect(try await a.members("i") == ["a": 3, "b": 3])
    }

    @Test func `says what is wrong with an address without waiting`() async throws {
        let device = try await Device()
        let url = try #require(URL(string: "http://h/nothing"))
        await #expect {
            try await device.database.replicate(with: ReplicationConfiguration(url: url))
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
        var events = device.database.replicationEvents.makeAsyncIterator()
        func callTheOldWay() {
            device.database.startReplication(with: ReplicationConfiguration(url: url))
        }
        callTheOldWay()
        guard case .failed(let error)? = await events.next() else {
            Issue.record("No failure was reported.")
            return
        }
        #expect(error.code == .misconfigured)
    }
}
