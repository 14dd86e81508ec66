import Dispatch
import Settle
import TestSupport
import Testing

/// What a feed gives until its end.
func all(_ feed: ChangeFeed) async throws -> [ChangeFeed.Element] {
    var elements: [ChangeFeed.Element] = []
    for try await element in feed { elements.append(element) }
    return elements
}

@Suite(.serialized) struct `A change feed` {
    private func ids(_ feed: ChangeFeed) async throws -> [String] {
        try await all(feed).map(\.change.documentId)
    }

    @Test func `gives each document once, at its last change, with deletions and purges`()
        async throws
    {
        try await withDatabase { database async throws in
            for id in ["a", "b", "c", "d"] { try await database.add(["id": .init(id)]) }
            try await database.save(["id": "a", "n": 1])
            try await database.delete(documentWithId: "b")
            try await database.purge(documentsWithIds: ["c"])
            try await database.write { try $0.store(["id": "e"], from: "far") }
            let found = try await all(database.changes(since: 0))
            #expect(found.map(\.change.documentId) == ["d", "a", "b", "c", "e"])
            #expect(found.map(\.change.sequence) == [4, 5, 6, 7, 8])
            #expect(found.map(\.change.isDeleted) == [false, false, true, true, false])
            #expect(found.map(\.change.isPurged) == [false, false, false, true, false])
            #expect(found.last?.change.origin == "far")
            #expect(found.allSatisfy { $0.document == nil })
            #expect(try await ids(database.changes(since: 6)) == ["c", "e"])
            #expect(try await ids(database.changes(since: 8)) == [])
            let batch = try database.changeBatch(since: 0)
            #expect(batch.changes == found.map(\.change))
        }
    }

    @Test func `brings the documents along when asked`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a", "n": 1])
            try await database.add(["id": "b", "n": 2])
            try await database.save(["id": "a", "n": 3])
            try await database.delete(documentWithId: "b")
            try await database.purge(documentsWithIds: ["b"])
            let found = try await all(database.changes(since: 0, includesDocuments: true))
            #expect(found.map(\.change.documentId) == ["a", "b"])
            #expect(found[0].document?["n"] as? Int == 3)
            #expect(found[0].document?.metaData.revision == found[0].change.revision)
            #expect(found[1].document == nil)
        }
    }

    @Test func `leaves out other types, but not what has no type any more`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a", "type": "fruit"])
            try await database.add(["id": "b", "type": "nut"])
            try await database.add(["id": "c"])
            try await database.add(["id": "d", "type": 1])
            try await database.add(["id": "e", "type": "nut"])
            try await database.delete(documentWithId: "e")
            #expect(try await ids(database.changes(since: 0, ofType: "fruit")) == ["a", "e"])
            let nuts = try await all(
                database.changes(since: 0, includesDocuments: true, ofType: "nut"))
            #expect(nuts.map(\.change.documentId) == ["b", "e"])
            #expect(nuts[0].document?.metaData.type == "nut")
        }
    }

    @Test func `shows its filter the change and the document it brings along`() async throws {
        try await withDatabase { database async throws in
            for number in 1...6 {
                try await database.add(["id": .some("d\(number)"), "n": .some(number)])
            }
            let even = database.changes(since: 0) { change, document in
                change.sequence.isMultiple(of: 2) && document == nil
            }
            #expect(try await ids(even) == ["d2", "d4", "d6"])
            let large = database.changes(since: 0, includesDocuments: true) { _, document in
                (document?["n"] as? Int ?? 0) > 4
            }
            #expect(try await ids(large) == ["d5", "d6"])
        }
    }

    @Test func `tells where to go on past what the filter left out`() async throws {
        try await withDatabase { database async throws in
            for number in 1...9 { try await database.add(["id": .some("d\(number)")]) }
            let wanted = database.changes(since: 0) { change, _ in [3, 5].contains(change.sequence)
            }
            #expect(try await all(wanted).map(\.lastSequence) == [4, 9])
            var iterator = wanted.makeAsyncIterator()
            #expect(iterator.lastSequence == 0)
            #expect(try await iterator.next()?.change.sequence == 3)
            #expect(iterator.lastSequence == 4)
            #expect(try await iterator.next()?.change.sequence == 5)
            #expect(iterator.lastSequence == 9)
            #expect(try await iterator.next() == nil)
            let nothing = database.changes(since: 2) { _, _ in false }
            var pages = nothing.pages.makeAsyncIterator()
            let page = try await pages.next()
            #expect(page?.elements.isEmpty == true && page?.lastSequence == 9)
            #expect(try await pages.next() == nil)
            #expect(try await ids(nothing) == [])
        }
    }

    @Test func `reads in pages and ends where the database was when it began`() async throws {
        try await withDatabase { database async throws in
            try await database.write { transaction in
                for number in 0..<700 { try transaction.add(["id": .some("d\(number)")]) }
            }
            var pages = database.changes(since: 0).pages.makeAsyncIterator()
            let first = try #require(try await pages.next())
            #expect(!first.elements.isEmpty && first.elements.count < 700)
            #expect(first.lastSequence == first.elements.last?.change.sequence)
            // Changed before it is read, after the feed began: told by the next feed, not by this.
            try await database.save(["id": "d699", "n": 1])
            var told = first.elements.map(\.change.documentId)
            var last = first.lastSequence
            while let page = try await pages.next() {
                told += page.elements.map(\.change.documentId)
                last = page.lastSequence
            }
            #expect(told == (0..<699).map { "d\($0)" })
            #expect(last == 700)
            #expect(try await ids(database.changes(since: last)) == ["d699"])
        }
    }

    @Test func `makes its pages small when the documents are large`() async throws {
        try await withDatabase { database async throws in
            let text = String(repeating: "x", count: 100_000)
            try await database.write { transaction in
                for number in 0..<10 {
                    try transaction.add(["id": .some("d\(number)"), "text": .some(text)])
                }
            }
            var counts: [Int] = []
            for try await page in database.changes(since: 0, includesDocuments: true).pages {
                counts.append(page.elements.count)
            }
            #expect(counts.reduce(0, +) == 10 && counts.allSatisfy { $0 < 5 }, "\(counts)")
        }
    }

    @Test func `may be gone through any number of times`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a"])
            let feed = database.changes(since: 0)
            #expect(try await ids(feed) == ["a"])
            try await database.add(["id": "b"])
            #expect(try await ids(feed) == ["a", "b"])
        }
    }
}

