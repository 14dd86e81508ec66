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

    /// Fetches all leaves of a document by `open_revs`.
    package func leaves(of id: String) async throws(ReplicationError) -> [FetchedRevision] {
        do {
            return try await fetch(WantedRevisions(id: id, revisions: []))
        } catch {
            guard let fault = Self.fault(error) else { throw ReplicationError(answering: error) }
            return [.fault(id: id, fault)]
        }
    }
}

extension ReplicationError {
    /// An error of an answer, or of the database here.
    init(answering error: any Error) {
        if error is PackedError {
            self.init(.protocolViolation, "The answer of the server cannot be read.", cause: error)
        } else {
            self.init(unexpected: error)
        }
    }
}
