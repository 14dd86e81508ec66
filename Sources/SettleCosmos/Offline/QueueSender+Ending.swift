import Foundation
import Settle
import SettleDocuments
import SettleOutbox

extension Cosmos.QueueSender {
    /// How a queued write ended.
    enum Ending {
        /// The service has this now.
        case written(Cosmos.ResourceBody)
        /// The service has nothing now.
        case deleted
        /// The service has these now, one for each step; nil for a deletion.
        case batch([Cosmos.ResourceBody?])
        /// The service refused it for good, and has this.
        case failed(Cosmos.ClientError, [Cosmos.ResourceName: Remote])
    }

    /// What the service has of a resource.
    enum Remote {
        case found(Cosmos.ResourceBody)
        case gone
        /// The service would not say.
        case unknown
    }

    /// Removes writes from the queue, and gives the cache what came of them, in one commit; then tells it.
    func end(_ endings: [(Turn, Ending)]) async throws(Cosmos.ClientError) {
        for (turn, _) in endings {
            for name in turn.write.names { store.marks.note(name) }
        }
        let sealer = sealer
        let (told, paths) = try await store.write { transaction in
            var settlement = try Settlement(transaction, sealer)
            for (turn, ending) in endings { try settlement.settle(turn, ending) }
            return (settlement.events, settlement.sizes)
        }
        for (path, size) in paths { store.usage.note(path, size: size) }
        for event in told { events.send(event) }
    }

    /// What endings make of queue and cache.
    private struct Settlement {
        let cache: Cosmos.CacheWriter
        let queue: OutboxTransaction
        private(set) var events: [Cosmos.OfflineEvent] = []
        private(set) var sizes: [(String, Int)] = []

        init(_ transaction: Transaction, _ sealer: Cosmos.Sealer) throws {
            cache = try Cosmos.CacheWriter(transaction, sealer)
            queue = try transaction.outbox
        }

        mutating func settle(_ turn: Turn, _ ending: Ending) throws {
            let write = turn.write
            // It may have been purged meanwhile.
            guard try queue.complete(turn.id), let name = write.name,
                var told = Cosmos.OfflineWrite(write)
            else { return }
            switch ending {
            case .written(let body):
                told.resource = body
                told.resource?.altLink = name.link
                try keep(body, name, write.localEtag)
                events.append(.sent(told))
            case .deleted:
                try keep(nil, name, write.localEtag)
                events.append(.sent(told))
            case .batch(let bodies):
                var last: [Cosmos.ResourceName: Int] = [:]
                for (index, name) in write.names.enumerated() { last[name] = index }
                for (name, index) in last.sorted(by: { $0.value < $1.value })
                where bodies.indices.contains(index) {
                    try keep(bodies[index], name, write.steps?[index].localEtag)
                }
                events.append(.sent(told))
            case .failed(let error, let remotes):
                for name in Set(write.names) { try fail(name, remotes[name] ?? .unknown) }
                events.append(.failed(told, error))
                if write.kind == .create { try failBelow(name, error) }
            }
        }

        /// Gives the cache what the service has now, unless later writes wait, which then depend on it.
        private mutating func keep(
            _ body: Cosmos.ResourceBody?, _ name: Cosmos.ResourceName, _ localEtag: String?
        ) throws {
            let following = try queue.operations(about: name.queueId)
            if following.isEmpty {
                guard let body,
                    let path = try cache.put(body, named: name, localEtag: localEtag, moves: true)
                else { return try cache.remove(name) }
                sizes.append((path, body.packed.bytes.count))
                return
            }
            guard let body, let localEtag, let etag = body.etag else { return }
            try cache.adopt(body, for: name)
            for operation in following where operation.status == .pending {
                guard var write = try operation.operation(as: Cosmos.QueuedWrite.self),
                    write.replace(localEtag, by: etag, of: name)
                else { continue }
                try queue.modify(operation.id) { try $0.set(write) }
            }
        }

        private mutating func fail(_ name: Cosmos.ResourceName, _ remote: Remote) throws {
            // What was written later on top of it finds out by itself.
            if try queue.hasOperations(about: name.queueId) { return }
            guard case .found(let body) = remote,
                let path = try cache.put(body, named: name, moves: true)
            else { return try cache.remove(name) }
            sizes.append((path, body.packed.bytes.count))
        }

        /// Gives up what was to be made in a resource that cannot be.
        private mutating func failBelow(
            _ name: Cosmos.ResourceName, _ error: Cosmos.ClientError
        ) throws {
            if try queue.hasOperations(about: name.queueId) { return }
            for operation in try queue.operations(about: name.belowQueueId) {
                guard let write = try operation.operation(as: Cosmos.QueuedWrite.self),
                    let told = Cosmos.OfflineWrite(write), let below = write.name
                else { continue }
                try queue.skip(operation.id)
                try cache.remove(below)
                events.append(.failed(told, error))
            }
        }
    }
}

extension Cosmos.QueuedWrite {
    /// Lets it depend on the version that the service has made of a local one.
    ///
    /// - Returns: Whether it depended on that.
    fileprivate mutating func replace(
        _ localEtag: String, by etag: String, of name: Cosmos.ResourceName
    ) -> Bool {
        if kind != .batch {
            guard self.etag == localEtag else { return false }
            self.etag = etag
            return true
        }
        var isChanged = false
        for index in (steps ?? []).indices
        where steps?[index].id == name.link.name && steps?[index].etag == localEtag {
            steps?[index].etag = etag
            isChanged = true
        }
        return isChanged
    }
}
