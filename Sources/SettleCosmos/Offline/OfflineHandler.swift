import Foundation
import Settle
import SettleDocuments
import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Stands before the service: keeps what it sends, answers from that without a network, and queues writes.
    final class OfflineHandler: OperationHandler {
        let service: any OperationHandler
        let rules: CacheRules
        let folder: URL
        let conflicts: ConflictRules
        let clock: any Clock<Duration>
        let now: @Sendable () -> Date
        /// Whether the client may write at all.
        let mayWrite: Bool
        let events: OfflineEvents
        private let loop: SendingLoop
        /// Whether the last request got no response.
        private let isCutOff = Lock(false)
        /// The store, once it was opened and its key checked, and how often that had changed by then.
        private let opened = Lock<(store: OfflineStore, keyChangeCount: UInt64)?>(nil)

        init(
            service: any OperationHandler, rules: CacheRules, folder: URL,
            conflicts: ConflictRules, clock: any Clock<Duration>,
            now: @escaping @Sendable () -> Date, mayWrite: Bool
        ) {
            self.mayWrite = mayWrite
            self.service = service
            self.rules = rules
            self.folder = folder
            self.conflicts = conflicts
            self.clock = clock
            self.now = now
            events = OfflineEvents.of(folder)
            loop = SendingLoop(
                clock: clock, wait: rules.configuration.retryWait,
                waitMax: rules.configuration.retryWaitMax)
        }

        var sealer: Sealer { Sealer(encryptor: rules.encryptor) }

        /// The store, which is opened by the first call.
        func store() async throws(ClientError) -> OfflineStore {
            let known = opened.withLock { $0 }
            if let known, known.store.keyChangeCount == known.keyChangeCount { return known.store }
            let store = try await OfflineStores.shared.store(in: folder)
            var count: UInt64
            // Another client may throw everything away meanwhile, so that the key is checked once more.
            repeat {
                count = store.keyChangeCount
                try await store.adopt(sealer)
            } while count != store.keyChangeCount
            if rules.configuration.sizeMax != nil { try store.countSizes() }
            opened.withLock { $0 = (store, count) }
            // What an earlier process has left waits for nothing else.
            if known == nil { kick(.queued) }
            return store
        }

        /// Has the key of the encryptor checked again at the next call.
        func forgetKey() { opened.withLock { $0 = nil } }

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            guard rules.isOn else { return try await performUnkept(operation) }
            switch operation.action {
            case .changes, .execute: return try await ask(operation)
            case .list where operation.needsService, .query where operation.needsService:
                return try await ask(operation)
            case .get: return try await get(operation, store())
            case .list: return try await list(operation, store())
            case .query: return try await query(operation, store())
            case .readMedia: return try await readMedia(operation, store())
            case .create, .upsert, .replace, .patch, .delete, .batch:
                return try await write(operation, store())
            }
        }

        /// Carries out an operation while nothing is kept: by the service, but for writes, which must not overtake those
        /// that wait.
        ///
        /// No key is needed for that, unless some do.
        private func performUnkept(
            _ operation: Operation
        ) async throws(ClientError) -> OperationResponse {
            switch operation.action {
            case .create, .upsert, .replace, .patch, .delete, .batch:
                guard OfflineStore.exists(in: folder) else { return try await ask(operation) }
                return try await write(
                    operation, try await OfflineStores.shared.store(in: folder))
            case .list, .query, .changes, .get, .execute, .readMedia:
                return try await ask(operation)
            }
        }

        /// Sends an operation to the service, unless it is known that there is no network.
        func ask(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            guard rules.hasNetwork else { throw Self.noNetwork(operation) }
            var operation = operation
            operation.isTriedOnce = isCutOff.withLock { $0 }
            do {
                let response = try await service.perform(operation)
                noteReached()
                return response
            } catch {
                if error.isOffline {
                    isCutOff.withLock { $0 = true }
                } else if error.statusCode != nil {
                    noteReached()
                }
                throw error
            }
        }

        /// The service has responded: what waits may be sent.
        private func noteReached() {
            let wasCutOff = isCutOff.withLock { isCutOff in
                defer { isCutOff = false }
                return isCutOff
            }
            if wasCutOff { kick(.reached) }
        }

        /// Whether a write need not be tried, since the service was not to be reached last time.
        var isOffline: Bool { !rules.hasNetwork || isCutOff.withLock { $0 } }

        static func noNetwork(_ operation: Operation) -> ClientError {
            ClientError(
                .unreachable,
                "There is no network to \(operation.subject), and this device does not keep what is asked "
                    + "for.")
        }

        // MARK: Sending

        /// What sends queued writes.
        private func sender(_ store: OfflineStore) -> QueueSender {
            QueueSender(
                store: store, line: ServiceLine(handler: self), sealer: sealer,
                conflicts: conflicts, events: events)
        }

        /// Sends what waits now.
        ///
        /// - Throws: ``ClientError`` when something could not be sent that may be later.
        func sendQueuedWrites() async throws(ClientError) {
            try await sender(try await store()).drain()
        }

        /// Sends what waits in the background, as soon as there is a network.
        func kick(_ occasion: SendingLoop.Occasion) {
            guard rules.hasNetwork, rules.isOn else { return }
            loop.kick(occasion) { [weak self] in await self?.sendInBackground() }
        }

        /// - Returns: How long to wait at the least before the next try; nil when there is nothing to do.
        private func sendInBackground() async -> Duration? {
            guard rules.hasNetwork, rules.isOn, let store = try? await store(),
                store.queueState.mayWait
            else { return nil }
            do throws(ClientError) {
                try await sender(store).drain()
                return nil
            } catch {
                switch error.kind {
                case .cancelled, .internalError, .configureError: return nil
                default: return rules.hasNetwork ? error.retryAfter ?? .zero : nil
                }
            }
        }

        /// Ends what goes on in the background; what waits goes on waiting.
        func stop() { loop.stop() }

        // MARK: Partition keys

        /// By which members the documents of a collection are spread.
        ///
        /// - Returns: nil when there is no such key; a nil definition when it is not known.
        func definition(
            of collection: Link, _ store: OfflineStore, asks: Bool
        ) async throws(ClientError) -> PartitionKeyDefinition?? {
            if let known = store.definitions.withLock({ $0[collection] }) { return .some(known) }
            let kept = try store.read { snapshot in
                try CacheReader(snapshot: snapshot, sealer: sealer)
                    .record(of: ResourceName(collection, partition: ""))
            }
            var body = kept?.body
            if body == nil, asks {
                body = try await get(Operation(.get, .collection, at: collection), store).resource
            }
            guard let body else { return nil }
            let definition = DocumentCollection(body: body).partitionKey
            store.definitions.withLock { $0[collection] = .some(definition) }
            return .some(definition)
        }
    }

    /// The way to the service of an offline handler, which notices when there is none.
    struct ServiceLine: OperationHandler {
        let handler: OfflineHandler

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            try await handler.ask(operation)
        }
    }
}
