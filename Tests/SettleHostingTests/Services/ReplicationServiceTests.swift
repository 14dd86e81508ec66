import Foundation
import Logging
import ServiceLifecycle
import Settle
import SettleHosting
import SettleSync
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Replication service` {
    /// A remote with nothing in it that can be slow, or broken.
    private final class QuietBackend: Backend {
        enum Behaviour: Sendable { case answers, hangs, fails }

        private let behaviour: Behaviour
        private let asked: AsyncStream<Void>.Continuation
        private let isPulling = Mutex(false)
        /// An element for each pull that begins; for one reader.
        let pulls: AsyncStream<Void>

        init(_ behaviour: Behaviour) {
            self.behaviour = behaviour
            (pulls, asked) = AsyncStream.makeStream()
        }

        var identifier: String { "quiet" }
        var isBusy: Bool { isPulling.withLock { $0 } }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            isPulling.withLock { $0 = true }
            defer { isPulling.withLock { $0 = false } }
            asked.yield()
            switch behaviour {
            case .answers: return PullPage(items: [], token: nil, isLast: true)
            case .fails: throw ReplicationError(.misconfigured, "There is no such table.")
            case .hangs:
                // As a request that gets no answer: it ends with its task alone.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw ReplicationError(.cancelled, "The request was given up.")
            }
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            .stored(RemoteItem(id: operation.id, version: "1", members: operation.members))
        }
    }

    private struct Place {
        let scratch: ScratchDirectory
        let database: Database

        init() async throws {
            scratch = try ScratchDirectory("service")
            let configuration = Database.OpenDatabaseConfiguration(
                name: "db", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "settle.tests.completion"))
            database = try #require(try await Database.open(with: configuration, create: true))
        }

        func service(_ backend: QuietBackend, isRepeating: Bool = true) throws -> ReplicationService
        {
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "http://h/tables/t")))
            configuration.isRepeating = isRepeating
            configuration.retryLimit = 0
            return ReplicationService(database, configuration: configuration, backend: backend)
        }
    }

    private func group(
        _ service: ReplicationService,
        _ end: ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior = .cancelGroup
    ) -> ServiceGroup {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: end)],
                logger: logger))
    }

    @Test func `runs until its group is shut down`() async throws {
        let place = try await Place()
        for behaviour in [QuietBackend.Behaviour.answers, .hangs] {
            let backend = QuietBackend(behaviour)
            let group = group(try place.service(backend))
            let running = Task { try await group.run() }
            for await _ in backend.pulls { break }
            #expect(place.database.replications.count == 1)
            await group.triggerGracefulShutdown()
            try await running.value
            #expect(place.database.replications.isEmpty)
            #expect(!backend.isBusy)
        }
        try await place.database.save(Document(id: "after"))
    }

    @Test func `stops when its task is cancelled`() async throws {
        let place = try await Place()
        let backend = QuietBackend(.hangs)
        let service = try place.service(backend)
        let running = Task { try await service.run() }
        for await _ in backend.pulls { break }
        running.cancel()
        try await running.value
        #expect(place.database.replications.isEmpty)
        #expect(!backend.isBusy)
    }

    @Test func `returns when a one-shot replication is done`() async throws {
        let place = try await Place()
        try await place.database.save(Document(id: "a"))
        let backend = QuietBackend(.answers)
        let group = group(
            try place.service(backend, isRepeating: false), .gracefullyShutdownGroup)
        try await group.run()
        #expect(try place.database.pendingOperations(with: "quiet").isEmpty)
        #expect(place.database.replications.isEmpty)
    }

    @Test func `throws what a one-shot replication fails with`() async throws {
        let place = try await Place()
        let service = try place.service(QuietBackend(.fails), isRepeating: false)
        await #expect {
            try await service.run()
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
        #expect(place.database.replications.isEmpty)
        #expect("\(service)" == "ReplicationService(quiet)")
    }
}
