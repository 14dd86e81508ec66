import Settle
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Observed documents` {
    private static func text(_ document: Document?) -> String {
        document.map { "\($0.integer("n") ?? -1)" } ?? "none"
    }

    @Test func `one is told of as it is added, changed, deleted, added again, and purged`()
        async throws
    {
        try await withDatabase { database async throws in
            let inbox = Inbox<String>()
            let observer = database.observeDocument("a") { inbox.put(Self.text(try $0.get())) }
            #expect(await inbox.first() == "none")
            try await database.add(["id": "a", "n": 1])
            #expect(await inbox.first() == "1")
            try await database.save(["id": "a", "n": 2])
            #expect(await inbox.first() == "2")
            try await database.delete(documentWithId: "a")
            #expect(await inbox.first() == "none")
            try await database.add(["id": "a", "n": 3])
            #expect(await inbox.first() == "3")
            try await database.purge(documentsWithIds: ["a"])
            #expect(await inbox.first() == "none")
            #expect(observer?.handlerError == nil)
        }
    }

    @Test func `are told apart by the bytes of their identifiers`() async throws {
        try await withDatabase { database async throws in
            let inbox = Inbox<String>()
            let observer = database.observeDocument("\u{E9}") { result in
                inbox.put(Self.text(try result.get()))
            }
            #expect(await inbox.first() == "none")
            try await database.add(["id": "e\u{301}", "n": 1])
            try await database.documentObserversAreUpToDate()
            try await database.add(["id": "\u{E9}", "n": 2])
            #expect(await inbox.first() == "2")
            #expect(observer != nil)
        }
    }

    @Test func `are not told of what happens to others`() async throws {
        try await withDatabase { database async throws in
            let (one, typed) = (Gathered<String>(), Gathered<[String]>())
            let inbox = Inbox<Void>()
            let observers = [
                database.observeDocument("a") { result in
                    one.add(Self.text(try result.get()))
                    inbox.put(())
                },
                database.observeDocuments(ofType: "note") { result in
                    typed.add(result.rows.compactMap(\.documentId))
                    inbox.put(())
                },
            ]
            _ = await inbox.first()
            _ = await inbox.first()
            for number in 0..<20 {
                try await database.save(["id": "b", "type": "order", "n": .some(number)])
                try await database.save(["id": .some("c\(number)")])
            }
            try await database.delete(documentWithId: "b")
            try await database.purge(documentsWithIds: ["c1", "c2"])
            try await database.documentObserversAreUpToDate()
            try await database.add(["id": "a", "type": "note", "n": 7])
            _ = await inbox.first()
            _ = await inbox.first()
            #expect(one.elements == ["none", "7"])
            #expect(typed.elements == [[], ["a"]])
            #expect(observers.allSatisfy { $0 != nil })
        }
    }

    @Test func `of a type come and go with their type`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "c", "type": "note", "n": 0])
            let inbox = Inbox<[String]>()
            let observer = database.observeDocuments(ofType: "note") { result in
                inbox.put(result.rows.map { "\($0.documentId ?? "?") \(Self.text($0.document))" })
            }
            #expect(await inbox.first() == ["c 0"])
            try await database.write { transaction in
                try transaction.add(["id": "a", "type": "note", "n": 1])
                try transaction.add(["id": "b", "type": "order", "n": 2])
            }
            #expect(await inbox.first() == ["a 1", "c 0"])
            try await database.save(["id": "b", "type": "note", "n": 2])
            #expect(await inbox.first() == ["a 1", "b 2", "c 0"])
            try await database.save(["id": "a", "type": "order", "n": 1])
            #expect(await inbox.first() == ["b 2", "c 0"])
            try await database.save(["id": "c", "type": "note", "n": 5])
            #expect(await inbox.first() == ["b 2", "c 5"])
            try await database.delete(documentWithId: "b")
            #expect(await inbox.first() == ["c 5"])
            try await database.purge(documentsWithIds: ["c"])
            #expect(await inbox.first() == [])
            #expect(observer != nil)
        }
    }

    @Test func `of a type are told of as differences`() async throws {
        try await withDatabase { database async throws in
            for id in ["b", "d"] { try await database.add(["id": .init(id), "type": "note"]) }
            var changes = database.documentChanges(ofType: "note").makeAsyncIterator()
            let first = try #require(try await changes.next())
            #expect(first.isFirst && first.changes.isEmpty)
            #expect(first.result.rows.map(\.documentId) == ["b", "d"])
            try await database.write { transaction in
                try transaction.delete(documentWithId: "b")
                try transaction.add(["id": "a", "type": "note"])
                try transaction.save(["id": "d", "type": "note", "n": 1])
                try transaction.add(["id": "e", "type": "note"])
            }
            let step = try #require(try await changes.next())
            #expect(!step.isFirst)
            #expect(
                step.changes == [
                    .removed(old: 0), .inserted(new: 0), .inserted(new: 2),
                    .updated(old: 1, new: 1),
                ])
            #expect(step.result.rows.map(\.documentId) == ["a", "d", "e"])
            #expect(step.result[1].document?.integer("n") == 1)
        }
    }

    @Test func `are sequences, too`() async throws {
        try await withDatabase { database async throws in
            var states = database.documentStates(of: "a").makeAsyncIterator()
            var notes = database.documentResults(ofType: "note").makeAsyncIterator()
            let none = try await states.next()
            #expect(none != nil && none.flatMap { $0 } == nil)
            #expect(try await notes.next()?.count == 0)
            try await database.add(["id": "a", "type": "note", "n": 4])
            let added = try await states.next()
            #expect(added.flatMap { $0 }?.integer("n") == 4)
            let result = try await notes.next()
            #expect(result?.rows.map(\.documentId) == ["a"])
            #expect(result?.sequence == 1)
            try await database.delete(documentWithId: "a")
            let deleted = try await states.next()
            #expect(deleted != nil && deleted.flatMap { $0 } == nil)
        }
    }

    @Test func `are right after a commit that is too large to go through`() async throws {
        try await withDatabase { database async throws in
            var notes = database.documentResults(ofType: "note").makeAsyncIterator()
            #expect(try await notes.next()?.count == 0)
            try await database.write { transaction in
                for number in 0..<5_000 {
                    let type = number.isMultiple(of: 2) ? "note" : "order"
                    try transaction.add(["id": .some("d\(number)"), "type": .some(type)])
                }
            }
            let result = try await notes.next()
            #expect(result?.count == 2_500)
            #expect(result?.rows.allSatisfy { $0.document?.metaData.type == "note" } == true)
            try await database.purge(documentsWithIds: ["d0"])
            #expect(try await notes.next()?.count == 2_499)
        }
    }
}
