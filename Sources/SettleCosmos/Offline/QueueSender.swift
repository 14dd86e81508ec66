import Foundation
import Settle
import SettleDocuments
import SettleOutbox

extension Cosmos {
    /// Sends the writes that wait, in their order for each resource, what is around before what is in it.
    struct QueueSender {
        let store: OfflineStore
        let line: any OperationHandler
        let sealer: Sealer
        let conflicts: ConflictRules
        let events: OfflineEvents

        /// The most writes that are chosen together; none of them is in memory with its content.
        var turnCountMax = 1_000
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
            var walk = Walk()
            var failure: ClientError?
            var hasSent = false
            while true {
                let count = store.queueState.count
                let turns = try nextTurns(&walk)
                if turns.isEmpty {
                    if let failure { throw failure }
                    store.queueState.noteEmpty(since: count)
                    if hasSent { events.send(.queueProcessed) }
                    return
                }
                hasSent = true
                for group in Self.groups(of: turns) {
                    failure = Self.last(failure, try await send(group, &walk))
                }
            }
        }

        /// Of two failures the one that has to be waited for longer.
        private static func last(_ one: ClientError?, _ other: ClientError?) -> ClientError? {
            guard let one, let other else { return one ?? other }
            return (one.retryAfter ?? .zero) > (other.retryAfter ?? .zero) ? one : other
        }

        /// Sends writes that may go together.
        ///
        /// - Parameters:
        ///   - group: The writes, without their contents.
        ///   - walk: Holds those afterwards that could not be sent.
        /// - Returns: Why some could not be sent; nil when all are done.
        /// - Throws: ``ClientError`` when no others need be tried.
        private func send(
            _ group: [Turn], _ walk: inout Walk
        ) async throws(ClientError) -> ClientError? {
            var turns = try await begin(group)
            // They may have been changed since they were chosen.
            var rounds = turns.allSatisfy(\.mayBeBatched) ? 0 : Self.batchRoundsMax
            var failure: ClientError?
            while !turns.isEmpty {
                var next = 0
                if turns.count > 1, rounds < Self.batchRoundsMax {
                    rounds += 1
                    do throws(ClientError) {
                        guard let failed = try await sendBatch(turns) else { return failure }
                        next = failed
                    } catch {
                        try await giveBack(turns)
                        if error.stopsSending { throw error }
                        walk.hold(turns)
                        return Self.last(failure, error)
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
                    walk.hold([turn])
                    failure = Self.last(failure, error)
                }
            }
            return failure
        }

        /// Marks writes as started, and reads them with their contents: they may have been changed meanwhile.
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
            guard let body = try? Operation.Body.json(.array(steps)) else { return 0 }
            operation.body = body
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
