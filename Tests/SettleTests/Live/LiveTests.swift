import Observation
import Settle
import TestSupport
import Testing

/// What views show of a database.
@Suite struct `Live values` {
    struct Task: DocumentModel {
        static let documentType = "task"
        var id: String
        var title: String
    }

    private static let byTitle = Database.Index.keyPaths(
        Task.self, name: "byTitle", keys: [\.title], reduce: .count)

    /// Waits until something holds, looking again whenever one of the properties it reads changes.
    @MainActor private func until(_ holds: @MainActor @Sendable () -> Bool) async {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let isDone = withObservationTracking(holds) {
                change.yield()
                change.finish()
            }
            if isDone { return }
            for await _ in changes { break }
        }
    }

    @Test @MainActor func `begin by loading and follow what is committed`() async throws {
        try await withDatabase(indexes: [Self.byTitle]) { database in
            let models = database.liveModels(Task.self)
            let some = database.liveModels(Task.self, where: \.title == "A")
            let query = database.liveQuery(on: "byTitle")
            let found = database.liveModels(Task.self, on: "byTitle")
            let one = database.liveModel(Task.self, id: "a")
            let document = database.liveDocument("a")
            let documents = database.liveDocuments(ofType: "task")
            #expect(models.isLoading && models.value == nil && models.error == nil)
            await until { !models.isLoading && !one.isLoading && !document.isLoading }
            #expect(models.value?.isEmpty == true)
            #expect(one.value == nil && document.value == nil)
            try await database.add(Task(id: "a", title: "A"))
            await until {
                models.value?.first?.title == "A" && one.value?.title == "A"
                    && some.value?.count == 1
                    && document.value?["title"] as? String == "A"
                    && query.value?.first?.value as? Int == 1 && found.value?.count == 1
                    && documents.value?.count == 1
            }
            try await database.delete(documentWithId: "a")
            await until { one.value == nil && document.value == nil && models.value?.count == 0 }
        }
    }

    @Test @MainActor func `keep the last value beside an error, and load anew`() async throws {
        try await withDatabase { database in
            let models = database.liveModel(Task.self, id: "a")
            try await database.add(Task(id: "a", title: "A"))
            await until { models.value?.title == "A" }
            try await database.save(["id": "a", "type": "task"], revision: models.value?.revision)
            await until { models.error != nil }
            #expect(models.error?.code == .invalidDocument)
            #expect(models.value?.title == "A" && !models.isLoading)
            try await database.save(["id": "a", "type": "task", "title": "B"], revision: nil)
            models.reload()
            #expect(models.isLoading && models.error == nil)
            await until { models.value?.title == "B" }
            let missing = database.liveQuery(on: "nowhere")
            await until { missing.error?.code == .indexNotFound }
        }
    }

    @Test @MainActor func `go on after an error when it is mended, and end with the database`()
        async throws
    {
        try await withDatabase(indexes: [Self.byTitle]) { database in
            let one = database.liveModel(Task.self, id: "a")
            let document = try await database.save(["id": "a", "type": "task"])
            await until { one.error?.code == .invalidDocument }
            var mended = document
            mended["title"] = "A"
            try await database.save(mended)
            await until { one.value?.title == "A" && one.error == nil }
            await database.close()
            let late = database.liveModel(Task.self, id: "a")
            await until { !late.isLoading }
        }
    }

    @Test @MainActor func `end when they are cancelled, and with their owner`() async throws {
        try await withDatabase { database in
            let models = database.liveModels(Task.self)
            await until { models.value != nil }
            models.cancel()
            var owned: Live<ModelList<Task>>? = database.liveModels(Task.self)
            weak let seen = owned
            await until { owned?.value != nil }
            owned = nil
            #expect(seen == nil)
            let other = database.liveModels(Task.self)
            try await database.add(Task(id: "a", title: "A"))
            await until { other.value?.count == 1 }
            #expect(models.value?.count == 0 && !models.isLoading)
        }
    }

    @Test @MainActor func `handlers on the main actor need no hop of their own`() async throws {
        try await withDatabase(indexes: [Self.byTitle]) { database in
            let shown = Shown()
            let observers = [
                database.observeQuery(on: "byTitle") { @MainActor result in
                    shown.count = result.first?.value as? Int ?? 0
                },
                database.observeDocuments(ofType: "task") { @MainActor result in
                    shown.length = result.count
                },
                database.observeDocument(
                    "a",
                    mainActorHandler: { state in
                        shown.title = try state.get()?["title"] as? String
                    }),
            ]
            try await database.add(Task(id: "a", title: "A"))
            await until { shown.count == 1 && shown.length == 1 && shown.title == "A" }
            for observer in observers { database.removeObserver(try #require(observer)) }
        }
    }

    @MainActor @Observable final class Shown {
        var count = 0
        var length = 0
        var title: String?
    }
}

extension Database {
    /// Writes over a document, whatever is there when no revision is given.
    fileprivate func save(_ document: Document, revision: String?) async throws {
        try await write { transaction in
            var changed = document
            changed.metaData = try transaction.document(document.id)?.metaData ?? changed.metaData
            changed["type"] = "task"
            try transaction.save(changed)
        }
    }
}
