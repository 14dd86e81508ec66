package import Foundation
import HTTPTypes
package import Settle
package import SettleSync

extension CouchBackend: RevisionBackend {
    /// Which documents are fetched, beside the channels.
    package var selection: String { documents.name }

    /// Whether design documents are fetched and sent.
    package var hasDesignDocuments: Bool { documents.hasDesigns }

    /// Finds out whether the database is there, and makes it where that is wanted.
    package func begin() async throws(ReplicationError) -> String {
        var response = try await exchange(.information)
        if response.status == 404, createsDatabase {
            let made = try await exchange(.creation)
            // Somebody else may have made it meanwhile.
            guard (200..<300).contains(made.status) || made.status == 412 else {
                throw made.couchFailure("make the database")
            }
            response = try await exchange(.information)
        }
        guard response.status == 200 else { throw response.couchFailure("show the database") }
        let incarnation = Self.incarnation(try response.couchJSON())
        memory.incarnation = incarnation
        return incarnation ?? ""
    }

    /// What a server calls the time from which it has forgotten nothing.
    private static func incarnation(_ json: JSONValue) -> String? {
        json["instance_start_time"].map { String(decoding: JSONText.text(of: $0), as: UTF8.self) }
    }

    /// Has the database stored durably.
    package func commit() async throws(ReplicationError) -> String {
        let response = try await exchange(.commit)
        let begun = memory.incarnation ?? ""
        switch response.status {
        // A server that does not know it stores durably before it answers.
        case 404, 405, 501: return begun
        case 200..<300: return Self.incarnation(try response.couchJSON()) ?? begun
        default: throw response.couchFailure("store the database durably")
        }
    }

    // MARK: Logs

    /// A log of the database's `_local` documents.
    package func log(_ name: String) async throws(ReplicationError) -> JSONValue? {
        let response = try await exchange(.log(name))
        switch response.status {
        case 200:
            let log = try response.couchJSON()
            memory.setRevision(log["_rev"]?.stringValue, ofLog: name)
            return log
        case 404:
            memory.setRevision(nil, ofLog: name)
            return nil
        default: throw response.couchFailure("show the log of a replication")
        }
    }

    /// Writes a log to the database's `_local` documents.
    package func setLog(_ log: JSONValue, _ name: String) async throws(ReplicationError) {
        var response = try await exchange(
            .setLog(log, name, memory.revision(ofLog: name)))
        if response.status == 409 {
            // Ours, whose answer was lost, or another replication's; the newest counts.
            _ = try await self.log(name)
            response = try await exchange(.setLog(log, name, memory.revision(ofLog: name)))
        }
        guard (200..<300).contains(response.status) else {
            throw response.couchFailure("keep the log of a replication")
        }
        memory.setRevision(try response.couchJSON()["rev"]?.stringValue, ofLog: name)
    }

    // MARK: Changes

    /// A page of the feed of changes.
    package func changes(
        _ query: RevisionQuery, after sequence: JSONValue?, limit: Int
    ) async throws(ReplicationError) -> RevisionFeed {
        let response = try await exchange(
            .changes(documents.within(query.channels), after: sequence, limit: limit))
        guard response.status == 200 else { throw response.couchFailure("list changes") }
        return try CouchAnswers.feed(response)
    }

    /// Waits for a change by a long poll.
    package func awaitChange(
        _ query: RevisionQuery, after sequence: JSONValue?
    ) async throws(ReplicationError) -> Bool {
        let response = try await exchange(
            .awaitedChange(
                documents.within(query.channels), after: sequence, seconds: listeningSeconds))
        guard response.status == 200 else { throw response.couchFailure("wait for a change") }
        return try !CouchAnswers.feed(response).changes.isEmpty
    }

    /// Asks `_revs_diff`.
    package func missing(
        _ revisions: [String: [String]]
    ) async throws(ReplicationError) -> [String: MissingRevisions] {
        let response = try await exchange(.difference(revisions))
        guard response.status == 200 else {
            throw response.couchFailure("say which revisions are missing")
        }
        return try CouchAnswers.missing(response)
    }

    // MARK: Attachments

    /// The contents of attachments that are not long, by one request for the revision in parts.
    package func contents(
        of attachments: [FetchedAttachment], _ revision: ReceivedRevision, having known: [String]
    ) async throws(ReplicationError) -> [String: Data] {
        var length = 0
        for attachment in attachments {
            guard let itsLength = attachment.length, itsLength >= 0,
                itsLength <= RESTTuning.downloadSizeMax - length,
                !memory.packs(attachment.contentType)
            else { return [:] }
            length += itsLength
        }
        let response: FullHTTPResponse
        do {
            response = try await exchange(
                .revisionInParts(revision.id, revision.path[0], having: known))
        } catch  where error.code == .responseTooLarge {
            return [:]
        }
        // Where it is not answered, what is asked for one by one tells why.
        guard response.status == 200 else { return [:] }
        return CouchAnswers.contents(response) { memory.notePacking(of: $0) }
    }

    /// The content of an attachment, in ranges when it is long.
    package func content(
        of attachment: FetchedAttachment, _ revision: ReceivedRevision
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>? {
        let part = RESTTuning.downloadSizeMax
        guard let length = attachment.length, length > part else {
            let response = try await exchange(
                .content(attachment.name, of: revision.id, revision.path[0]))
            return try Self.whole(response).map { data in
                AsyncThrowingStream { continuation in
                    continuation.yield(data)
                    continuation.finish()
                }
            }
        }
        return ContentRanges(length: length, part: part) { range throws(ReplicationError) in
            let response = try await exchange(
                .content(attachment.name, of: revision.id, revision.path[0], range: range))
            if response.status == 206, response.body.count == range.count {
                return Data(response.body)
            }
            // A server that knows no ranges, or none of content that it keeps packed.
            guard range.lowerBound == 0, let data = try Self.whole(response),
                data.count == length
            else {
                throw ReplicationError(
                    .protocolViolation,
                    "The server sent another part of an attachment than it was asked for.",
                    documentId: revision.id)
            }
            return data
        }.chunks
    }

    /// The content that a response is; nil when there is none.
    private static func whole(_ response: FullHTTPResponse) throws(ReplicationError) -> Data? {
        switch response.status {
        case 200: return Data(response.body)
        case 404 where response.couchFault != nil: return nil
        default: throw response.couchFailure("send the content of an attachment")
        }
    }
}

/// Content that is fetched range by range, in constant memory.
private struct ContentRanges: Sendable {
    let length: Int
    let part: Int
    /// Fetches a range, or of the first one all there is.
    let fetch: @Sendable (ClosedRange<Int>) async throws(ReplicationError) -> Data

    var chunks: AsyncThrowingStream<Data, any Error> {
        let place = ContentPlace()
        return AsyncThrowingStream { () async throws -> Data? in
            let offset = place.offset
            guard offset < length else { return nil }
            let data = try await fetch(offset...(min(length, offset + part) - 1))
            place.advance(by: data.count)
            return data
        }
    }
}
