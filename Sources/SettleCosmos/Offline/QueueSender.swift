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
                    let isEmptied = store.queueState.noteEmpty(since: count)
                    if hasSent || isEmptied { events.send(.queueProcessed) }
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
                        guard let failed = try await sendBatch(&turns) else { return failure }
                        next = failed
                        // What may have been carried out is looked for first.
                        if !turns.allSatisfy(\.mayBeBatched) { rounds = Self.batchRoundsMax }
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
                    guard let operation = try queue.operation(id), var turn = try Turn(operation)
                    else { return nil }
                    if operation.status == .pending {
                        try queue.markActive(id)
                    } else {
                        turn.mayHaveActed = true
                    }
                    return turn
                }
            }
        }

        /// Lets writes wait on; those of which nothing came to the service count as never started.
        private func giveBack(_ turns: [Turn]) async throws(ClientError) {
            try await store.write { transaction in
                let queue = try transaction.outbox
                for turn in turns where try queue.status(of: turn.id) == .active {
                    if turn.mayHaveActed {
                        try queue.giveBack(turn.id)
                    } else {
                        try queue.takeBackStart(of: turn.id)
                    }
                }
            }
        }

        private func sendAlone(_ turn: Turn) async throws(ClientError) {
            let ending: Ending
            do throws(ClientError) {
                ending = try await DeliveryAttempt(turn, line, sealer, conflicts).ending()
            } catch {
                var turn = turn
                if !error.leavesNothing { turn.mayHaveActed = true }
                try await giveBack([turn])
                throw error
            }
            try await end([(turn, ending)])
        }

        /// Sends writes of one partition together, and notes which may have been carried out.
        ///
        /// - Returns: The one that the batch was refused for; nil when all were carried out.
        private func sendBatch(_ turns: inout [Turn]) async throws(ClientError) -> Int? {
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
                if !error.leavesNothing { Self.doubt(&turns) }
                if error.keepsQueuedWrite { throw error }
                return 0
            }
            var results: [BatchResult] = []
            if case .feed(let elements, _) = response.content {
                results = elements.map { BatchResult($0) }
            }
            guard response.status == 200 else {
                let failed = results.firstIndex { !$0.isSuccess && !$0.isDependent }
                return failed.flatMap { turns.indices.contains($0) ? $0 : nil } ?? 0
            }
            Self.doubt(&turns)
            guard results.count == turns.count, results.allSatisfy(\.isSuccess) else { return 0 }
            var endings: [(Turn, Ending)] = []
            for (turn, result) in zip(turns, results) {
                endings.append((turn, try await ending(of: turn, result)))
            }
            try await end(endings)
            return nil
        }

        /// Notes that writes may have been carried out.
        private static func doubt(_ turns: inout [Turn]) {
            for index in turns.indices {
                turns[index].mayHaveActed = true
                turns[index].isUncertain = true
            }
        }

        /// How a write ended that a batch has carried out.
        private func ending(
            of turn: Turn, _ result: BatchResult
        ) async throws(ClientError) -> Ending {
            guard turn.write.kind != .delete, let name = turn.write.name else { return .deleted }
            let body = try await DeliveryAttempt(turn, line, sealer, conflicts)
                .written(name, result, try turn.write.body(sealer))
            return body.map { .written($0) } ?? .deleted
        }
    }
}

extension Cosmos.ClientError {
    /// Whether a queued write that met it stays in the queue: it passes by itself, or has to do with the client and not
    /// with the write.
    var keepsQueuedWrite: Bool {
        switch kind {
        case .unauthorized, .permissionError, .configureError, .internalError, .cancelled: true
        case .notFound: subStatus == 1002
        default: isTransient || isAboutAccess
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
