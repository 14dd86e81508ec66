import Foundation
import Settle
import SettlePrimitives
import Synchronization

/// Gives the revisions of a batch the contents of their attachments.
struct RevisionContents: Sendable {
    let database: Database
    let backend: any RevisionBackend
    /// How many revisions are asked about at once.
    let concurrentRequestsMax: Int
    /// How many bytes of fetched contents may still wait in memory for their documents.
    private let room = RoomLeft(SyncTuning.heldContentSizeMax)

    init(database: Database, backend: any RevisionBackend, concurrentRequestsMax: Int) {
        self.database = database
        self.backend = backend
        self.concurrentRequestsMax = max(1, concurrentRequestsMax)
    }

    /// Why a revision cannot be stored, which concerns it alone.
    private struct Fault: Error { let fault: ItemFault }

    /// The attachments of a revision, and how many of them were fetched.
    private struct Found: Sendable {
        var attachments: [DocumentAttachment] = []
        var fetchedCount = 0
    }

    /// What of a batch can be stored.
    struct Ready: Sendable {
        var revisions: [ReadyRevision] = []
        /// Why the others cannot.
        var faults: [(id: String, fault: ItemFault)] = []
        /// How many contents of attachments were fetched.
        var fetchedCount = 0
    }

    /// Gives fetched revisions the contents of their attachments; those of several revisions are fetched at once.
    ///
    /// - Returns: The revisions in their order.
    /// - Throws: What the database and the remote throw.
    func ready(_ fetched: [FetchedRevision]) async throws -> Ready {
        var ready = Ready()
        var received: [ReceivedRevision] = []
        for fetched in fetched {
            switch fetched {
            case .fault(let id, let fault): ready.faults.append((id, fault))
            case .revision(let revision): received.append(revision)
            }
        }
        for (revision, result) in zip(received, try await attachments(of: received)) {
            switch result {
            case .success(let found):
                ready.fetchedCount += found.fetchedCount
                ready.revisions.append(
                    ReadyRevision(revision: revision, attachments: found.attachments))
            case .failure(let fault): ready.faults.append((revision.id, fault.fault))
            }
        }
        return ready
    }

    private func attachments(
        of revisions: [ReceivedRevision]
    ) async throws -> [Result<Found, Fault>] {
        var found = [Result<Found, Fault>](
            repeating: .success(Found()), count: revisions.count)
        let places = revisions.indices.filter { !revisions[$0].attachments.isEmpty }
        try await withThrowingTaskGroup(of: (Int, Result<Found, Fault>).self) { group in
            for (number, place) in places.enumerated() {
                if number >= concurrentRequestsMax, let done = try await group.next() {
                    found[done.0] = done.1
                }
                let revision = revisions[place]
                group.addTask { (place, try await result(of: revision)) }
            }
            for try await done in group { found[done.0] = done.1 }
        }
        return found
    }

    private func result(of revision: ReceivedRevision) async throws -> Result<Found, Fault> {
        do {
            return .success(try await attachments(of: revision))
        } catch let fault as Fault {
            return .failure(fault)
        }
    }

    /// The attachments of a revision, their content fetched where it did not come along and is not here.
    ///
    /// - Returns: The attachments, in the order of their descriptions, and how many were fetched.
    /// - Throws: ``Fault``; what the database and the remote throw.
    private func attachments(of revision: ReceivedRevision) async throws -> Found {
        let known = try Known(revision, in: database)
        let missing = revision.attachments.filter {
            $0.data == nil && $0.digest.flatMap { known.contents[$0] } == nil
        }
        // Several that are not long come together.
        let together = try await contents(of: missing, revision, known.revisions)
        var attachments: [DocumentAttachment] = []
        for described in revision.attachments {
            if let data = described.data {
                attachments.append(
                    DocumentAttachment(
                        name: described.name, contentType: described.contentType, data: data))
            } else if let data = together[described.name] {
                attachments.append(try await hold(data, as: described))
            } else if let (digest, length) = described.digest.flatMap({ known.contents[$0] }) {
                attachments.append(
                    try DocumentAttachment(
                        name: described.name, contentType: described.contentType, length: length,
                        digest: digest))
            } else {
                attachments.append(try await fetch(described, of: revision))
            }
        }
        return Found(attachments: attachments, fetchedCount: missing.count)
    }

    /// What leaves of a document have here.
    private struct Known {
        /// The contents, by what the remote calls them.
        var contents: [String: (digest: String, length: Int)] = [:]
        /// The leaves whose contents are all here.
        var revisions: [String] = []

