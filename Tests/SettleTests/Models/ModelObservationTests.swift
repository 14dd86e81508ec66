import Foundation
import Settle
import TestSupport
import Testing

/// Observed lists of models, their differences, and the feed of their changes.
@Suite struct `Observed models` {
    struct Task: DocumentModel, Equatable {
        static let documentType = "task"
        var id: String
        var title: String
        var rank: Int?
    }

    /// A model with a member that no filter can name.
    struct Odd: DocumentModel {
        enum CodingKeys: String, CodingKey {
            case id
            case odd = "$odd"
        }
        static let documentType = "odd"
        static let memberNames = ["odd": "$odd"]
        var id: String
        var odd: String
    }

    private static let byRank = Database.Index.keyPaths(
        Task.self, name: "byRank", keys: [\.rank], value: \.rank, reduce: .sum)

    @Test func `come again when one changes, and list what cannot be read`() async throws {
        try await withDatabase(indexes: [Self.byRank]) { database in
            var all = database.modelResults(Task.self).makeAsyncIterator()
            var ranked = database.modelResults(Task.self, on: "byRank").makeAsyncIterator()
            #expect(try await all.next()?.count == 0)
            #expect(try await ranked.next()?.count == 0)
            try await database.write { transaction in
                try transaction.add(Task(id: "a", title: "A", rank: 2))
                try transaction.add(Task(id: "b", title: "B", rank: 1))
                try transaction.save(["id": "c", "type": "task", "rank": 3])
                try transaction.save(["id": "d", "type": "other", "rank": 0])
            }
            let list = try #require(try await all.next())
            #expect(list.map(\.title) == ["A", "B"])
            #expect(list.unreadable.map(\.document.id) == ["c"])
            #expect(list.unreadable.first?.error.message.contains("'title' is missing") == true)
            let rows = try #require(try await ranked.next())
            #expect(rows.map(\.id) == ["b", "a"])
            #expect(rows.unreadable.count == 1)
        }
    }

    @Test func `that pass a filter come and go as they begin and cease to pass`() async throws {
        try await withDatabase { database in
            for (id, rank) in [("a", 1), ("b", 2), ("c", 3)] {
                try await database.add(Task(id: id, title: id, rank: rank))
            }
            try await database.save(["id": "d", "type": "task", "rank": 9])
            try await database.save(["id": "e", "type": "other", "rank": 9])
            var lists = database.modelResults(Task.self, where: \.rank >= 2).makeAsyncIterator()
            var steps = database.modelChanges(Task.self, where: \.rank >= 2).makeAsyncIterator()
            let first = try #require(try await lists.next())
            #expect(first.map(\.id) == ["b", "c"] && first.unreadable.map(\.document.id) == ["d"])
            #expect(try await steps.next()?.rows.map(\.id) == ["b", "c", "d"])
            try await database.write { transaction in
                try transaction.update(Task.self, id: "a") { $0.rank = 5 }
                try transaction.update(Task.self, id: "b") { $0.rank = nil }
            }
            #expect(try await lists.next()?.map(\.id) == ["a", "c"])
            #expect(try await steps.next()?.changes == [.removed(old: 0), .inserted(new: 0)])
            // Does not pass before or after: nothing comes of it.
            try await database.update(Task.self, id: "b") { $0.title = "B" }
            try await database.update(Task.self, id: "c") { $0.title = "C" }
            #expect(try await lists.next()?.map(\.title) == ["a", "C"])

            var impossible = database.modelResults(Odd.self, where: \.odd == "x")
                .makeAsyncIterator()
            let error = await #expect(throws: DatabaseError.self) { try await impossible.next() }
            #expect(error?.code == .invalidIndex)
        }
    }

    @Test func `come with their differences, whose positions count every row`() async throws {
        try await withDatabase { database in
            try await database.save(["id": "a", "type": "task"])
            try await database.add(Task(id: "b", title: "B"))
            var steps = database.modelChanges(Task.self).makeAsyncIterator()
            let first = try #require(try await steps.next())
            #expect(first.isFirst && first.changes.isEmpty)
            #expect(first.rows.map(\.id) == ["a", "b"])
            #expect(first.rows.map { $0.stored?.title } == [nil, "B"])
            #expect(first.rows[0].error?.code == .invalidDocument)
            try await database.write { transaction in
                try transaction.update(Task.self, id: "b") { $0.title = "BB" }
                try transaction.add(Task(id: "c", title: "C"))
            }
            let second = try #require(try await steps.next())
            #expect(second.changes == [.inserted(new: 2), .updated(old: 1, new: 1)])
            #expect(second.rows.map { $0.stored?.title } == [nil, "BB", "C"])
            try await database.delete(documentWithId: "a")
            let third = try #require(try await steps.next())
            #expect(third.changes == [.removed(old: 0)])
            #expect(third.rows.map { $0.stored?.title } == ["BB", "C"])
        }
    }

    @Test func `of a query move when their keys change`() async throws {
        try await withDatabase(indexes: [Self.byRank]) { database in
            for (id, rank) in [("a", 1), ("b", 2)] {
                try await database.add(Task(id: id, title: id, rank: rank))
            }
            var steps = database.modelChanges(Task.self, on: "byRank").makeAsyncIterator()
            #expect(try await steps.next()?.rows.map(\.id) == ["a", "b"])
            try await database.update(Task.self, id: "a") { $0.rank = 3 }
            let step = try #require(try await steps.next())
            #expect(step.changes == [.moved(old: 0, new: 1)])
            #expect(step.rows.map { $0.stored?.rank } == [2, 3])
        }
    }

    @Test func `alone are nil while there is none, and say when they cannot be read`() async throws
    {
        try await withDatabase { database in
            var states = database.modelStates(Task.self, id: "a").makeAsyncIterator()
            #expect(try await states.next() == .some(nil))
            try await database.add(Task(id: "a", title: "A"))
            #expect(try await states.next()??.title == "A")
            try await database.save(["id": "b", "type": "task"])
            var broken = database.modelStates(Task.self, id: "b").makeAsyncIterator()
            let error = await #expect(throws: DatabaseError.self) { try await broken.next() }
            #expect(error?.code == .invalidDocument)
            try await database.write { transaction in
                var document = try #require(try transaction.document("b"))
                document["title"] = "B"
                try transaction.save(document)
            }
            #expect(try await broken.next()??.title == "B")
        }
    }

    @Test func `are in the feed of changes with their deletions`() async throws {
        try await withDatabase { database in
            try await database.add(Task(id: "a", title: "A"))
            try await database.add(Task(id: "b", title: "B"))
            try await database.save(["id": "c", "type": "other"])
            try await database.delete(documentWithId: "b")
            var seen: [String] = []
            for try await element in database.changes(of: Task.self, since: 0) {
                let title = try element.model(as: Task.self)?.title
                seen.append("\(element.change.documentId) \(title ?? "-")")
            }
            #expect(seen == ["a A", "b -"])
        }
    }
}
