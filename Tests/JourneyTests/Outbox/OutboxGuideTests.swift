import Dispatch
import Foundation
import Settle
import SettleOutbox
import Synchronization
import TestSupport
import Testing

struct PutNote: OutboxOperation {
    static let operationName = "put-note"
    var noteId: String
}

struct SyncNote: CoalescableOperation {
    static let operationName = "sync-note"
    var noteId: String
    var kind: OperationKind
}

struct NoteStates: OutboxHooks {
    func didAdd(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try mark(operation, "waiting", in: transaction)
    }

    func didComplete(_ operation: QueuedOperation, in transaction: Transaction) throws {
        try mark(operation, "stored", in: transaction)
    }

    private func mark(
        _ operation: QueuedOperation, _ state: String, in transaction: Transaction
    ) throws {
        for id in operation.documentIds {
            guard var note = try transaction.document(id) else { continue }
            note["state"] = state
            try transaction.save(note)
        }
    }
}

/// Takes pieces of a film, and loses the second one once.
private actor FilmCloud {
    private(set) var bytes = Data()
    /// Where the pieces begin that were sent.
    private(set) var places: [Int] = []

    func append(_ piece: Data, at place: Int) throws {
        places.append(place)
        if places.count == 2 { throw CancellationError() }
        bytes = bytes.prefix(place) + piece
    }
}

private struct FilmUpload: PipelineDelegate {
    let film: Data
    let cloud: FilmCloud

    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome {
        var sent = Int(operation.notes["sent"]?.integerValue ?? 0)
        while sent < film.count {
            let piece = film.dropFirst(sent).prefix(1_000)
            try await cloud.append(piece, at: sent)
            sent += piece.count
            try await pipeline.setNotes(["sent": .integer(Int64(sent))], of: operation)
        }
        return .completed
    }
}

