import Foundation
import Settle
import SettleOData
import SettleTableProtocol

/// One table of items: what its rows mean, over any store.
struct HostedTable: Sendable {
    let stored: any StoredTable

    /// Reads an item, deleted or not.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - sender: Who asks: a large item is read in turns with others.
    /// - Returns: The item; nil when there never was one.
    /// - Throws: The store's error when it cannot be read.
    func item(
        _ id: String, for sender: SenderKey = SenderKey(subject: nil, address: nil)
    ) async throws -> TableItem? {
        let isLarge = try stored.isLarge(id)
        return try await stored.read(isLarge ? .long(sender) : .short) { try $0.item(id) }
    }

    /// Carries out a write.
    ///
    /// - Parameters:
    ///   - write: What is asked for.
    ///   - identity: Who asks.
    ///   - now: What the computer's clock says.
    /// - Returns: The item as it is stored afterwards.
    /// - Throws: ``Problem`` when the answer is no, and nothing is stored; the store's error when it
    ///   cannot take it.
    func perform(
        _ write: ItemWrite, by identity: Identity, now: Date
    ) async throws -> TableItem {
        let result = try await stored.write(touching: [write.id]) { transaction in
            try Self.result(of: write, by: identity, now: now, in: transaction)
        }
        let item = try result.get()
        await endHold(write.operation.attachments ?? [], of: identity, now: now)
        return item
    }

    /// Carries out several writes in one transaction, in their order, each on its own merits.
    ///
    /// - Parameters:
    ///   - writes: What is asked for.
    ///   - identity: Who asks.
    ///   - now: What the computer's clock says.
    ///   - answerBytesMax: About how much the items that come back may take; what stands behind is
    ///     refused.
    /// - Returns: For each write the item as it is stored afterwards, or the problem.
    /// - Throws: The store's error when it cannot take them; then nothing is stored.
    func perform(
        _ writes: [ItemWrite], by identity: Identity, now: Date,
        answerBytesMax: Int = TableItem.answerBytesMax
    ) async throws -> [Result<TableItem, Problem>] {
        let results = try await stored.write(touching: writes.map(\.id)) { transaction in
            // What is answered is held in memory: small operations may have large items.
            var answerBytes = 0
            return try writes.map { write -> Result<TableItem, Problem> in
                guard answerBytes < answerBytesMax else { return .failure(.tooMuch) }
                let result = try Self.result(of: write, by: identity, now: now, in: transaction)
                switch result {
                case .success(let item): answerBytes += item.approximateSize
                case .failure(let problem): answerBytes += problem.item?.approximateSize ?? 0
                }
                return result
            }
        }
        var taken: [AttachmentDescription] = []
        for (write, result) in zip(writes, results) {
            guard case .success = result, let attachments = write.operation.attachments else {
                continue
            }
            taken += attachments
        }
        await endHold(taken, of: identity, now: now)
        return results
    }

    /// One write in a transaction, or the problem: a refused one is no failure of the commit.
    private static func result(
        of write: ItemWrite, by identity: Identity, now: Date, in transaction: any TableTransaction
    ) throws -> Result<TableItem, Problem> {
        do {
            return .success(try perform(write, by: identity, now: now, in: transaction))
        } catch let problem as Problem {
            return .failure(problem)
        }
    }

    /// One write in a transaction; a problem is thrown before anything is changed.
    private static func perform(
        _ write: ItemWrite, by identity: Identity, now: Date, in transaction: any TableTransaction
    ) throws -> TableItem {
        let current = try transaction.item(write.id)
        let decision = write.operation.decision(
            on: current, expecting: write.expectation, by: identity)
        switch decision {
        case .refuse(let problem): throw problem
        case .keep(let item): return item
        case .store(let members, let isDeleted):
            let attachments = try attachments(
                write.operation.attachments, over: current, by: identity, now: now,
                in: transaction)
            let time = try transaction.nextTime(now: now)
            var removals = current?.removals ?? ChannelRemovals()
            removals.note(
                from: current?.channels ?? [], to: members.channels,
                at: time)
            let instant = Instant(microseconds: time)
            let item = TableItem(
                id: write.id, members: members, createdAt: current?.createdAt ?? instant,
                updatedAt: instant, version: "", isDeleted: isDeleted, attachments: attachments,
                removals: removals)
            // What is stored already may be stored again, so that it can be deleted.
            if item.approximateSizeMax > TableItem.bytesMax,
                item.approximateSize > TableItem.bytesMax, members != current?.members
            {
                throw Problem.itemTooLarge
            }
            if members.channelElements?.count ?? 0 > TableItem.channelCountMax,
                members != current?.members
            {
                throw Problem.tooManyChannels
            }
            do {
                return try transaction.save(item, over: current)
            } catch let error as DatabaseError where error.code == .documentTooLarge {
                // A store may hold less of some shapes; it has refused before it changed anything.
                throw Problem.itemTooLarge
            }
        }
    }

    /// Lets go of what an item has now.
    ///
    /// The write is stored by then. When this fails, the wait ends by itself, and what was stored must
    /// not be answered as if it were not.
    private func endHold(
        _ attachments: [AttachmentDescription], of identity: Identity, now: Date
    ) async {
        guard !attachments.isEmpty else { return }
        let digests = Set(attachments.map(\.digest)).sorted { $0.text < $1.text }
        try? await stored.endHold(digests, of: ContentOwner(identity), now: now)
    }
}
