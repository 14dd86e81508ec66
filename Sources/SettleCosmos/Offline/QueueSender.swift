import Foundation
import Settle
import SettleDocuments
import SettleOutbox

extension Cosmos {
    /// Sends the writes that wait, in their order for each resource, what is around before what is in it.
    struct QueueSender {
        /// A write whose turn it is.
        struct Turn {
            let id: UUID
            let write: QueuedWrite
            /// Whether it may have been carried out already.
            let isUncertain: Bool

            init?(_ operation: QueuedOperation) throws {
                guard let write = try operation.operation(as: QueuedWrite.self) else { return nil }
                id = operation.id
                self.write = write
                isUncertain = write.isUncertain || operation.startCount > 0
            }
        }

        let store: OfflineStore
        let line: any OperationHandler
        let sealer: Sealer
        let conflicts: ConflictRules
        let events: OfflineEvents

        /// The most writes that are looked at together.
        static let turnCountMax = 1_000
        /// The most bytes of a batch, of which the service takes 2 MB.
        static let batchSizeMax = 1 << 20
        /// How often a batch without the write that it failed for is sent before its writes go one by one.
        private static let batchRoundsMax = 3

        /// Sends all that waits.
        ///
        /// - Throws: ``ClientError`` when something could not be sent that may be later, and is kept.
        func drain() async throws(ClientError) {
            await store.sending.enter()
            do throws(ClientError) {
                try await drainAlone()
            } catch {
                await store.sending.leave()
                throw error
            }
            await store.sending.leave()
        }

        private func drainAlone() async throws(ClientError) {
            var hasSent = false
            while true {
                let count = store.queueState.count
                let turns = try nextTurns()
                if turns.isEmpty {
                    store.queueState.noteEmpty(since: count)
                    if hasSent { events.send(.queueProcessed) }
                    return
                }
                hasSent = true
                try await send(turns)
            }
        }

        /// The writes of which none waits for another.
        private func nextTurns() throws(ClientError) -> [Turn] {
            try store.read { snapshot in
                var turns: [Turn] = []
                var waiting: Set<String> = []
                var count = 0
                try OutboxSnapshot(in: snapshot).forEachOperation { operation in
                    guard let turn = try Turn(operation) else { return true }
                    if turn.write.waitsFor.allSatisfy({ !waiting.contains($0) }) {
                        turns.append(turn)
                    }
                    waiting.formUnion(turn.write.queueIds)
                    count += 1
                    return count < Self.turnCountMax
                }
                return turns
            }
        }

        private func send(_ turns: [Turn]) async throws(ClientError) {
            var failure: ClientError?
            for group in Self.groups(of: turns) {
                do throws(ClientError) {
                    try await send(group: group)
                } catch {
                    guard !error.stopsSending else { throw error }
                    failure = error
                }
            }
            if let failure { throw failure }
        }

        /// The writes that go in one request.
        static func groups(of turns: [Turn]) -> [[Turn]] {
            var groups: [[Turn]] = []
            var open: [String: (index: Int, size: Int)] = [:]
            for turn in turns {
                let write = turn.write
                guard write.mayBeBatched, !(turn.isUncertain && write.isUnconditional),
                    let collection = write.name?.link.parent
                else {
                    groups.append([turn])
                    continue
                }
                let key = "\(collection.text)\u{0}\(write.partition)"
                if let place = open[key], groups[place.index].count < Batch.countMax,
                    place.size + write.size <= batchSizeMax
                {
                    groups[place.index].append(turn)
                    open[key] = (place.index, place.size + write.size)
                } else {
                    open[key] = (groups.count, write.size)
                    groups.append([turn])
                }
            }
            return groups
        }

        private func send(group: [Turn]) async throws(ClientError) {
            var turns = try await begin(group)
            var rounds = 0
            var failure: ClientError?
            while !turns.isEmpty {
                var next = 0
                if turns.count > 1, rounds < Self.batchRoundsMax {
                    rounds += 1
                    do throws(ClientError) {
                        guard let failed = try await sendBatch(turns) else { return }
                        next = failed
                    } catch {
                        try await giveBack(turns)
                        throw error
                    }
                }
                let turn = turns.remove(at: next)
                do throws(ClientError) {
                    try await sendAlone(turn)
                } catch {
                    if error.stopsSending {
                        try await giveBack(turns)
                        throw error
                    }
                    failure = error
                }
            }
            if let failure { throw failure }
        }

