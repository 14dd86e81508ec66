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
        private let identities: CollectionIdentities
        private let loop: SendingLoop
        /// Whether the last request got no response.
        private let isCutOff = Lock(false)
        private let opened = Lock(Opened())

        private struct Opened {
            /// The store, once it was opened and its key checked.
            var store: OfflineStore?
            /// How often the key of the store had changed by then.
            var keyChangeCount: UInt64 = 0
            /// How often the app has set another key.
            var keyCount = 0
        }

        init(
            service: any OperationHandler, rules: CacheRules, folder: URL,
            conflicts: ConflictRules, clock: any Clock<Duration>,
            now: @escaping @Sendable () -> Date, mayWrite: Bool,
            identities: CollectionIdentities
        ) {
            self.identities = identities
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
            if let store = known.store, store.keyChangeCount == known.keyChangeCount {
                return store
            }
            let store = try await OfflineStores.shared.store(in: folder)
            if rules.configuration.sizeMax != nil { try store.countSizes() }
            // Meanwhile another client may throw everything away, and the app may set another key, so that it is
            // checked once more.
            while try await !hasAdopted(store) {}
            // What an earlier process has left waits for nothing else.
            if known.store == nil { kick(.queued) }
            return store
        }

        /// Checks the key of the encryptor; answers false when it, or that of the store, was changed meanwhile.
        private func hasAdopted(_ store: OfflineStore) async throws(ClientError) -> Bool {
            let keyCount = opened.withLock { $0.keyCount }
            let changeCount = store.keyChangeCount
            try await store.adopt(sealer)
            guard changeCount == store.keyChangeCount else { return false }
            return opened.withLock { opened in
                guard opened.keyCount == keyCount else { return false }
                opened.store = store
                opened.keyChangeCount = changeCount
                return true
            }
        }

        /// Has the key of the encryptor checked again at the next call, and what waits sent with it.
        func forgetKey() {
            opened.withLock { opened in
                opened.store = nil
                opened.keyCount += 1
            }
            begin()
        }

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
            var error = ClientError(
                .unreachable,
                "There is no network to \(operation.subject), and this device does not keep what is asked "
                    + "for.")
            error.isUnsent = true
            return error
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

        /// Sends what an earlier process has left; where that has kept nothing, no store is made.
        func begin() { if OfflineStore.exists(in: folder) { kick(.queued) } }

        /// Sends what waits in the background, as soon as there is a network.
        func kick(_ occasion: SendingLoop.Occasion) {
            guard mayWrite, rules.hasNetwork, rules.isOn else { return }
            loop.kick(occasion) { [weak self] in await self?.sendInBackground() }
        }

        /// - Returns: How long to wait at the least before the next try; nil when there is nothing to do.
        private func sendInBackground() async -> Duration? {
            guard !Task.isCancelled, rules.hasNetwork, rules.isOn,
                OfflineStore.exists(in: folder), let store = try? await store(),
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
            let seen = identities.identity(of: collection)
            if let known = store.definitions.withLock({ $0[collection] }), known.holds(for: seen) {
                return .some(known.definition)
            }
            let kept = try store.read { snapshot in
                try CacheReader(snapshot: snapshot, sealer: sealer)
                    .record(of: ResourceName(collection, partition: ""))
            }
            var body = kept?.body
            // The copy may be that of a collection that is no more.
            if let kept = body, !KnownDefinition(kept).holds(for: seen) { body = nil }
            if body == nil, asks {
                var read = Operation(.get, .collection, at: collection)
                read.needsService = kept != nil
                body = try await get(read, store).resource
            }
            guard let body else { return nil }
            store.keepDefinition(of: body, at: collection)
            return .some(KnownDefinition(body).definition)
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
