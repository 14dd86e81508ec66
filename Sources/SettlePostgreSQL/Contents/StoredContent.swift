import Foundation
import Settle
import SettlePQ
import SettlePrimitives
import SettleServer
import SettleTableProtocol
import Synchronization

/// A content of a table, read chunk by chunk.
struct StoredContent: Sendable {
    private let pool: PQPool
    private let id: Int64
    private let length: Int
    private let digest: AttachmentDigest

    /// Finds the content of an attachment of an item.
    ///
    /// - Returns: The content; nil when the item does not have it.
    /// - Throws: ``PQError``.
    static func find(
        _ digest: AttachmentDigest, of item: String, tableId: Int64, in pool: PQPool
    ) async throws -> StoredContent? {
        // PostgreSQL has no texts with a U+0000: such an item is not there.
        guard !item.utf8.contains(0) else { return nil }
        let found = try await pool.perform { connection -> (Int64, Int64)? in
            let row = try connection.run(
                """
                SELECT c.id, c.length FROM settle.uses u
                JOIN settle.contents c ON c.table_id = u.table_id AND c.digest = u.digest
                WHERE u.table_id = $1 AND u.digest = $2 AND u.id = $3
                """, .integer(tableId), .text(digest.text), .text(item)
            ).first
            return try row.map { (try $0.integer(0), try $0.integer(1)) }
        }
        guard let found else { return nil }
        return StoredContent(pool: pool, id: found.0, length: Int(found.1), digest: digest)
    }

    /// The content from a place on.
    ///
    /// - Parameter offset: In bytes. From 0, the digest is verified before the last chunk is given
    ///   away.
    /// - Returns: The pieces; a chunk is read when it is asked for.
    func pieces(from offset: Int) -> AsyncThrowingStream<Data, any Error> {
        let content = self
        // Pulled by the reader: the next chunk is read when the one before was sent.
        let progress = Progress(offset: offset)
        return AsyncThrowingStream {
            try await StoreFailure.translating { try await content.next(progress) }
        }
    }

    private final class Progress: Sendable {
        struct State {
            var place: Int
            var hasher: ContentHasher?
        }

        let state: Lock<State>

        init(offset: Int) {
            state = Lock(State(place: offset, hasher: offset == 0 ? ContentHasher() : nil))
        }
    }

    private func next(_ progress: Progress) async throws -> Data? {
        let place = progress.state.withLock { $0.place }
        guard place < length else { return nil }
        let (number, skipped) = place.quotientAndRemainder(dividingBy: ContentUpload.chunkBytes)
        let id = id
        let bytes = try await pool.perform {
            try $0.run(
                "SELECT bytes FROM settle.chunks WHERE content_id = $1 AND number = $2",
                .integer(id), .integer(Int64(number))
            ).first?.bytes(0)
        }
        let expected = min(ContentUpload.chunkBytes, length - number * ContentUpload.chunkBytes)
        guard let bytes, bytes.count == expected else { throw Self.damaged }
        let isWhole = progress.state.withLock { state in
            state.place += bytes.count - skipped
            state.hasher?.update(bytes)
            guard state.place >= length, let hasher = state.hasher else { return true }
            return hasher.digest.description == digest.text
        }
        guard isWhole else { throw Self.damaged }
        return Data(bytes.dropFirst(skipped))
    }

    private static let damaged = DatabaseError(
        .corrupted,
        "The content of an attachment was removed while it was read, or is damaged in "
            + "settle.chunks; restore a backup if this happens again.")
}