        /// Marks writes as started, and reads them again: they may have been changed meanwhile.
        private func begin(_ group: [Turn]) async throws(ClientError) -> [Turn] {
            let ids = group.map(\.id)
            return try await store.write { transaction in
                let queue = try transaction.outbox
                return try ids.compactMap { id in
                    guard let operation = try queue.operation(id), let turn = try Turn(operation)
                    else { return nil }
                    if operation.status == .pending { try queue.markActive(id) }
                    return turn
                }
            }
        }

        private func giveBack(_ turns: [Turn]) async throws(ClientError) {
            let ids = turns.map(\.id)
            try await store.write { transaction in
                let queue = try transaction.outbox
                for id in ids where try queue.status(of: id) == .active { try queue.giveBack(id) }
            }
        }

        private func sendAlone(_ turn: Turn) async throws(ClientError) {
            let ending: Ending
            do throws(ClientError) {
                ending = try await DeliveryAttempt(turn, line, sealer, conflicts).ending()
            } catch {
                try await giveBack([turn])
                throw error
            }
            try await end([(turn, ending)])
        }

        /// Sends writes of one partition together.
        ///
        /// - Returns: The one that the batch was refused for; nil when all were carried out.
        private func sendBatch(_ turns: [Turn]) async throws(ClientError) -> Int? {
            guard let collection = turns.first?.write.name?.link.parent,
                let partition = turns.first?.write.partitionKey
            else { return 0 }
            var operation = Operation(.batch, .document, at: collection)
            operation.partition = partition
            operation.isSentOnce = true
            operation.needsService = true
            var steps: [JSONValue] = []
            for turn in turns { steps.append(try turn.write.wireStep(sealer)) }
            operation.body = try .json(.array(steps))
            let response: OperationResponse
            do throws(ClientError) {
                response = try await line.perform(operation)
            } catch {
                if error.keepsQueuedWrite { throw error }
                return 0
            }
            guard case .feed(let elements, _) = response.content, elements.count == turns.count
            else { return 0 }
            let results = elements.map { BatchResult($0) }
            guard response.status == 200, results.allSatisfy(\.isSuccess) else {
                return results.firstIndex { !$0.isSuccess && $0.statusCode != 424 } ?? 0
            }
            let endings = zip(turns, results).map { turn, result in
                (turn, result.resource.map { Ending.written($0) } ?? .deleted)
            }
            try await end(endings)
            return nil
        }
    }
}

extension Cosmos.BatchResult {
    var isSuccess: Bool { (200..<300).contains(statusCode) }
}

extension Cosmos.QueuedWrite {
    /// What it waits for: the writes before of what it writes, of what that is in, and of what is in that.
    var waitsFor: [String] {
        var ids = queueIds
        for name in names {
            if name.link.type == .attachment, let parent = name.parent {
                ids.append(parent.queueId)
            }
            if name.link.type == .document { ids.append(name.belowQueueId) }
        }
        // Two attachments of one document do not wait for each other.
        return name?.link.type == .attachment ? ids.filter { !$0.hasPrefix("below ") } : ids
    }
}

extension Cosmos.ClientError {
    /// Whether a queued write that met it stays in the queue: it passes by itself, or has to do with the client and not
    /// with the write.
    var keepsQueuedWrite: Bool {
        switch kind {
        case .unauthorized, .permissionError, .configureError, .internalError, .cancelled: true
        case .forbidden: subStatus == 3 || subStatus == 1008 || subStatus == 1013
        case .notFound: subStatus == 1002
        default: isTransient
        }
    }

    /// Whether no other write need be tried now.
    var stopsSending: Bool {
        switch kind {
        case .unreachable, .unauthorized, .permissionError, .configureError, .internalError,
            .cancelled, .tooManyRequests:
            true
        default: false
        }
    }
}
