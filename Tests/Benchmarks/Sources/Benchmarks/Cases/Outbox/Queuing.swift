import Flushes
import Foundation
import Settle
import SettleOutbox

/// Commits of documents that are written again, in turn without and with an operation about each.
struct Queuing {
    /// What an operation takes beyond its document, in microseconds, one for each repetition.
    let extra: [Outcome]
    /// What a document takes without one.
    let alone: [Outcome]

    /// Fills two new databases and writes their documents again.
    ///
    /// - Parameters:
    ///   - documents: What is in both.
    ///   - plain: A database that has no outbox.
    ///   - queued: The one with the operations.
    ///   - batch: How many documents are written in one commit.
    ///   - commits: How many commits there are in each repetition, of either kind.
    ///   - repetitions: How many.
    ///   - hasRandomIdentifiers: True to give the operations random identifiers.
    /// - Throws: ``BenchmarkError`` when there are other operations afterwards than were added; what
    ///   Settle throws.
    init(
        _ documents: DocumentSet, plain: SettlePeer, queued: SettlePeer, batch: Int, commits: Int,
        repetitions: Int, hasRandomIdentifiers: Bool
    ) async throws {
        for peer in [plain, queued] {
            try await peer.insert(documents.texts, batch: documents.count)
        }
        let outbox = try await OperationQueue.idleOutbox(of: queued.database)
        var numbers = RandomNumbers(seed: UInt64(batch))
        var (extra, alone): ([Outcome], [Outcome]) = ([], [])
        for _ in 0..<repetitions {
            var (with, without) = (Times(), Times())
            for _ in 0..<commits {
                let identifiers = Self.identifiers(of: documents, batch, &numbers)
                let ofPlain = try await plain.raised(identifiers)
                try await without.add {
                    try await plain.database.write { transaction in
                        for document in ofPlain { try transaction.update(document) }
                    }
                }
                let ofQueued = try await queued.raised(identifiers)
                try await with.add {
                    try await queued.database.write { transaction in
                        let queue = try outbox.with(transaction)
                        for document in ofQueued {
                            try transaction.update(document)
                            try queue.add(
                                PutOrder(document.id), id: hasRandomIdentifiers ? UUID() : nil,
                                about: [document.id])
                        }
                    }
                }
            }
            alone.append(without.outcome(batch, less: 0))
            extra.append(with.outcome(batch, less: without.median))
        }
        await outbox.close()
        try BenchmarkError.check(
            OperationQueue.count(in: queued.database), is: repetitions * commits * batch,
            "The operations that were added")
        (self.extra, self.alone) = (extra, alone)
    }

    /// Documents at random, each once.
    private static func identifiers(
        of documents: DocumentSet, _ count: Int, _ numbers: inout RandomNumbers
    ) -> [String] {
        var picks: Set<Int> = []
        var identifiers: [String] = []
        while identifiers.count < min(count, documents.count) {
            let pick = numbers.number(below: documents.count)
            if picks.insert(pick).inserted { identifiers.append(documents.identifiers[pick]) }
        }
        return identifiers
    }

    /// What commits of one kind took, in microseconds, and their flushes.
    private struct Times {
        private var times: [Double] = []
        private var flushes: UInt64 = 0

        mutating func add(_ work: () async throws -> Void) async throws {
            let before = flushes_count()
            let begun = ContinuousClock.now
            try await work()
            times.append((ContinuousClock.now - begun) / .microseconds(1))
            flushes += flushes_count() - before
        }

        /// The time of the commit in the middle: the disk is now fast, now slow.
        var median: Double { times.sorted()[times.count / 2] }

        /// The time of one document, less what belongs to something else in its commit.
        func outcome(_ batch: Int, less other: Double) -> Outcome {
            Outcome(
                value: max(0, median - other) / Double(batch),
                flushes: flushes_are_counted() == 0
                    ? nil : Double(flushes) / Double(times.count))
        }
    }
}
