import Dispatch
import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleOutbox

/// An operation with a text to know it by.
struct Errand: OutboxOperation, Hashable {
    static let operationName = "errand"
    var text = ""
}

/// An operation of another type.
struct Parcel: OutboxOperation, Hashable {
    static let operationName = "parcel"
    var weight = 0
}

/// An operation that policies can coalesce.
struct Edit: CoalescableOperation, Hashable {
    static let operationName = "edit"
    var kind: OperationKind
    var text = ""
}

/// A date that stands still until a test moves it.
final class ManualDate: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_000_000_000))

    var value: Date { date.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        date.withLock { $0 += seconds }
    }
}

/// A database whose outbox carries nothing out; the tests start and end its operations.
struct QueueFixture {
    static let types: [any OutboxOperation.Type] = [Errand.self, Parcel.self, Edit.self]

    let scratch: ScratchDirectory
    let date: ManualDate
    let database: Database
    let outbox: Outbox
    private let closer: Closer

    /// Closes the outbox and the database when nobody uses the fixture any more: an open outbox keeps
    /// its database, and with that the files.
    private final class Closer: Sendable {
        let outbox: Outbox

        init(_ outbox: Outbox) { self.outbox = outbox }

        deinit {
            Task { [outbox] in
                await outbox.close()
                await outbox.database.close()
            }
        }
    }

    init(
        _ pipelines: [PipelineConfiguration] = [idle()],
        operations: [any OutboxOperation.Type] = Self.types, hooks: (any OutboxHooks)? = nil
    ) async throws {
        try await self.init(
            ScratchDirectory("outbox"), ManualDate(), pipelines, operations: operations,
            hooks: hooks)
    }

    private init(
        _ scratch: ScratchDirectory, _ date: ManualDate, _ pipelines: [PipelineConfiguration],
        operations: [any OutboxOperation.Type], hooks: (any OutboxHooks)? = nil
    ) async throws {
        self.scratch = scratch
        self.date = date
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: scratch.url,
            completionQueue: DispatchQueue(label: "settle.tests.completion"),
            durability: .relaxed, now: { date.value })
        database = try #require(try await Database.open(with: configuration, create: true))
        outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: operations, pipelines: pipelines, isRunning: false, hooks: hooks))
        closer = Closer(outbox)
        // What a process does that runs the pipelines, before it starts any.
        try await database.write { transaction in
            try OutboxOpening(table: OutboxTable(writingIn: transaction), now: date.value)
                .run(pipelines)
        }
    }

    func close() async {
        await outbox.close()
        await database.close()
    }

    /// The same database, opened again as another process would.
    func reopened(
        _ pipelines: [PipelineConfiguration] = [idle()],
        operations: [any OutboxOperation.Type] = Self.types
    ) async throws -> QueueFixture {
        await close()
        return try await QueueFixture(scratch, date, pipelines, operations: operations)
    }

    /// Starts what may start, in the order in which it is to start.
    @discardableResult
    func start(
        _ countMax: Int = .max, in pipeline: String = Outbox.defaultPipeline
    ) async throws -> [UUID] {
        let (now, names) = (date.value, outbox.names)
        return try await database.write { transaction in
            let table = try OutboxTable(writingIn: transaction)
            guard let record = try table.pipeline(named: pipeline) else { return [] }
            return try OperationSchedule(table: table, now: now).start(
                of: record.number, countMax: countMax,
                isKnown: { names?.contains($0) ?? false }
            ).map(\.row.id)
        }
    }

    /// Adds an operation in a commit of its own.
    @discardableResult
    func add(
        _ text: String = "", _ id: UUID = UUID(), in pipeline: String? = nil,
        about documentIds: [String] = [], after dependencies: Set<UUID> = [],
        priority: Int32 = 0
    ) async throws -> UUID {
        try await outbox.write { queue in
            try queue.add(
                Errand(text: text), id: id, pipeline: pipeline, about: documentIds,
                dependencies: dependencies, priority: priority)
        }
    }

    func complete(_ id: UUID) async throws {
        let wasThere = try await outbox.write { try $0.complete(id) }
        #expect(wasThere)
    }

    func operation(_ id: UUID) throws -> QueuedOperation? {
        try outbox.read { try $0.operation(id) }
    }

    /// The operations of a pipeline or of all, in order.
    func ids(in pipeline: String? = nil) throws -> [UUID] {
        try outbox.read { try $0.operations(in: pipeline).map(\.id) }
    }

    /// How many rows the outbox has that belong to operations.
    func rowCount() throws -> Int {
        try database.read { snapshot in
            var count = 0
            let table = try OutboxTable(in: snapshot)
            for kind in 1...6 {
                try table.forEach(of: [UInt8(kind)]) { _, _ in
                    count += 1
                    return true
                }
            }
            return count
        }
    }

    func lists(in pipeline: String = Outbox.defaultPipeline) throws -> QueueLists {
        try database.read { snapshot in
            let table = try OutboxTable(in: snapshot)
            var lists = QueueLists()
            guard let record = try table.pipeline(named: pipeline) else { return lists }
            func ids(_ place: OperationPlace) throws -> [UUID] {
                try table.keys(in: place, of: record.number).map { key in
                    try #require(try table.row(key)).id
                }
            }
            lists.ready = try ids(.ready)
            lists.held = try ids(.held(.distantPast))
            lists.started = try ids(.started)
            lists.unknown = try ids(.unknown)
            return lists
        }
    }
}

/// A pipeline that carries nothing out.
func idle(
    _ name: String = Outbox.defaultPipeline, previousNames: Set<String> = [],
    algorithm: PipelineAlgorithm = .commitGraph, coalescing: CoalescingPolicy? = nil,
    prepare: (
        @Sendable (_ added: inout [QueuedOperation], OutboxTransaction) throws -> Void
    )? = nil
) -> PipelineConfiguration {
    var pipeline = PipelineConfiguration(
        name, previousNames: previousNames, algorithm: algorithm, coalescing: coalescing,
        delegate: nil)
    pipeline.prepare = prepare
    return pipeline
}

/// The lists of a pipeline.
struct QueueLists: Hashable {
    var ready: [UUID] = []
    var held: [UUID] = []
    var started: [UUID] = []
    var unknown: [UUID] = []
}

/// The code of the outbox's error that is thrown; nil when none is.
func code(
    isolation: isolated (any Actor)? = #isolation, of body: () async throws -> Void
) async throws -> OutboxError.Code? {
    do {
        try await body()
        return nil
    } catch let error as OutboxError {
        return error.code
    }
}

/// An error of a test's own.
struct ExpectedError: Error, Hashable {}
