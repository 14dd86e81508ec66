import Settle
import TestSupport
import Testing

/// The code of Docs/Guides/Observing.md, run.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `The guide to observing` {
    private static let byPrice = Database.Index.keyPaths(name: "byPrice", keys: [["price"]])

    private static func fruit(_ name: String, _ price: Int) -> Document {
        ["id": .some(name), "type": "fruit", "name": .some(name), "price": .some(price)]
    }

    private func withOrchard(_ body: (Database) async throws -> Void) async throws {
        try await withDatabase(indexes: [Self.byPrice]) { database async throws in
            try await database.write { transaction in
                try transaction.add(Self.fruit("apple", 2))
                try transaction.add(Self.fruit("pear", 3))
                try transaction.add(Self.fruit("quince", 7))
            }
            try await body(database)
        }
    }

    @Test func `has handlers called with results`() async throws {
        try await withOrchard { database in
            let inbox = Inbox<[String]>()
            @Sendable func show(_ names: [String]) { inbox.put(names) }
            var cheap = QueryByKeyRange(endKey: 3)
            cheap.includeDocuments = true
            let observer = database.observeQuery(on: "byPrice", with: cheap) { result in
                show(result.map { $0.document?.string("name") ?? "no name" })
            }
            #expect(await inbox.first() == ["apple", "pear"])
            try await database.add(Self.fruit("plum", 1))
            #expect(await inbox.first() == ["plum", "apple", "pear"])
            if let observer { database.removeObserver(observer) }
            let calm = database.observeQuery(on: "byPrice", interval: .seconds(1)) { result in
                show(["\(result.count) fruits"])
            }
            #expect(await inbox.first() == ["4 fruits"])
            #expect(calm != nil)
        }
    }

    @MainActor private final class NameList {
        private let inbox: Inbox<[String]>
        private var names: [String] = [] {
            didSet { inbox.put(names) }
        }

        init(_ inbox: Inbox<[String]>) { self.inbox = inbox }

        func observe(_ database: Database, _ cheap: QueryByKeyRange) -> QueryObserver? {
            let observer = database.observeQuery(on: "byPrice", with: cheap) {
                @MainActor [weak self] result in
                self?.names = result.map { $0.document?.string("name") ?? "no name" }
            }
            return observer
        }
    }

    @Test @MainActor func `has a handler called on the main actor`() async throws {
        let directory = try ScratchDirectory("orchard")
        let database = try await openDatabase(in: directory, indexes: [Self.byPrice])
        try await database.add(Self.fruit("apple", 2))
        let inbox = Inbox<[String]>()
        var cheap = QueryByKeyRange(endKey: 3)
        cheap.includeDocuments = true
        let names = NameList(inbox)
        let observer = names.observe(database, cheap)
        #expect(await inbox.first() == ["apple"])
        #expect(observer != nil)
        await database.close()
    }

    @Test func `has a handler called with a document`() async throws {
        try await withOrchard { database in
            let inbox = Inbox<[String]>()
            @Sendable func show(_ names: [String]) { inbox.put(names) }
            let watcher = database.observeDocument("apple") { state in
                show([try state.get()?.string("name") ?? "no apple"])
            }
            #expect(await inbox.first() == ["apple"])
            try await database.delete(documentWithId: "apple")
            #expect(await inbox.first() == ["no apple"])
            #expect(watcher?.handlerError == nil)
        }
    }

    @Test func `goes through results and differences`() async throws {
        try await withOrchard { database in
            let (results, steps) = (Inbox<[String]>(), Inbox<[String]>())
            let readers = [
                Task { try await Self.showResults(of: database, results) },
                Task { try await Self.showDifferences(of: database, steps) },
            ]
            #expect(await results.first() == ["apple", "pear"])
            #expect(await steps.first() == ["apple", "pear"])
            try await database.write { transaction in
                try transaction.add(Self.fruit("plum", 1))
                try transaction.add(Self.fruit("sloe", 3))
                try transaction.save(Self.fruit("pear", 1))
                try transaction.delete(documentWithId: "apple")
            }
            let wanted = ["pear", "plum", "sloe"]
            #expect(await results.first() == wanted)
            #expect(await steps.first() == wanted)
            for reader in readers {
                reader.cancel()
                try await reader.value
            }
        }
    }

    private static func showResults(
        of database: Database, _ inbox: Inbox<[String]>
    ) async throws {
        func show(_ names: [String]) { inbox.put(names) }
        var cheap = QueryByKeyRange(endKey: 3)
        cheap.includeDocuments = true
        for try await result in database.queryResults(on: "byPrice", with: cheap) {
            show(result.map { $0.document?.string("name") ?? "no name" })
        }
    }

    private static func showDifferences(
        of database: Database, _ inbox: Inbox<[String]>
    ) async throws {
        func show(_ names: [String]) { inbox.put(names) }
        var cheap = QueryByKeyRange(endKey: 3)
        cheap.includeDocuments = true
        var list: [QueryResultRow] = []
        for try await step in database.queryChanges(on: "byPrice", with: cheap) {
            list.apply(step)
            show(list.map { $0.document?.string("name") ?? "no name" })
        }
    }

    @Test func `goes through documents`() async throws {
        try await withOrchard { database in
            let (single, typed) = (Inbox<[String]>(), Inbox<[String]>())
            let readers = [
                Task {
                    func show(_ names: [String]) { single.put(names) }
                    for try await apple in database.documentStates(of: "apple") {
                        show([apple?.string("name") ?? "no apple"])
                    }
                },
                Task {
                    func show(_ names: [String]) { typed.put(names) }
                    for try await fruits in database.documentResults(ofType: "fruit") {
                        show(fruits.map { $0.document?.string("name") ?? "no name" })
                    }
                },
            ]
            #expect(await single.first() == ["apple"])
            #expect(await typed.first() == ["apple", "pear", "quince"])
            try await database.purge(documentsWithIds: ["apple"])
            #expect(await single.first() == ["no apple"])
            #expect(await typed.first() == ["pear", "quince"])
            for reader in readers {
                reader.cancel()
                try await reader.value
            }
        }
    }

    @Test func `shows only lines that are run here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Observing.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 40)
    }
}

extension [QueryResultRow] {
    mutating func apply(_ step: QueryChanges.Element) {
        if step.isFirst { self = step.result.rows }
        var (left, come): ([Int], [Int]) = ([], [])
        for change in step.changes {
            switch change {
            case .removed(let old): left.append(old)
            case .inserted(let new): come.append(new)
            case .updated(let old, let new), .moved(let old, let new):
                left.append(old)
                come.append(new)
            }
        }
        for place in left.sorted(by: >) { remove(at: place) }
        for place in come.sorted() { insert(step.result[place], at: place) }
    }
}
