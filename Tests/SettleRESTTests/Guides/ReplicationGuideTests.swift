import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

/// The code of Docs/Guides/Replication.md, line by line, run against a table.
@Suite(.serialized) struct `Replication guide` {
    final class OwnNotes: ReplicationFilterDelegate {
        func database(
            _ database: Database, shouldSendDocument document: Document,
            filterParameters: [String: Any]?
        ) -> Bool {
            document["owner"] as? String == filterParameters?["owner"] as? String
        }
    }

    struct Visit: DocumentModel {
        static let documentType = "visit"
        var id = UUID().uuidString
        var customer: String
        var minutes: Int?
    }

    private let url: URL
    private let token = "secret"
    private let table = ModelTable()
    private let scratch: ScratchDirectory
    private let database: Database

    init() async throws {
        url = try #require(URL(string: "https://example.org/tables/notes"))
        scratch = try ScratchDirectory("guide")
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: scratch.url,
            completionQueue: DispatchQueue(label: "settle.tests.completion"))
        database = try #require(try await Database.open(with: configuration, create: true))
    }

    private func once() async throws {
        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        configuration.options = ["token": token]
        configuration.options["transport"] = table
        let summary = try await database.replicate(with: configuration)
        print("sent \(summary.pushed), fetched \(summary.pulled)")
    }

    private func always() async throws {
        let configuration = ReplicationConfiguration.repeatingBidirectionalReplication(with: url)
        try await database.startReplication(with: configuration)
        await database.stopReplication()
    }

    private func report() async throws {
        for await event in database.replicationEvents {
            switch event {
            case .sending(let sent, let total): print("sent \(sent) of \(total)")
            case .receiving(let received, let total): print("fetched \(received) of \(total)")
            case .completed(let summary): print("done, \(summary.conflicts) conflicts left")
            case .failed(let error): print(error.message)
            default: break
            }
        }
    }

    private func list() async throws {
        for operation in try database.pendingOperations() {
            print(operation.documentId, operation.kind, operation.state)
        }
        for operation in try database.rejectedOperations() {
            print(operation.documentId, operation.state, operation.statusCode ?? 0)
        }
        for item in try database.setAsideItems() {
            print(item.remote, item.id ?? item.place ?? "", item.member ?? "", item.reason)
        }
        for conflict in try database.replicationConflicts() {
            try await database.resolve(conflict, with: .useServer)
        }
    }

    private func several(_ base: ReplicationConfiguration) async throws {
        var configuration = base
        configuration.options = ["token": token]
        configuration.options["transport"] = table
        configuration.reconciling = .every(.seconds(24 * 3_600))
        let replication = try await database.addReplication(with: configuration)
        replication.addChannel("continent-AF")
        replication.limitToChannels = ["continent-AF", "continent-AS"]
        await replication.stop()
        #expect(database.replications.isEmpty)
    }

    private func attached(_ base: ReplicationConfiguration) async throws {
        var configuration = base
        configuration.options = ["token": token]
        configuration.options["transport"] = table
        configuration.options["carriesAttachments"] = true
        configuration.downloadsAttachments = false
        try await database.replicate(with: configuration)
        if let film = try await database.fetchDocument("a")?.attachments.first {
            print(film.length, try film.isContentAvailable)
        }
        try await database.downloadAttachments(ofDocumentWithId: "a", with: configuration)
    }

    private func twoTables() async throws {
        let server = try #require(URL(string: "https://example.org"))
        var todos = ReplicationConfiguration(url: server.appending(path: "tables/todos"))
        todos.scope = .documents(ofType: "todo")
        var notes = ReplicationConfiguration(url: server.appending(path: "tables/notes"))
        notes.scope = .documents(ofType: "note")
        let (todoTable, noteTable) = (ModelTable(), ModelTable())
        todos.options = ["transport": todoTable]
        notes.options = ["transport": noteTable]

        try await database.save(["type": "todo", "text": "Buy milk"])
        try await database.save(["type": "note", "text": "On milk"])
        for result in try await database.replicate(with: [todos, notes]) {
            print(result.remote, try result.summary().pushed)
        }
        #expect(todoTable.contents.values.map { $0["text"] } == ["Buy milk"])
        #expect(noteTable.contents.values.map { $0["text"] } == ["On milk"])
        try await database.replicate(with: [todos, notes], keepingCommitOrder: true)
        #expect(try database.pendingOperations(with: "https://example.org/tables/todos").isEmpty)
    }

    @Test func `resolves conflicts of models, and leaves the rest to another handler`()
        async throws
    {
        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        configuration.scope = .documents(ofType: "visit")
        configuration.conflictHandler = ConflictHandler(mayStop: false) { conflict in
            guard let local = conflict.local, let server = conflict.server,
                local.metaData.type == Visit.documentType
            else { return await ConflictHandler.merge(conflict) }
            var visit = try Stored<Visit>(server)
            visit.minutes = try Stored<Visit>(local).minutes
            return .use(try visit.changedDocument())
        }
        let backend = try AzureTablesBackend(url: url, token: token, transport: table)
        try await database.add(Visit(id: "edited", customer: "Mill"))
        try await database.add(Visit(id: "deleted", customer: "Inn"))
        try await database.replicate(with: configuration, using: backend)
        for id in ["edited", "deleted"] {
            _ = try await backend.send(
                RemoteOperation(
                    kind: .update, id: id, baseVersion: nil,
                    members: ["customer": "School", "floor": 2]))
        }
        try await database.update(Visit.self, id: "edited") { $0.minutes = 45 }
        try await database.delete(documentWithId: "deleted")
        let summary = try await database.replicate(with: configuration, using: backend)
        #expect(summary.conflictsResolved == 2)
        let edited = try #require(try await database.fetch(Visit.self, id: "edited"))
        #expect(edited.customer == "School" && edited.minutes == 45)
        #expect(edited.document.integer("floor") == 2)
        #expect(table.contents["edited"]?["minutes"] == 45)
        #expect(try await database.fetch(Visit.self, id: "deleted")?.customer == "School")
    }

    private func query(_ base: ReplicationConfiguration) async throws {
        var configuration = base
        configuration.options = ["token": token]
        configuration.options["transport"] = table
        configuration.direction = .serverToClient
        let largest = TableQuery(
            filter: .field("country") == "DE", order: [.descending(.field("population"))],
            limit: 100, parameters: ["units": "metric"])
        try await database.pull(largest, with: configuration)
        let german = TableQuery(filter: .field("country") == "DE")
        try await database.pull(german, queryId: "german", with: configuration)
        let remote = "https://example.org/tables/notes"
        try await database.removePullCheckpoints(of: remote, queryId: "german")
        for operation in try database.rejectedOperations() where operation.statusCode == 403 {
            try await database.withdraw(operation, .takeTheirs, with: configuration)
        }
    }

    private func startOver() async throws {
        let remote = "https://example.org/tables/notes"
        try await database.purgeReplicatedDocuments(of: remote) { $0.string("owner") == "bob" }
        try await database.purgeReplicatedDocuments(of: remote, discardingPendingOperations: true)
    }

    @Test func `shows code that works`() async throws {
        let watching = Task { try await report() }
        try await database.save(["id": "a", "owner": "ann", "seen": 1])
        try await database.save(["id": "b", "owner": "bob", "channels": ["continent-EU"]])
        try await once()
        #expect(table.contents.keys.sorted() == ["a", "b"])
        try await list()

        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        configuration.conflictHandler = ConflictHandler(mayStop: false) { conflict in
            guard let local = conflict.local, let server = conflict.server else { return .leave }
            var merged = local
            merged["seen"] = (local.integer("seen") ?? 0) + (server.integer("seen") ?? 0)
            return .use(merged)
        }
        let filter = OwnNotes()
        database.replicationFilterDelegate = filter
        configuration.filterParameters = ["owner": "ann"]
        configuration.limitToChannels = ["continent-EU"]
        let backend = try AzureTablesBackend(url: url, token: token, transport: table)
        // Somebody else counts, too.
        _ = try await backend.send(
            RemoteOperation(
                kind: .update, id: "a", baseVersion: nil, members: ["owner": "ann", "seen": 3]))
        try await database.save(["id": "a", "owner": "ann", "seen": 2])
        try await database.save(["id": "c", "owner": "bob"])
        try await database.replicate(with: configuration, using: backend)
        #expect(table.contents["a"]?["seen"] == 5)
        #expect(table.contents["c"] == nil)
        try await database.startReplication(with: configuration, using: backend)
        await database.stopReplication()
        withExtendedLifetime(filter) {}
        database.replicationFilterDelegate = nil
        try await several(configuration)
        let once = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        try await attached(once)
        try await query(once)
        try await startOver()
        #expect(try database.totalDocumentCount == 0)
        #expect(table.contents["a"] != nil)
        try await twoTables()
        watching.cancel()
        try await watching.value
    }

    @Test func `shows no line that is not compiled here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Replication.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 40)
    }
}