@Suite(.serialized) struct `A change feed that cannot go on` {
    private func code(_ feed: ChangeFeed) async -> DatabaseError.Code? {
        do {
            _ = try await all(feed)
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    @Test func `says so when purges were forgotten or the database is an older one`() async throws {
        try await withDatabase { database async throws in
            let count = 10_050
            try await database.write { transaction in
                for number in 0..<count { try transaction.add(["id": .some("d\(number)")]) }
            }
            try await database.write { transaction in
                try transaction.purge(documentsWithIds: (0..<count).map { "d\($0)" })
            }
            let forgotten = try database.read { $0.forgottenPurgeSequence }
            #expect(forgotten > 0)
            #expect(await code(database.changes(since: 1)) == .changesForgotten)
            #expect(await code(database.changes(since: forgotten - 1)) == .changesForgotten)
            #expect(await code(database.changes(since: forgotten)) == nil)
            let last = try database.lastSequence
            #expect(await code(database.changes(since: last)) == nil)
            #expect(await code(database.changes(since: last + 1)) == .changesForgotten)
            let careless = database.changes(since: 1, ignoresForgottenPurges: true)
            #expect(try await all(careless).count == 10_000)
            // Whoever has nothing keeps nothing that was purged.
            #expect(try await all(database.changes(since: 0)).allSatisfy(\.change.isPurged))
        }
    }

    @Test func `throws when the database was closed, and is over then`() async throws {
        var kept: ChangeFeed?
        try await withDatabase { database async throws in kept = database.changes(since: 0) }
        let feed = try #require(kept)
        var iterator = feed.makeAsyncIterator()
        await #expect(throws: DatabaseError.self) { try await iterator.next() }
        let after = try await iterator.next()
        #expect(after == nil)
        #expect(await code(feed) == .databaseClosed)
    }
}
