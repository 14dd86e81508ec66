import Foundation
import HTTPTypes
import Settle
package import SettleSync

extension CouchBackend {
    /// Fetches revisions by `_bulk_get` or, where that is not known, document by document.
    ///
    /// What is too large or cannot be read is asked for again in halves, so that one document does not stop the
    /// others.
    package func fetch(
        _ wanted: [WantedRevisions]
    ) async throws(ReplicationError) -> [FetchedRevision] {
        if !memory.lacksBulkGet {
            do {
                if let found = try await fetchTogether(wanted) { return found }
                memory.lacksBulkGet = true
            } catch {
                guard let fault = Self.fault(error) else {
                    throw ReplicationError(answering: error)
                }
                return try await fetchHalves(of: wanted, fault)
            }
        }
        var found: [FetchedRevision] = []
        for document in wanted {
            do {
                found += try await fetch(document)
            } catch {
                guard let fault = Self.fault(error) else {
                    throw ReplicationError(answering: error)
                }
                found.append(.fault(id: document.id, fault))
            }
        }
        return found
    }

    private func fetchHalves(
        of wanted: [WantedRevisions], _ fault: ItemFault
    ) async throws(ReplicationError) -> [FetchedRevision] {
        guard wanted.count > 1 else { return wanted.map { .fault(id: $0.id, fault) } }
        let middle = wanted.count / 2
        return try await fetch(Array(wanted[..<middle])) + fetch(Array(wanted[middle...]))
    }

    /// - Returns: nil when the server does not know `_bulk_get`.
    private func fetchTogether(_ wanted: [WantedRevisions]) async throws -> [FetchedRevision]? {
        let response = try await exchange(.bulkGet(wanted))
        switch response.status {
        case 200: return try CouchAnswers.bulk(response)
        case 400, 404, 405, 415, 501: return nil
        default: throw response.couchFailure("send documents")
        }
    }

    private func fetch(_ wanted: WantedRevisions) async throws -> [FetchedRevision] {
        let response = try await exchange(.openRevisions(wanted))
        switch response.status {
        case 200: return try CouchAnswers.openRevisions(response)
        case 404 where ["missing", "deleted"].contains(response.couchFault?.reason): return []
        default: throw response.couchFailure("send a document")
        }
    }

    /// What is wrong with one of the documents that were asked for; nil when it is something else.
    private static func fault(_ error: any Error) -> ItemFault? {
        if let error = error as? JSONError { return ItemFault(error.message) }
        guard let error = error as? ReplicationError, error.code == .responseTooLarge else {
            return nil
        }
        return ItemFault(error.message)
    }

    // MARK: Writing

    /// Brings revisions to the database by `_bulk_docs`, as many at a time as have ``RESTTuning/bulkSizeMax``
    /// bytes.
    package func store(
        _ revisions: [SentRevision]
    ) async throws(ReplicationError) -> [RefusedRevision] {
        var refused: [RefusedRevision] = []
        var texts: [(id: String, text: [UInt8])] = []
        var size = 0
        for revision in revisions {
            do {
                let text = try CouchDocument.text(of: revision)
                if size + text.count > RESTTuning.bulkSizeMax, !texts.isEmpty {
                    refused += try await store(texts[...])
                    (texts, size) = ([], 0)
                }
                texts.append((revision.document.id, text))
                size += text.count
            } catch let unsendable as CouchDocument.Unsendable {
                refused.append(
                    RefusedRevision(id: revision.document.id, reason: unsendable.reason))
            } catch {
                throw ReplicationError(answering: error)
            }
        }
        if !texts.isEmpty { refused += try await store(texts[...]) }
        return refused
    }

    private func store(
        _ texts: ArraySlice<(id: String, text: [UInt8])>
    ) async throws(ReplicationError) -> [RefusedRevision] {
        let response = try await exchange(.bulkDocuments(texts.map(\.text)))
        switch response.status {
        case 200..<300: return try CouchAnswers.refused(response)
        // Too much at a time, or one among them that no server of this kind takes.
        case 400 where response.couchFault != nil, 413:
            guard texts.count > 1 else {
                let said = response.couchFault.map { "\($0.error): \($0.reason)" }
                let reason = said.flatMap { FullHTTPResponse.line(of: $0) } ?? "It is too large."
                return texts.map { RefusedRevision(id: $0.id, reason: reason) }
            }
            let middle = texts.startIndex + texts.count / 2
            return try await store(texts[..<middle]) + store(texts[middle...])
        default: throw response.couchFailure("store documents")
        }
    }
}

extension ReplicationError {
    /// An error of an answer, or of the database here.
    fileprivate init(answering error: any Error) {
        if let error = error as? ReplicationError {
            self = error
        } else if error is PackedError {
            self.init(.protocolViolation, "The answer of the server cannot be read.", cause: error)
        } else {
            self.init(
                .localFailure,
                "The database could not be read or written, so the replication ended.",
                cause: error)
        }
    }
}
