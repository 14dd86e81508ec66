import Foundation
import Settle
import SettleDocuments
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
        /// Whether the last request got no response.
        private let isCutOff = Mutex(false)
        private let definitions = Mutex<[Link: PartitionKeyDefinition?]>([:])
        private let adopted = Mutex<ObjectIdentifier?>(nil)

        init(
            service: any OperationHandler, rules: CacheRules, folder: URL,
            conflicts: ConflictRules, clock: any Clock<Duration>,
            now: @escaping @Sendable () -> Date
        ) {
            self.service = service
            self.rules = rules
            self.folder = folder
            self.conflicts = conflicts
            self.clock = clock
            self.now = now
        }

        var sealer: Sealer { Sealer(encryptor: rules.encryptor) }

        /// The store, which is opened by the first call.
        func store() async throws(ClientError) -> OfflineStore {
            let store = try await OfflineStores.shared.store(in: folder)
            if adopted.withLock({ $0 }) != ObjectIdentifier(store) {
                try await store.adopt(sealer)
                adopted.withLock { $0 = ObjectIdentifier(store) }
            }
            return store
        }

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            guard rules.isOn else { return try await service.perform(operation) }
            switch operation.action {
            case .changes, .execute: return try await service.perform(operation)
            case .get: return try await get(operation, store())
            case .list: return try await list(operation, store())
            case .query: return try await query(operation, store())
            case .readMedia: return try await readMedia(operation, store())
            case .create, .upsert, .replace, .patch, .delete, .batch:
                return try await write(operation, store())
            }
        }

        /// Sends an operation to the service, unless it is known that there is no network.
        func ask(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            guard rules.hasNetwork else { throw Self.noNetwork(operation) }
            do {
                let response = try await service.perform(operation)
                await reached()
                return response
            } catch {
                if error.isOffline {
                    isCutOff.withLock { $0 = true }
                } else if error.statusCode != nil {
                    await reached()
                }
                throw error
            }
        }

        /// The service has responded.
        private func reached() async { isCutOff.withLock { $0 = false } }

        /// Whether a write need not be tried, since the service was not to be reached last time.
        var isOffline: Bool { !rules.hasNetwork || isCutOff.withLock { $0 } }

        func noteReached(_ isReached: Bool) { isCutOff.withLock { $0 = !isReached } }

        static func noNetwork(_ operation: Operation) -> ClientError {
            ClientError(
                .unreachable,
                "There is no network to \(operation.subject), and this device does not keep what is asked "
                    + "for.")
        }

        /// By which members the documents of a collection are spread.
        ///
        /// - Returns: nil when there is no such key; a nil definition when it is not known.
        func definition(
            of collection: Link, _ store: OfflineStore, asks: Bool
        ) async throws(ClientError) -> PartitionKeyDefinition?? {
            if let known = definitions.withLock({ $0[collection] }) { return .some(known) }
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
            definitions.withLock { $0[collection] = .some(definition) }
            return .some(definition)
        }

        func forgetDefinitions(within link: Link) {
            definitions.withLock { $0 = $0.filter { !$0.key.isWithin(link) } }
        }

        /// Sends a write to the service and keeps what came of it.
        private func write(
            _ operation: Operation, _ store: OfflineStore
        ) async throws(ClientError) -> OperationResponse {
            let response = try await ask(operation)
            let count = store.marks.count
            if operation.action == .delete, let link = operation.link {
                let name = try store.read { snapshot in
                    try CacheReader(snapshot: snapshot, sealer: sealer)
                        .name(of: link, operation.partition)
                }
                if let name {
                    store.marks.note(name)
                    try await remove(name, store)
                }
            } else if let body = response.resource, let name = name(of: body, operation, nil) {
                store.marks.note(name)
                try await keep([(name, body)], since: count, store, isWrite: true)
            }
            return response
        }
    }
}