/// The code of Docs/Guides/Outbox.md that its two examples do not have, run.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `The guide to the outbox` {
    /// A cloud that notes what it was given, once its gate is open.
    private final class Cloud: Sendable {
        let gate = Gate()
        private let notes = Mutex<[String]>([])
        var stored: [String] { notes.withLock { $0 } }

        func store(_ note: Document) async throws {
            await gate.pass()
            notes.withLock { $0.append(note.id) }
        }
    }

    private let cloud = Cloud()
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory("guide")
    }

    private func database() async throws -> Database {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "notes", fileLocation: directory.url,
            completionQueue: DispatchQueue(label: "notes"), durability: .relaxed)
        return try #require(try await Database.open(with: configuration, create: true))
    }

    /// A database with some notes.
    private func withNotes(_ body: (Database) async throws -> Void) async throws {
        let database = try await database()
        try await database.write { transaction in
            for id in ["key", "secret", "urgent", "index", "rights", "milk"] {
                try transaction.save(["id": .some(id)])
            }
        }
        try await body(database)
        await database.close()
    }

    /// A database with some notes, and its outbox, whose cloud waits for the gate.
    private func withOutbox(
        _ body: (Database, Outbox) async throws -> Void
    ) async throws {
        try await withNotes { database in
            let outbox = try await open(database)
            try await body(database, outbox)
            cloud.gate.open()
            await outbox.close()
        }
    }

    /// An outbox that carries nothing out, for a queue to be made before anything starts.
    private func withIdleOutbox(
        _ database: Database, _ body: (Outbox) async throws -> Void
    ) async throws {
        let outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: [PutNote.self], pipelines: [PipelineConfiguration()]))
        try await body(outbox)
        await outbox.close()
    }

    private func pipeline(of database: Database, limit: Int) -> PipelineConfiguration {
        let cloud = cloud
        let sending = PipelineConfiguration { operation in
            guard let put = try operation.operation(as: PutNote.self),
                let note = try await database.fetchDocument(put.noteId)
            else { return .skipped() }
            try await cloud.store(note)
            return .completed
        }
        var limited = sending
        limited.maxConcurrentOperationCount = limit
        return limited
    }

    private func open(_ database: Database, limit: Int = 8) async throws -> Outbox {
        let sending = pipeline(of: database, limit: limit)
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [PutNote.self], pipelines: [sending]))
        return outbox
    }

    @Test func `begins with twenty lines that send a note`() async throws {
        try await withOutbox { database, outbox in
            try await database.write { transaction in
                try transaction.save(["id": "milk", "text": "buy milk"])
                try transaction.outbox.add(PutNote(noteId: "milk"), about: ["milk"])
            }
            #expect(try outbox.read { try $0.operations(about: "milk").count } == 1)
            cloud.gate.open()
            try await outbox.isEmptied()
            #expect(cloud.stored == ["milk"])
        }
    }

    @Test func `says what comes first`() async throws {
        try await withNotes { database in
            try await withIdleOutbox(database) { outbox in
                let key = try await outbox.write { queue in
                    let key = try queue.add(PutNote(noteId: "key"))
                    try queue.add(PutNote(noteId: "secret"), dependencies: [key])
                    try queue.add(PutNote(noteId: "urgent"), priority: 100)
                    return key
                }
                try await outbox.write { try $0.add(PutNote(noteId: "milk"), priority: 200) }
                try await outbox.write { queue in
                    try queue.insert(PutNote(noteId: "index"), intoGraphOf: key)
                }
                try await outbox.write { queue in
                    if let current = try queue.stored().graphNumbers().first {
                        try queue.insert(PutNote(noteId: "rights"), intoGraph: current)
                    }
                }
                #expect(try outbox.read { try $0.graphs().map(\.operations.count) } == [5, 1])
            }
            let outbox = try await open(database, limit: 1)
            cloud.gate.open()
            try await outbox.isEmptied()
            #expect(cloud.stored == ["urgent", "key", "secret", "index", "rights", "milk"])
            await outbox.close()
        }
    }

    @Test func `holds, skips, and lets go`() async throws {
        try await withNotes { database in
            try await withIdleOutbox(database) { outbox in
                let (first, second) = try await outbox.write { queue in
                    try (queue.add(PutNote(noteId: "key")), queue.add(PutNote(noteId: "secret")))
                }
                let tomorrow = Date(timeIntervalSinceNow: 86_400)
                try await outbox.write { queue in
                    try queue.hold(first, until: tomorrow, context: "roaming")
                    try queue.skip(second)
                    try queue.skipOperations { $0.startCount > 20 }
                }
                let left = try outbox.read { try $0.operations() }
                #expect(left.map(\.id) == [first])
                #expect(left.first?.holdDate.map { $0 > Date() } == true)
            }
            let outbox = try await open(database)
            cloud.gate.open()
            try await outbox.write { queue in
                for operation in try queue.operations() { try queue.releaseHolds(operation.id) }
            }
            try await outbox.isEmptied()
            #expect(cloud.stored == ["key"])
            await outbox.close()
        }
    }

    @Test func `suspends, and goes on when it is resumed as often`() async throws {
        try await withOutbox { _, outbox in
            outbox.suspend()
            outbox.pipeline()?.suspend()
            #expect(outbox.pipeline()?.suspendCount == 2)
            outbox.resume()
            #expect(!outbox.isSuspended)
            #expect(outbox.pipeline()?.isSuspended == true)
            outbox.pipeline()?.resume()
            cloud.gate.open()
            try await outbox.write { try $0.add(PutNote(noteId: "milk")) }
            try await outbox.isEmptied()
            #expect(cloud.stored == ["milk"])
        }
    }

    @Test func `finds documents by their addresses`() async throws {
        try await withOutbox { database, outbox in
            try await database.write { transaction in
                try transaction.save(["id": "ann", "firstName": "Ann"])
                try transaction.outbox.attach("contacts/ann.json", to: "ann")
            }
            let ids = try outbox.read { try $0.documentIds(attachedTo: "contacts/ann.json") }
            #expect(ids == ["ann"])
            try await database.write { transaction in
                try transaction.save(["id": "bob", "firstName": "Bob"])
                try transaction.outbox.attach("contacts/bob.json", to: "bob", isPending: true)
            }
            let waiting = try outbox.read { try $0.pendingLinks().map(\.documentId) }
            #expect(waiting == ["bob"])
            try await database.delete(documentWithId: "ann")
            #expect(try outbox.read { try $0.cloudURIs(of: "ann") } == [])
        }
    }

    @Test func `tells hooks what happens, in the same transaction`() async throws {
        try await withNotes { database in
            let sending = pipeline(of: database, limit: 1)
            let outbox = try await database.openOutbox(
                OutboxConfiguration(
                    operations: [PutNote.self], pipelines: [sending], hooks: NoteStates()))
            try await outbox.write { try $0.add(PutNote(noteId: "milk"), about: ["milk"]) }
            #expect(try await database.fetchDocument("milk")?["state"] as? String == "waiting")
            cloud.gate.open()
            try await outbox.isEmptied()
            #expect(try await database.fetchDocument("milk")?["state"] as? String == "stored")
            await outbox.close()
        }
    }

    @Test func `goes on with an upload where it was`() async throws {
        let database = try await database()
        let film = Data((0..<2_500).map { UInt8(truncatingIfNeeded: $0) })
        let cloud = FilmCloud()
        let upload = FilmUpload(film: film, cloud: cloud)
        let pipeline = PipelineConfiguration(
            retries: RetryPolicy(first: 0, longest: 0), delegate: upload)
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [PutNote.self], pipelines: [pipeline]))
        try await outbox.write { try $0.add(PutNote(noteId: "film")) }
        try await outbox.isEmptied()
        #expect(await cloud.bytes == film)
        // The second piece was lost once, and the first was not sent again.
        #expect(await cloud.places == [0, 1_000, 1_000, 2_000])
        await outbox.close()
        await database.close()
    }

    @Test func `coalesces what has not been started`() async throws {
        let database = try await database()
        let newest = CoalescingPolicy { queued, added in
            let areAlike = queued.name == added.name && queued.documentIds == added.documentIds
            return areAlike ? .replace(added) : .keepInOrder
        }
        let pipeline = PipelineConfiguration(coalescing: newest)
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [PutNote.self], pipelines: [pipeline]))
        for _ in 1...3 {
            try await outbox.write { try $0.add(PutNote(noteId: "milk"), about: ["milk"]) }
        }
        #expect(try outbox.read { try $0.operations().count } == 1)
        await outbox.close()
        await database.close()
    }

    @Test func `coalesces what inserts, updates, and deletes`() async throws {
        let database = try await database()
        let coalesced = PipelineConfiguration(coalescing: .byKind(of: SyncNote.self))
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [SyncNote.self], pipelines: [coalesced]))
        for (kind, rest) in [
            (OperationKind.insert, [OperationKind.insert]), (.update, [.insert]), (.delete, []),
        ] {
            try await outbox.write { queue in
                try queue.add(SyncNote(noteId: "milk", kind: kind), about: ["milk"])
            }
            let left = try outbox.read { try $0.operations() }
            #expect(try left.map { try $0.operation(as: SyncNote.self)?.kind } == rest)
        }
        await outbox.close()
        await database.close()
    }

    @Test func `names the dependencies of a flat graph`() async throws {
        let database = try await database()
        var pipeline = PipelineConfiguration(algorithm: .flatGraph)
        pipeline.prepare = { added, queue in
            for index in added.indices {
                for id in added[index].documentIds {
                    let all = try queue.operations(about: id)
                    let earlier = all.prefix { $0.id != added[index].id }
                    if let last = earlier.last(where: { $0.pipeline == added[index].pipeline }) {
                        added[index].dependencies.insert(last.id)
                    }
                }
            }
        }
        let photos = PipelineConfiguration("photos", delegate: nil)
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [PutNote.self], pipelines: [pipeline, photos]))
        try await outbox.write { queue in
            _ = try queue.add(PutNote(noteId: "photo"), pipeline: "photos", about: ["milk"])
        }
        var ids: [UUID] = []
        for notes in [["milk"], ["key"], ["milk", "milk"], ["milk"]] {
            ids += try await outbox.write { queue in
                try notes.map { try queue.add(PutNote(noteId: $0), about: [$0]) }
            }
        }
        let operations = try outbox.read { try $0.operations(in: Outbox.defaultPipeline) }
        #expect(operations.map(\.id) == ids)
        #expect(
            operations.map(\.dependencies) == [[], [], [ids[0]], [ids[2]], [ids[3]]])
        await outbox.close()
        await database.close()
    }

    @Test func `moves what was in pipelines that are called otherwise now`() async throws {
        let database = try await database()
        var outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: [PutNote.self],
                pipelines: [
                    PipelineConfiguration(),
                    PipelineConfiguration("photos"),
                ]))
        try await outbox.write { try $0.add(PutNote(noteId: "milk"), pipeline: "photos") }
        await outbox.close()
        let media = PipelineConfiguration("media", previousNames: ["photos"])
        outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: [], pipelines: [PipelineConfiguration(), media]))
        #expect(try outbox.read { try $0.operations(in: "media").count } == 1)
        await outbox.close()
        await database.close()
    }

    @Test func `adds from a process that carries nothing out`() async throws {
        let database = try await database()
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [PutNote.self], pipelines: [], isRunning: false))
        try await outbox.write { try $0.add(PutNote(noteId: "milk"), about: ["milk"]) }
        let count = try database.read { try OutboxSnapshot(in: $0).operations().count }
        #expect(count == 1)
        #expect(outbox.pipelines.isEmpty)
        await outbox.close()
        await database.close()
    }

    @Test func `is followed`() async throws {
        try await withOutbox { _, outbox in
            let (ended, calm) = (Gate(), Gate())
            let changes = outbox.queueChanges
            let readers = [
                Task {
                    for await change in changes {
                        print("\(change.pipeline): \(change.completed.count) done")
                        if !change.completed.isEmpty { await ended.pass() }
                    }
                },
                Task {
                    for await failure in outbox.failures {
                        print("\(failure.name) failed: \(failure.error)")
                    }
                },
                Task {
                    guard let pipeline = outbox.pipeline() else { return }
                    for await isActive in pipeline.activity {
                        print(isActive ? "sending" : "nothing to send")
                        await calm.pass()
                    }
                },
            ]
            ended.open()
            calm.open()
            await calm.arrival()
            cloud.gate.open()
            try await outbox.write { try $0.add(PutNote(noteId: "milk")) }
            await ended.arrival()
            await outbox.close()
            for reader in readers { await reader.value }
        }
    }

    @Test func `shows only lines that are run here`() throws {
        var missing: Set<String>?
        var lineCount = 0
        for file in ["OutboxGuideTests", "FooBarCloud", "ContactBook", "RecipeBook"] {
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("\(file).swift")
            let code = try GuideCode(of: "Docs/Guides/Outbox.md", runBy: source.path)
            missing = missing?.intersection(code.missing) ?? Set(code.missing)
            lineCount = code.lineCount
        }
        #expect(missing == [])
        #expect(lineCount > 150)
    }
}
