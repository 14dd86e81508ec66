#if Server
    import Foundation
    public import Settle
    import SettleREST
    public import SettleServer
    import SettleSync

    /// Replicates databases of a ``/SettleServer/CouchServer`` when `_replicate` asks for it.
    ///
    /// It is the `replicator` of the server's configuration, which has to allow hosts as well. Design documents travel
    /// with the others.
    public struct CouchReplication: CouchReplicator {
        private let transport: AsyncHTTPClientTransport

        /// A replicator with connections of its own.
        public init() {
            transport = AsyncHTTPClientTransport()
        }

        /// Replicates a database with the remote of an order, once or until the task is cancelled.
        ///
        /// - Throws: ``/SettleServer/CouchReplicationFailure`` when it did not get to its end; `CancellationError`.
        public func replicate(
            _ database: Database, _ order: CouchReplicationOrder,
            progress: @escaping @Sendable (CouchReplicationCounts) -> Void
        ) async throws -> CouchReplicationCounts {
            do {
                return try await run(database, try configuration(for: order), order, progress)
            } catch let error as ReplicationError {
                if error.code == .cancelled { throw CancellationError() }
                throw CouchReplicationFailure(error)
            } catch let error as DatabaseError {
                throw CouchReplicationFailure(.other, error.message)
            }
        }

        private func configuration(
            for order: CouchReplicationOrder
        ) throws -> ReplicationConfiguration {
            typealias Name = CouchBackend.OptionName
            var options: [String: any Sendable] = [
                Name.transport: transport, Name.designDocuments: true,
                Name.createsDatabase: order.createsRemote,
            ]
            switch order.credentials {
            case .none: break
            case .password(let name, let password):
                options[Name.user] = name
                options[Name.password] = password
            case .token(let token): options[Name.token] = token
            }
            if let ids = order.documentIds { options[Name.documentIds] = ids }
            if let selector = order.selector {
                options[Name.selector] = String(
                    decoding: JSONText.text(of: selector), as: UTF8.self)
            }
            if let filter = order.filter {
                options[Name.filter] = filter
                options[Name.parameters] = order.parameters
            }
            guard let url = URL(string: "couchdb+" + order.remote.absoluteString) else {
                throw CouchReplicationFailure(.other, "The address of the remote is no URL.")
            }
            var configuration = ReplicationConfiguration(
                url: url, isRepeating: order.isContinuous, options: options)
            configuration.direction = order.isPull ? .serverToClient : .clientToServer
            return configuration
        }

        private func run(
            _ database: Database, _ configuration: ReplicationConfiguration,
            _ order: CouchReplicationOrder,
            _ progress: @escaping @Sendable (CouchReplicationCounts) -> Void
        ) async throws -> CouchReplicationCounts {
            let replication = try await database.addReplication(with: configuration)
            let events = replication.events
            let watch = Task {
                var whole = ReplicationSummary()
                for await event in events {
                    guard case .completed(let cycle) = event else { continue }
                    whole = whole + cycle
                    progress(CouchReplicationCounts(whole, order, database))
                }
            }
            let result: Result<ReplicationSummary, any Error>
            do {
                result = .success(
                    try await withTaskCancellationHandler {
                        try await replication.summary()
                    } onCancel: {
                        Task { await replication.stop() }
                    })
            } catch {
                result = .failure(error)
            }
            // Returns when the last of it has ended, so that the database may be closed.
            await replication.stop()
            await watch.value
            return CouchReplicationCounts(try result.get(), order, database)
        }
    }

    extension CouchReplicationFailure {
        fileprivate init(_ error: ReplicationError) {
            let kind: Kind =
                error.code == .unauthorized
                ? .unauthorized : error.statusCode == 404 ? .notFound : .other
            self.init(kind, error.message)
        }
    }

    extension CouchReplicationCounts {
        fileprivate init(
            _ summary: ReplicationSummary, _ order: CouchReplicationOrder, _ database: Database
        ) {
            self.init()
            written = order.isPull ? summary.pulled : summary.pushed
            failed = order.isPull ? summary.skipped : summary.rejected
            read = written + failed
            if !order.isPull { sequence = try? database.lastSequence }
        }
    }
#endif
