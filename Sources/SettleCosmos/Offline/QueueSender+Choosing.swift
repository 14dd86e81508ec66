import Foundation
import Settle
import SettleDocuments
import SettleOutbox

// Which writes are sent next. The queue is walked without the contents of writes, and past those that could not be sent.

extension Cosmos.QueueSender {
    /// A write whose turn it is.
    struct Turn {
        let id: UUID
        /// The write; without its content until it is about to be sent.
        let write: Cosmos.QueuedWrite
        /// Whether it may have been carried out already.
        var isUncertain: Bool
        /// Whether something may have come of it since it was started now.
        var mayHaveActed = false
        /// How many bytes it has, about.
        let size: Int

        /// A turn of a write that is about to be sent.
        init?(_ operation: QueuedOperation) throws {
            guard let write = try operation.operation(as: Cosmos.QueuedWrite.self) else {
                return nil
            }
            self.init(operation, write)
        }

        /// A turn of a write that waits.
        init?(headOf operation: QueuedOperation) throws {
            guard let write = try Cosmos.QueuedWrite(headOf: operation) else { return nil }
            self.init(operation, write)
        }

        private init(_ operation: QueuedOperation, _ write: Cosmos.QueuedWrite) {
            id = operation.id
            self.write = write
            isUncertain = write.isUncertain || operation.startCount > 0
            size = operation.size
        }

        /// Whether it may go to the service in one batch with others of its partition.
        var mayBeBatched: Bool {
            write.mayBeBatched && !(isUncertain && write.isUnconditional)
        }
    }

    /// How far the queue was walked.
    struct Walk {
        /// Where it goes on.
        var graph: UInt64 = 0
        /// What the writes are about that could not be sent; others of these wait.
        var held: Set<String> = []

        mutating func hold(_ turns: [Turn]) {
            for turn in turns { held.formUnion(turn.write.queueIds) }
        }
    }

    /// The next writes of which none waits for another, nor for one that could not be sent.
    ///
    /// What waits for one of them is met again by the next call.
    func nextTurns(_ walk: inout Walk) throws(Cosmos.ClientError) -> [Turn] {
        let before = walk
        let (turns, after) = try store.read { snapshot in
            var walk = before
            var turns: [Turn] = []
            var chosen: Set<String> = []
            var next = walk.graph
            var again: UInt64?
            try OutboxSnapshot(in: snapshot).forEachOperation(fromGraph: walk.graph) { operation in
                next = operation.graph
                guard let turn = try Turn(headOf: operation) else { return true }
                let waitsFor = turn.write.waitsFor(operation.documentIds)
                if waitsFor.contains(where: { walk.held.contains($0) }) {
                    walk.held.formUnion(operation.documentIds)
                    return true
                }
                if waitsFor.contains(where: { chosen.contains($0) }) {
                    again = again ?? operation.graph
                } else {
                    turns.append(turn)
                }
                chosen.formUnion(operation.documentIds)
                return turns.count < turnCountMax
            }
            walk.graph = again ?? next
            return (turns, walk)
        }
        walk = after
        return turns
    }

    /// The writes that go in one request.
    static func groups(of turns: [Turn]) -> [[Turn]] {
        var groups: [[Turn]] = []
        var open: [String: (index: Int, size: Int)] = [:]
        for turn in turns {
            guard turn.mayBeBatched, let collection = turn.write.name?.link.parent else {
                groups.append([turn])
                continue
            }
            let key = "\(collection.text)\u{0}\(turn.write.partition)"
            if let place = open[key], groups[place.index].count < Cosmos.Batch.countMax,
                place.size + turn.size <= batchSizeMax
            {
                groups[place.index].append(turn)
                open[key] = (place.index, place.size + turn.size)
            } else {
                open[key] = (groups.count, turn.size)
                groups.append([turn])
            }
        }
        return groups
    }
}

extension Cosmos.QueuedWrite {
    /// What it waits for: the writes before of what it writes, of what that is in, and of what is in that.
    ///
    /// - Parameter queueIds: What it is found by in the queue.
    /// - Returns: What those writes are found by.
    func waitsFor(_ queueIds: [String]) -> [String] {
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
