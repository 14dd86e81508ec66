import Foundation
import HTTPTypes
import Settle
import SettleSync
import SettleTableProtocol

/// What servers of CouchDB's protocol answer, read from their texts.
enum CouchAnswers {
    /// A page of changes.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` with `protocolViolation` when the answer is none.
    static func feed(_ response: FullHTTPResponse) throws(ReplicationError) -> RevisionFeed {
        let json = try response.couchJSON()
        guard let rows = json["results"]?.arrayValue, let last = json["last_seq"] else {
            throw senseless("a page of changes")
        }
        var changes: [RevisionFeed.Change] = []
        for row in rows {
            guard let id = row["id"]?.stringValue, let listed = row["changes"]?.arrayValue else {
                throw senseless("a page of changes")
            }
            changes.append(
                RevisionFeed.Change(
                    id: id, revisions: listed.compactMap { $0["rev"]?.stringValue },
                    isDeleted: row["deleted"]?.boolValue ?? false))
        }
        return RevisionFeed(
            changes: changes, last: last,
            pendingCount: json["pending"]?.integerValue.flatMap { Int(exactly: $0) })
    }

    /// Which revisions are missing.
    static func missing(
        _ response: FullHTTPResponse
    ) throws(ReplicationError) -> [String: MissingRevisions] {
        guard let members = try response.couchJSON().objectValue else {
            throw senseless("a list of missing revisions")
        }
        return members.compactMapValues { entry in
            guard let missing = entry["missing"]?.arrayValue else { return nil }
            return MissingRevisions(
                revisions: Set(missing.compactMap(\.stringValue)),
                ancestors: entry["possible_ancestors"]?.arrayValue?.compactMap(\.stringValue)
                    ?? [])
        }
    }

    /// The contents of attachments that a revision came with, by name.
    ///
    /// - Parameters:
    ///   - response: A revision in parts, or as JSON with its attachments inline.
    ///   - notePacking: Called with the types of contents that came packed, which are left out.
    /// - Returns: The contents; none when the answer is neither.
    static func contents(
        _ response: FullHTTPResponse, _ notePacking: (String) -> Void
    ) -> [String: Data] {
        var contents: [String: Data] = [:]
        let type = response.head.headerFields[.contentType] ?? ""
        guard let parts = Multipart.parts(of: response.body[...], type: type) else {
            for case .revision(let revision) in (try? openRevisions(response)) ?? [] {
                for attachment in revision.attachments {
                    contents[attachment.name] = attachment.data
                }
            }
            return contents
        }
        for part in parts.compactMap(\.parts).joined() {
            guard let name = part.fileName else { continue }
            if part.headers["content-encoding"] == nil {
                contents[name] = Data(part.content)
            } else if let type = part.headers["content-type"] {
                notePacking(type)
            }
        }
        return contents
    }

    /// What `_bulk_get` found.
    ///
    /// - Throws: `JSONError` when a document in it cannot be one here; ``/SettleSync/ReplicationError`` with
    ///   `protocolViolation` when the answer is none.
    static func bulk(_ response: FullHTTPResponse) throws -> [FetchedRevision] {
        guard let results = try response.couchDocuments().packedMember("results")?.elements()
        else { throw senseless("revisions") }
        return try results.flatMap { result in
            try (result.packedMember("docs")?.elements() ?? []).compactMap { try revision($0) }
        }
    }

    /// What the revisions of one document are, by `open_revs`.
    ///
    /// - Throws: As ``bulk(_:)``.
    static func openRevisions(_ response: FullHTTPResponse) throws -> [FetchedRevision] {
        guard let found = try response.couchDocuments().elements() else {
            throw senseless("revisions")
        }
        return try found.compactMap { try revision($0) }
    }

    /// A revision, or why there is none; nil when it is not there any more.
    private static func revision(_ result: PackedValue) throws -> FetchedRevision? {
        if let document = try result.packedMember("ok") { return try CouchDocument.read(document) }
        guard let error = try result.member("error"), let id = error["id"]?.stringValue,
            let word = error["error"]?.stringValue, word != "not_found"
        else { return nil }
        if isTransient(word) {
            throw ReplicationError(
                .serverFailed, "The server failed to give a revision: \(word).", documentId: id)
        }
        let reason = error["reason"]?.stringValue ?? ""
        return .fault(id: id, ItemFault("The server does not give it: \(word), \(reason)"))
    }

    /// The revisions that `_bulk_docs` refused.
    static func refused(
        _ response: FullHTTPResponse
    ) throws(ReplicationError) -> [CouchRejection] {
        guard let results = try response.couchJSON().arrayValue else {
            throw senseless("the outcome of writes")
        }
        var refused: [CouchRejection] = []
        for result in results {
            guard let word = result["error"]?.stringValue else { continue }
            let id = result["id"]?.stringValue ?? ""
            if isTransient(word) {
                throw ReplicationError(
                    .serverFailed, "The server failed to store a document: \(word).",
                    documentId: id)
            }
            let reason = FullHTTPResponse.line(of: result["reason"]?.stringValue ?? "") ?? ""
            refused.append(
                CouchRejection(
                    id: id, RemoteRejection(reason: "\(word): \(reason)"),
                    isMissingStub: word == CouchRejection.missingStub))
        }
        return refused
    }

    /// Whether a word of CouchDB's stands for something that passes.
    private static func isTransient(_ word: String) -> Bool {
        ["internal_server_error", "timeout", "unknown_error", "service_unavailable"]
            .contains(word)
    }

    private static func senseless(_ what: String) -> ReplicationError {
        ReplicationError(
            .protocolViolation,
            "The server answered something else than \(what); is it a database of CouchDB's protocol?"
        )
    }
}
