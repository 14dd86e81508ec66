import Foundation
import Settle
import SettlePQ
import SettleServer
import SettleTableProtocol

/// Takes content in, piece by piece, and lets it wait for an item of its owner.
///
/// The pieces are committed one by one, so that no transaction waits for a slow sender; the content
/// has no digest until it is complete, and so nobody finds it.
struct ContentUpload: Sendable {
    let pool: PQPool
    let tableId: Int64
    let digest: AttachmentDigest
    let owner: ContentOwner

    /// How many bytes of a content lie in one row, but the last.
    static let chunkBytes = 256 << 10
    /// How long content waits for an item.
    static let waitMicroseconds = Int64(HeldContents.waitSeconds) * 1_000_000
    /// How much longer it stays, for writes that were under way at the end.
    private static let graceMicroseconds = Int64(HeldContents.graceSeconds) * 1_000_000

    /// Takes all pieces.
    ///
    /// - Throws: ``Problem/contentDiffers``; what `pieces` throws; ``PQError``. Nothing is left then
    ///   but what a lost connection kept from being removed, which goes a day later.
    func take<Pieces: AsyncSequence>(
        _ pieces: Pieces, now: @Sendable () -> Date
    ) async throws where Pieces.Element == Data {
        let begin = TableClock.microseconds(of: now())
        let tableId = tableId
        let upload = try await pool.perform {
            try $0.run(
                "INSERT INTO settle.contents (table_id, begun_at) VALUES ($1, $2) RETURNING id",
                .integer(tableId), .integer(begin))[0].integer(0)
        }
        do {
            let (found, length) = try await store(pieces, upload)
            guard found == digest.text else { throw Problem.contentDiffers }
            try await complete(upload, length: length, now: TableClock.microseconds(of: now()))
        } catch {
            let failure = error
            // Also when the task was cancelled: a task of its own is not.
            _ = await Task { [pool] in
                try await pool.perform {
                    _ = try $0.run(
                        "DELETE FROM settle.contents WHERE id = $1 AND digest IS NULL",
                        .integer(upload))
                }
            }.result
            throw failure
        }
    }

    private func store<Pieces: AsyncSequence>(
        _ pieces: Pieces, _ upload: Int64
    ) async throws -> (digest: String, length: Int) where Pieces.Element == Data {
        var hasher = ContentHasher()
        var waiting: [UInt8] = []
        var number: Int64 = 0
        func send(_ bytes: [UInt8]) async throws {
            let place = number
            number += 1
            try await pool.perform {
                _ = try $0.run(
                    "INSERT INTO settle.chunks (content_id, number, bytes) VALUES ($1, $2, $3)",
                    .integer(upload), .integer(place), .bytes(bytes))
            }
        }
        for try await piece in pieces {
            let bytes = Array(piece)
            hasher.update(bytes)
            waiting += bytes
            while waiting.count >= Self.chunkBytes {
                try await send(Array(waiting.prefix(Self.chunkBytes)))
                waiting.removeFirst(Self.chunkBytes)
            }
        }
        if !waiting.isEmpty { try await send(waiting) }
        return (hasher.digest.description, hasher.length)
    }

    /// Gives the content its digest, unless the table has it already, and begins its wait.
    private func complete(_ upload: Int64, length: Int, now: Int64) async throws {
        let (tableId, digest, owner) = (tableId, digest.text, Array(owner.key.utf8))
        try await pool.perform { connection in
            try connection.transaction(.write) {
                try connection.run(
                    "SELECT 1 FROM settle.tables WHERE id = $1 FOR NO KEY UPDATE",
                    .integer(tableId))
                try UnusedContents.lapse(
                    before: now - Self.graceMicroseconds, from: connection, tableId: tableId)
                let isThere =
                    try connection.run(
                        "SELECT 1 FROM settle.contents WHERE table_id = $1 AND digest = $2",
                        .integer(tableId), .text(digest)
                    ).count > 0
                if isThere {
                    try connection.run(
                        "DELETE FROM settle.contents WHERE id = $1", .integer(upload))
                } else {
                    try connection.run(
                        "UPDATE settle.contents SET digest = $2, length = $3 WHERE id = $1",
                        .integer(upload), .text(digest), .integer(Int64(length)))
                }
                try connection.run(
                    """
                    INSERT INTO settle.holds (table_id, digest, owner, held_until)
                    VALUES ($1, $2, sha256($3), $4)
                    ON CONFLICT (table_id, digest, owner)
                        DO UPDATE SET held_until = excluded.held_until
                    """, .integer(tableId), .text(digest), .bytes(owner),
                    .integer(now + Self.waitMicroseconds))
            }
        }
    }
}
