import Foundation
import Settle
import SettleTableProtocol

/// One table: a Settle database whose documents are envelopes of items.
struct LMDBTable: StoredTable {
    let name: TableName
    let database: Database
    /// The paths that have an index.
    let indexes: PathIndexes
    private let threads: WorkThreads
    /// Contents that were uploaded for items to come.
    private let held = HeldContents()

    init(
        name: TableName, database: Database, indexes: PathIndexes, threads: WorkThreads
    ) {
        self.name = name
        self.database = database
        self.indexes = indexes
        self.threads = threads
    }

    func read<Value: Sendable>(
        _ length: ReadLength, _ body: @escaping @Sendable (any TableSnapshot) throws -> Value
    ) async throws -> Value {
        let read = { @Sendable (turn: WorkTurn?) in
            try database.read { snapshot in
                try body(
                    LMDBSnapshot(
                        snapshot, indexes: indexes, held: held, turn: turn))
            }
        }
        // What is read lies in memory that is mapped, so a few items keep no thread waiting.
        return switch length {
        case .short: try read(nil)
        case .long(let sender): try await threads.runTrying(for: sender, read)
        }
    }

    func readNow<Value>(
        for sender: SenderKey, _ body: (any TableSnapshot) throws -> Value
    ) throws -> Value? {
        try threads.turns.performNow(for: sender) { turn in
            try database.read { snapshot in
                try body(LMDBSnapshot(snapshot, indexes: indexes, held: held, turn: turn))
            }
        }
    }

    func isLarge(_ id: String) throws -> Bool {
        try database.read { snapshot in
            try snapshot.withDocument(id) { $0.byteCount > ItemMembers.smallBytesMax } ?? false
        }
    }

    func write<Value: Sendable>(
        touching ids: [String],
        _ body: @escaping @Sendable (any TableTransaction) throws -> Value
    ) async throws -> Value {
        try await database.write {
            let transaction = LMDBTransaction($0, indexes: indexes, held: held)
            let value = try body(transaction)
            try transaction.finish()
            return value
        }
    }

    func changes() -> AsyncStream<Void> { database.commitSignals() }

    func hold<Chunks: AsyncSequence>(
        _ chunks: Chunks, as digest: AttachmentDigest, for owner: ContentOwner,
        now: @escaping @Sendable () -> Date
    ) async throws where Chunks.Element == Data {
        try await giveUpLapsed(now: now())
        let lease = try await database.storeAttachment(
            named: digest.text, contentType: "application/octet-stream", chunks: chunks)
        guard lease.digest == digest.text else {
            try await database.discard(lease)
            throw Problem.contentDiffers
        }
        if let earlier = held.add(lease, digest: digest, by: owner, now: now()) {
            try await database.discard(earlier)
        }
    }

    /// Gives up the contents whose wait is over.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be written.
    func giveUpLapsed(now: Date) async throws {
        for lease in held.lapse(now: now) { try await database.discard(lease) }
    }

    func endHold(_ digests: [AttachmentDigest], of owner: ContentOwner, now: Date) async throws {
        held.end(digests, of: owner, now: now)
    }

    func content(
        of attachment: AttachmentDescription, in id: String, from offset: Int
    ) async throws -> (any AsyncSequence<Data, any Error> & Sendable)? {
        let stored = try database.read { snapshot in
            try snapshot.document(id)?.attachments.first {
                $0.name.utf8.elementsEqual(attachment.name.utf8)
                    && $0.digest == attachment.digest.text
            }
        }
        guard let stored, try stored.isContentAvailable else { return nil }
        // The next chunk is read when the one before was sent.
        return stored.chunks(from: offset)
    }
}
