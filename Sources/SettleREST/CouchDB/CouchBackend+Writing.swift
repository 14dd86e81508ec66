import Foundation
import HTTPTypes
import Settle
package import SettleSync

/// A revision that a server of CouchDB's protocol does not take.
struct CouchRejection: Sendable, Hashable {
    /// CouchDB's word for an attachment without content that it does not have.
    static let missingStub = "missing_stub"

    let id: String
    let rejection: RemoteRejection
    /// Whether it lacks content that was not sent since it should be there.
    let isMissingStub: Bool

    init(id: String, _ rejection: RemoteRejection, isMissingStub: Bool = false) {
        self.id = id
        self.rejection = rejection
        self.isMissingStub = isMissingStub
    }

    /// What an answer about one document refuses.
    init(id: String, _ response: FullHTTPResponse) {
        let said = response.couchFault.flatMap {
            FullHTTPResponse.line(of: "\($0.error): \($0.reason)")
        }
        let reason = said ?? "The server refuses it with the status \(response.status)."
        self.init(
            id: id,
            RemoteRejection(
                reason: reason, statusCode: response.status, body: Data(response.body)),
            isMissingStub: response.status == 412
                && response.couchFault?.error == Self.missingStub)
    }

    var revision: RefusedRevision { RefusedRevision(id: id, rejection) }
}

extension CouchBackend {
    /// Brings revisions to the database: by `_bulk_docs`, as many at a time as have ``RESTTuning/bulkSizeMax`` bytes and
    /// ``bulkCountMax`` of them at once, and those with long attachments in parts, one by one.
    ///
    /// Attachments that the database should have are not sent, unless it says that it lacks them.
    package func store(
        _ revisions: [SentRevision]
    ) async throws(ReplicationError) -> [RefusedRevision] {
        do {
            return try await withThrowingTaskGroup(of: [RefusedRevision].self) { group in
                try await store(revisions, in: &group)
            }
        } catch {
            throw ReplicationError(answering: error)
        }
    }

    private func store(
        _ revisions: [SentRevision], in group: inout ThrowingTaskGroup<[RefusedRevision], any Error>
    ) async throws -> [RefusedRevision] {
        var refused: [RefusedRevision] = []
        var texts = WrittenTexts()
        var count = 0
        func send(_ texts: WrittenTexts) async throws {
            if count == bulkCountMax {
                refused += try await group.next() ?? []
                count -= 1
            }
            group.addTask { try await store(texts) }
            count += 1
        }
        for revision in revisions {
            do {
                let sent = CouchDocument.sentAttachments(of: revision)
                let length = sent.reduce(0) { $0 + $1.length }
                let isInline = length <= RESTTuning.inlineSizeMax
                let text = try CouchDocument.text(of: revision, inline: isInline)
                guard isInline else {
                    refused += try await put(revision, text, sent)
                    continue
                }
                if texts.size + text.count > RESTTuning.bulkSizeMax, !texts.isEmpty {
                    try await send(texts)
                    texts = WrittenTexts()
                }
                texts.append(revision, text)
            } catch let unsendable as CouchDocument.Unsendable {
                refused.append(
                    RefusedRevision(id: revision.document.id, reason: unsendable.reason))
            }
        }
        if !texts.isEmpty { try await send(texts) }
        for try await more in group { refused += more }
        return refused
    }

    /// Revisions as they stand in a bulk write.
    private struct WrittenTexts: Sendable {
        private(set) var entries: [(revision: SentRevision, text: [UInt8])] = []
        private(set) var size = 0

        var isEmpty: Bool { entries.isEmpty }

        mutating func append(_ revision: SentRevision, _ text: [UInt8]) {
            entries.append((revision, text))
            size += text.count
        }
    }

    private func store(_ texts: WrittenTexts) async throws(ReplicationError) -> [RefusedRevision] {
        let refusals = try await store(texts.entries[...])
        let incomplete = Set(refusals.filter(\.isMissingStub).map(\.id))
        let again = texts.entries.map(\.revision).filter {
            incomplete.contains($0.document.id) && !$0.knownAttachments.isEmpty
        }
        if again.isEmpty { return refusals.map(\.revision) }
        let ids = Set(again.map(\.document.id))
        return refusals.filter { !ids.contains($0.id) }.map(\.revision)
            + (try await store(again.map(\.whole)))
    }

    private func store(
        _ texts: ArraySlice<(revision: SentRevision, text: [UInt8])>
    ) async throws(ReplicationError) -> [CouchRejection] {
        let response = try await exchange(.bulkDocuments(texts.map(\.text)))
        switch response.status {
        case 200..<300: return try CouchAnswers.refused(response)
        // Too much at a time, or one among them that no server of this kind takes.
        case 400 where response.couchFault != nil, 412, 413:
            guard texts.count > 1 else {
                return texts.map { CouchRejection(id: $0.revision.document.id, response) }
            }
            let middle = texts.startIndex + texts.count / 2
            return try await store(texts[..<middle]) + store(texts[middle...])
        default: throw response.couchFailure("store documents")
        }
    }

    /// Stores a revision with the contents of its attachments behind it.
    private func put(
        _ revision: SentRevision, _ text: [UInt8], _ attachments: [DocumentAttachment]
    ) async throws(ReplicationError) -> [RefusedRevision] {
        let id = revision.document.id
        let parts = MultipartBody(text, attachments)
        guard transport.streamsBodies || parts.length <= RESTTuning.uploadSizeMax else {
            let reason =
                "With its attachments it has \(parts.length) bytes, and this transport sends no more than "
                + "\(RESTTuning.uploadSizeMax)."
            return [RefusedRevision(id: id, reason: reason)]
        }
        let response = try await exchange(.documentInParts(id, parts), isRejection: true)
        switch response.status {
        case 200..<300: return []
        case 412 where !revision.knownAttachments.isEmpty: return try await store([revision.whole])
        case 400 where response.couchFault != nil, 401, 403, 409, 412, 413, 415:
            return [CouchRejection(id: id, response).revision]
        default: throw response.couchFailure("store a document")
        }
    }
}

extension SentRevision {
    /// The revision with all contents, whatever the remote should have.
    fileprivate var whole: SentRevision {
        var revision = self
        revision.knownAttachments = []
        return revision
    }
}
