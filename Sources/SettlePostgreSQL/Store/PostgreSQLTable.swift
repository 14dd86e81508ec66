import Foundation
import Settle
import SettlePQ
import SettleServer
import SettleTableProtocol

/// One table: its rows in the tables of the schema `settle`.
struct PostgreSQLTable: StoredTable {
    let name: TableName
    let id: Int64
    let connections: StoreConnections
    let signals: ChangeSignals
    let writes: WriteQueue
    /// The turns in which long reads go on.
    let turns: WorkTurns

    init(
        name: TableName, id: Int64, connections: StoreConnections, signals: ChangeSignals,
        turns: WorkTurns
    ) {
        self.name = name
        self.id = id
        self.connections = connections
        self.signals = signals
        self.turns = turns
        writes = WriteQueue(
            name: name, tableId: id, pool: connections.writing, signals: signals)
    }

    func read<Value: Sendable>(
        _ length: ReadLength, _ body: @escaping @Sendable (any TableSnapshot) throws -> Value
    ) async throws -> Value {
        guard case .long(let sender) = length else {
            return try await read { connection, id in
                try body(PostgreSQLSnapshot(connection, tableId: id))
            }
        }
        let (turns, cancellation) = (turns, ReadCancellation())
        return try await withTaskCancellationHandler {
            try await connections.longReads.performTrying(for: sender) { trial in
                try await read { connection, id in
                    try turns.perform(for: sender, until: cancellation, on: trial) { turn in
                        try body(PostgreSQLSnapshot(connection, tableId: id, turn: turn))
                    }
                }
            }
        } onCancel: {
            cancellation.begin()
        }
    }

    /// Runs a closure in one state of the database, on the thread of a connection.
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (PQConnection, _ tableId: Int64) throws -> Value
    ) async throws -> Value {
        let id = id
        return try await StoreFailure.translating {
            try await connections.reading.perform { connection in
                try connection.transaction(.read) { try body(connection, id) }
            }
        }
    }

    func write<Value: Sendable>(
        touching ids: [String],
        _ body: @escaping @Sendable (any TableTransaction) throws -> Value
    ) async throws -> Value {
        try await TraceSpan.with("settle.commit") { _ in
            try await StoreFailure.translating {
                try await writes.perform(touching: ids, body)
            }
        }
    }

    func changes() -> AsyncStream<Void> { signals.stream(for: name) }

    func hold<Chunks: AsyncSequence>(
        _ chunks: Chunks, as digest: AttachmentDigest, for owner: ContentOwner,
        now: @escaping @Sendable () -> Date
    ) async throws where Chunks.Element == Data {
        let upload = ContentUpload(
            pool: connections.uploading, tableId: id, digest: digest, owner: owner)
        do {
            try await upload.take(chunks, now: now)
        } catch let error as PQError {
            throw StoreFailure.translated(error)
        }
    }

    func endHold(_ digests: [AttachmentDigest], of owner: ContentOwner, now: Date) async throws {
        let id = id
        try await StoreFailure.translating {
            try await connections.writing.perform {
                _ = try $0.run(
                    """
                    UPDATE settle.holds SET held_until = least(held_until, $4)
                    WHERE table_id = $1 AND digest = ANY($2)
                        AND owner = sha256($3)
                    """, .integer(id), .texts(digests.map(\.text)),
                    .bytes(Array(owner.key.utf8)),
                    .integer(TableClock.microseconds(of: now)))
            }
        }
    }

    func content(
        of attachment: AttachmentDescription, in id: String, from offset: Int
    ) async throws -> (any AsyncSequence<Data, any Error> & Sendable)? {
        try await StoreFailure.translating {
            let content = try await StoredContent.find(
                attachment.digest, of: id, tableId: self.id, in: connections.reading)
            return content?.pieces(from: offset)
        }
    }
}

/// The connections of a store, some for each purpose, so that writes that wait for the lock of a
/// table keep no reader waiting, and uploads no write.
struct StoreConnections: Sendable {
    let reading: PQPool
    /// How many of those for reading long reads may take: all but one, which is left to short ones; a third of
    /// these is for reads that have only begun.
    let longReads: WorkPlaces
    let writing: PQPool
    /// For the contents of attachments that come in.
    let uploading: PQPool
    /// For the question whether PostgreSQL answers, which must not wait behind long reads.
    let probing: PQPool

    init(_ endpoint: PQEndpoint, readerCount: Int, writerCount: Int) {
        reading = PQPool(endpoint: endpoint, size: readerCount)
        let trialCount = (readerCount - 1) / 3
        longReads = WorkPlaces(count: readerCount - 1 - trialCount, trialCount: trialCount)
        writing = PQPool(endpoint: endpoint, size: writerCount)
        uploading = PQPool(endpoint: endpoint, size: max(1, writerCount / 2))
        probing = PQPool(endpoint: endpoint, size: 1, connectWait: .seconds(2))
    }

    func close() async {
        for pool in [uploading, writing, reading, probing] { await pool.close() }
    }
}
