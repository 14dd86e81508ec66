import Dispatch
import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Status delegate` {
    private static func database(_ scratch: ScratchDirectory) async throws -> Database {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: scratch.url,
            completionQueue: DispatchQueue(label: "settle.tests", attributes: .concurrent))
        return try #require(try await Database.open(with: configuration, create: true))
    }

    /// Writes down how many calls there are at a time, and what they say.
    private final class Watch: ReplicationStatusDelegate, ReplicationFilterDelegate {
        struct State {
            var runningCount = 0
            var runningMax = 0
            var sent: [Int] = []
            var details: [Bool] = []
        }

        let state = Lock(State())
        /// Where each end is told of.
        let ends: AsyncStream<String>
        private let end: AsyncStream<String>.Continuation
        /// Called within the end of a replication.
        let atEnd: @Sendable (Database) -> Void

        init(atEnd: @escaping @Sendable (Database) -> Void = { _ in }) {
            (ends, end) = AsyncStream.makeStream()
            self.atEnd = atEnd
        }

        private func call(_ body: (inout State) -> Void) {
            state.withLock { state in
                state.runningCount += 1
                state.runningMax = max(state.runningMax, state.runningCount)
                body(&state)
            }
            // Others that come now would be seen.
            for _ in 0..<100 { sched_yield() }
            state.withLock { $0.runningCount -= 1 }
        }

        func database(
            _ database: Database, replicationIsSending details: any ReplicationDetails, sent: Int,
            totalToSend: Int
        ) {
            call { $0.sent.append(sent) }
        }

        func database(
            _ database: Database, replicationIsReceiving details: any ReplicationDetails,
            received: Int, totalToReceive: Int
        ) {
            call { _ in }
        }

        func database(
            _ database: Database, replicationDidComplete details: any ReplicationDetails
        ) {
            let isNamed =
                database.replicationDetails != nil
                || database.replications.contains { $0.details.url == details.url }
            call { $0.details.append(isNamed) }
            atEnd(database)
            end.yield("complete")
        }

        func database(
            _ database: Database, replicationFailed details: any ReplicationDetails,
            error: any Error
        ) {
            let isNamed = database.replicationDetails != nil
            call { $0.details.append(isNamed) }
            atEnd(database)
            end.yield("failed")
        }

        func database(
            _ database: Database, shouldSendDocument document: Document,
            filterParameters: [String: Any]?
        ) -> Bool {
            call { _ in }
            return true
        }
    }

    @Test
    func `is called one at a time and in order on a concurrent queue, by several replications`()
        async throws
    {
        let scratch = try ScratchDirectory("delegates")
        let database = try await Self.database(scratch)
        let watch = Watch()
        database.replicationStatusDelegate = watch
        database.replicationFilterDelegate = watch
        let url = try #require(URL(string: "model:"))
        for round in 0..<5 {
            try await database.write { transaction in
                for number in 0..<40 {
                    var document = Document(id: "d\(round)-\(number)")
                    document["n"] = round
                    try transaction.save(document)
                }
            }
            let replications = try await withThrowingTaskGroup(of: Replication.self) { group in
                for name in ["left", "middle", "right"] {
                    group.addTask {
                        var configuration = ReplicationConfiguration(url: url, isRepeating: false)
                        configuration.pageSize = 3
                        configuration.conflictHandler = ConflictHandler { _ in .leave }
                        var backend = ModelBackend(server: ModelServer())
                        backend.identifier = name
                        return try await database.addReplication(
                            with: configuration, using: backend)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for replication in replications { try await replication.summary() }
        }
        var ends = watch.ends.makeAsyncIterator()
        for _ in 0..<15 { _ = await ends.next() }
        #expect(watch.state.withLock { $0.runningMax } == 1)
        await database.close()
    }

    @Test(arguments: [false, true])
    func `finds a replication that has ended gone, and may start another at once`(
        fails: Bool
    ) async throws {
        let scratch = try ScratchDirectory("delegates")
        let database = try await Self.database(scratch)
        let url = try #require(URL(string: "model:"))
        let server = ModelServer()
        let count = Lock(0)
        let watch = Watch { database in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number < 50 else { return }
            // The form that does not wait, as it would be called here.
            database.startReplication(
                with: ReplicationConfiguration(url: url, isRepeating: false),
                using: ModelBackend(server: server))
        }
        database.replicationStatusDelegate = watch
        var ends = watch.ends.makeAsyncIterator()
        var backend = ModelBackend(server: server)
        if fails { backend.fault = { .requestLost } }
        var configuration = ReplicationConfiguration(url: url, isRepeating: false)
        configuration.retryLimit = 0
        try await database.startReplication(with: configuration, using: backend)
        #expect(await ends.next() == (fails ? "failed" : "complete"))
        for _ in 1..<50 { #expect(await ends.next() == "complete") }
        #expect(watch.state.withLock { $0.details } == Array(repeating: false, count: 50))
        #expect(database.replicationDetails == nil)
        await database.close()
    }

    @Test func `and event streams find it gone, too`() async throws {
        let device = try await Device()
        for _ in 0..<50 {
            var events = device.database.replicationEvents.makeAsyncIterator()
            try await device.database.startReplication(
                with: try device.configuration(), using: ModelBackend(server: ModelServer()))
            while let event = await events.next() {
                if case .completed = event { break }
            }
            #expect(device.database.replicationDetails == nil)
        }
    }
}
