import Logging
import Settle

extension ReplicationCycle {
    /// Fetches the content of attachments that came as descriptions.
    ///
    /// What cannot be had is tried again in the next cycle, and keeps no other back.
    mutating func downloadAttachments() async throws {
        let (session, configuration) = (session, session.configuration)
        guard configuration.downloadsAttachments, carriesAttachments() else { return }
        var last: String?
        while true {
            let ids = try session.pushQueue.read(session.database) { snapshot, tables in
                try tables.downloadIds(
                    after: last, countMax: max(1, configuration.concurrentRequestsMax),
                    in: snapshot)
            }
            guard !ids.isEmpty else { return }
            last = ids.last
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for id in ids {
                    group.addTask { try await Self.download(id, for: session) }
                }
                return try await group.reduce(0, +)
            }
            summary.attachmentsDownloaded += counts
        }
    }

    /// How many attachments of a document were fetched.
    static func download(_ id: String, for session: ReplicationSession) async throws -> Int {
        do {
            return try await session.pushQueue.download(id, session.database, session.backend)
        } catch let error as ReplicationError
            where [.serverFailed, .protocolViolation].contains(error.code)
        {
            session.logger.warning(
                "The content of an attachment could not be fetched; it is tried again.",
                metadata: error.metadata)
            return 0
        } catch let error as DatabaseError where error.code == .invalidAttachment {
            session.logger.warning(
                "The content of an attachment is not what it is described as; it is tried again.",
                metadata: ["document": "\(id)"])
            return 0
        }
    }
}

extension PushQueue {
    /// Fetches the content of a document's attachments as far as it is not here.
    ///
    /// - Returns: How many attachments were fetched.
    /// - Throws: ``ReplicationError``, what the database throws; `DatabaseError` with
    ///   `invalidAttachment` when the remote has other content.
    func download(
        _ id: String, _ database: Database, _ backend: some Backend
    ) async throws -> Int {
        var count = 0
        let document = try read(database) { snapshot, tables in
            try Self.downloaded(id, in: snapshot, tables)
        }
        for attachment in document?.attachments ?? [] where try !attachment.isContentAvailable {
            try Task.checkCancellation()
            guard let chunks = try await backend.download(attachment, of: id) else { continue }
            try await database.provideContent(of: attachment, chunks: chunks, length: nil)
            count += 1
        }
        try await write(database) { transaction, tables in
            // Stored anew meanwhile, it may have others.
            let local = try Self.downloaded(id, in: transaction, tables)
            guard local?.metaData.revision == document?.metaData.revision else { return }
            try tables.removeDownload(ofDocumentWithId: id, in: transaction)
        }
        return count
    }

    /// The document whose content is fetched: one that belongs to another remote by now only as long as
    /// the item is still there.
    private static func downloaded(
        _ id: String, in snapshot: Snapshot, _ tables: RemoteTables
    ) throws -> Document? {
        if try tables.base(id)?.isLive ?? false { return try snapshot.document(id) }
        return try tables.document(id, in: snapshot)
    }
}