        init(_ revision: ReceivedRevision, in database: Database) throws {
            try database.read { snapshot in
                var lengths: [String: Int] = [:]
                for leaf in try snapshot.revisionTree(of: revision.id)?.sortedLeaves ?? [] {
                    let name = leaf.name.description
                    guard let document = try snapshot.document(revision.id, atRevision: name)
                    else { continue }
                    let here = try document.attachments.filter { try $0.isContentAvailable }
                    for attachment in here { lengths[attachment.digest] = attachment.length }
                    if here.count == document.attachments.count { revisions.append(name) }
                }
                for name in revision.attachments.compactMap(\.digest) {
                    guard let digest = try RevisionTables.content(name, in: snapshot),
                        let length = lengths[digest]
                    else { continue }
                    contents[name] = (digest, length)
                }
            }
        }
    }

    private func contents(
        of missing: [FetchedAttachment], _ revision: ReceivedRevision, _ known: [String]
    ) async throws -> [String: Data] {
        guard missing.count > 1 else { return [:] }
        let found = try await backend.contents(of: missing, revision, having: known)
        // What is not as long as it is said to be is fetched by itself, where that is a failure.
        let lengths = Dictionary(missing.map { ($0.name, $0.length) }) { first, _ in first }
        return found.filter { name, data in lengths[name] == .some(data.count) }
    }

    private func fetch(
        _ described: FetchedAttachment, of revision: ReceivedRevision
    ) async throws -> DocumentAttachment {
        let chunks: AsyncThrowingStream<Data, any Error>?
        do {
            chunks = try await backend.content(of: described, revision)
        } catch  where error.code == .responseTooLarge {
            throw Fault(fault: ItemFault(error.message, member: "_attachments"))
        }
        guard let chunks else {
            throw Fault(
                fault: ItemFault(
                    "The remote does not have the content of an attachment.",
                    member: "_attachments"))
        }
        let attachment: DocumentAttachment
        if let length = described.length, length <= SyncTuning.heldContentLengthMax {
            attachment = try await hold(whole(chunks), as: described)
        } else {
            attachment = try await database.storeAttachment(
                named: described.name, contentType: described.contentType, chunks: chunks)
        }
        if let length = described.length, length != attachment.length {
            throw ReplicationError(
                .protocolViolation,
                "The content of an attachment is not as long as the remote says.",
                documentId: revision.id)
        }
        return attachment
    }

    private func whole(_ chunks: AsyncThrowingStream<Data, any Error>) async throws -> Data {
        var data = Data()
        for try await chunk in chunks { data += chunk }
        return data
    }

    /// An attachment of content that is here: in memory, as long as there is room, else in the database already.
    private func hold(
        _ data: Data, as described: FetchedAttachment
    ) async throws -> DocumentAttachment {
        if room.take(data.count) {
            return DocumentAttachment(
                name: described.name, contentType: described.contentType, data: data)
        }
        return try await database.storeAttachment(
            named: described.name, contentType: described.contentType, chunks: data.once)
    }
}

/// How much room is left.
private final class RoomLeft: Sendable {
    private let count: Lock<Int>

    init(_ count: Int) {
        self.count = Lock(count)
    }

    /// Takes some of it, where there is enough.
    func take(_ wanted: Int) -> Bool {
        count.withLock { count in
            guard wanted <= count else { return false }
            count -= wanted
            return true
        }
    }
}

extension Data {
    /// These bytes as a sequence of one.
    fileprivate var once: AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(self)
            continuation.finish()
        }
    }
}

/// A revision with the contents of its attachments, ready to be stored.
struct ReadyRevision: Sendable {
    let revision: ReceivedRevision
    let attachments: [DocumentAttachment]

    /// Stores the revision, what the remote calls its contents, and which of them it has.
    ///
    /// - Parameters:
    ///   - origin: The remote.
    ///   - tables: What is kept of it.
    ///   - transaction: The transaction.
    /// - Returns: False when it was known.
    /// - Throws: What the database throws.
    func store(
        from origin: String, _ tables: RemoteTables, in transaction: Transaction
    ) throws -> Bool {
        var document = Document(id: revision.id, packed: revision.members)
        document.attachments = attachments
        let isNew = try transaction.store(
            document, revisions: revision.path, isDeleted: revision.isDeleted, from: origin)
        guard isNew else { return false }
        for (remote, here) in zip(revision.attachments, attachments) {
            guard let name = remote.digest else { continue }
            try RevisionTables.noteContent(name, here.digest, in: transaction)
        }
        if let note = AttachmentNote(document, revision.path[0]) {
            try tables.setNote(note, in: transaction)
        }
        return true
    }
}
