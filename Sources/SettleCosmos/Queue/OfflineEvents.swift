import Foundation
import SettlePrimitives
import Synchronization

extension Cosmos {
    /// What became of a write that was made offline.
    public enum OfflineEvent: Sendable {
        /// It was carried out, or its conflict was resolved by a strategy.
        case sent(OfflineWrite)
        /// The service refused it for good; it is not in the queue any more, and the cache has what the service has.
        case failed(OfflineWrite, ClientError)
        /// Nothing waits any more: all was sent or has failed, or the writes that waited have cancelled each other out.
        case queueProcessed
    }

    /// A write that was made offline.
    public struct OfflineWrite: Sendable, Hashable {
        /// What it did.
        public enum Action: String, Sendable, Hashable, CaseIterable {
            /// Made a resource.
            case create
            /// Made or replaced a document.
            case createOrReplace
            /// Replaced a resource.
            case replace
            /// Removed a resource.
            case delete
            /// Several writes of documents.
            case batch
        }

        /// What it did.
        public let action: Action
        /// The type of the resource.
        public let type: ResourceType
        /// The link of the resource by ids; of a batch that of the collection.
        public let link: Link
        /// The ids of the documents that a batch has written; otherwise the id of the resource.
        public let ids: [String]
        /// The resource as the service has it now; nil after a deletion, a failure and a batch.
        public internal(set) var resource: ResourceBody?

        init?(_ write: QueuedWrite) {
            guard let name = write.name else { return nil }
            action =
                switch write.kind {
                case .create: write.isUpsert ? .createOrReplace : .create
                case .replace:
                    write.isUpsert && write.followsDeletion != true ? .createOrReplace : .replace
                case .delete: .delete
                case .batch: .batch
                }
            type = write.resourceType
            link = name.link
            ids = write.names.map(\.link.name)
        }
    }

    /// Hands what became of writes to all that listen.
    final class OfflineEvents: Sendable {
        private let listeners = Lock<[UUID: AsyncStream<OfflineEvent>.Continuation]>([:])
        private static let folders = Lock<[String: OfflineEvents]>([:])

        /// The events of the queue in a folder, which all clients of that share.
        static func of(_ folder: URL) -> OfflineEvents {
            folders.withLock { folders in
                let path = folder.standardizedFileURL.path
                let events = folders[path] ?? OfflineEvents()
                folders[path] = events
                return events
            }
        }

        /// The events from now on.
        func stream() -> AsyncStream<OfflineEvent> {
            let id = UUID()
            return AsyncStream { continuation in
                listeners.withLock { $0[id] = continuation }
                continuation.onTermination = { [weak self] _ in
                    self?.listeners.withLock { $0[id] = nil }
                }
            }
        }

        func send(_ event: OfflineEvent) {
            for listener in listeners.withLock({ Array($0.values) }) { listener.yield(event) }
        }
    }
}
