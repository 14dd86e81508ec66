public import Foundation
import HTTPTypes
public import Settle
import SettlePrimitives
public import SettleSync
import SettleTableProtocol
import Synchronization

// The routes of `settle serve`; Docs/Formats/AzureTables.md.

extension AzureTablesBackend {
    /// Finds out whether the server has attachments, where nobody said so and no response has told it
    /// yet: by a read, which also finds out the dialect.
    public func prepare() async throws(ReplicationError) {
        guard givenAttachments == nil, memory.features == nil else { return }
        try await findOutFeatures()
        // A table that may be written to but not read.
        memory.expectNoFeatures()
    }

    /// Brings content to the table, unless it is there: HEAD, then PUT, by its digest.
    ///
    /// Content is in memory while it is sent; content of more than 64 MiB is refused.
    public func upload(
        _ attachment: DocumentAttachment
    ) async throws(ReplicationError) -> UploadOutcome {
        let path = address.path(ofContent: attachment.digest)
        let found = try await exchangeContent(.head, path)
        switch found.status {
        case 200..<300: return .stored
        case 404: break
        default: throw found.failure("look for the content of an attachment")
        }
        guard attachment.length <= RESTTuning.uploadSizeMax else {
            return .rejected(
                reason: "It has \(attachment.length) bytes, and more than "
                    + "\(RESTTuning.uploadSizeMax) are not sent.")
        }
        let data: Data
        do {
            data = try attachment.data()
        } catch {
            return .rejected(reason: "Its content could not be read: \(error)")
        }
        let response = try await exchangeContent(.put, path, body: [UInt8](data))
        switch response.status {
        case 200..<300: return .stored
        case 408, 425, 429, 500...: throw response.failure("store the content of an attachment")
        default:
            let said = response.sentence.map { ": \($0)" } ?? "."
            return .rejected(reason: "The server answered \(response.status)\(said)")
        }
    }

    /// Fetches content range by range, in constant memory.
    public func download(
        _ attachment: DocumentAttachment, of id: String
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>? {
        let path = address.path(ofAttachment: attachment.name, item: id)
        guard attachment.length > 0 else {
            return AsyncThrowingStream { $0.finish() }
        }
        guard let first = try await range(at: 0, of: attachment, path) else { return nil }
        // The stream's closure is called by one task at a time.
        let place = Lock(0)
        return AsyncThrowingStream { () async throws -> Data? in
            let offset = place.withLock { $0 }
            guard offset < attachment.length else { return nil }
            let data =
                offset == 0 ? first : try await range(at: offset, of: attachment, path)
            guard let data else {
                throw ReplicationError(
                    .protocolViolation,
                    "An attachment went while it was fetched; it is tried again.", documentId: id)
            }
            place.withLock { $0 += data.count }
            return data
        }
    }

    /// The bytes of an attachment from a place on; nil when it is not there any more.
    private func range(
        at offset: Int, of attachment: DocumentAttachment, _ path: String
    ) async throws(ReplicationError) -> Data? {
        let last = min(attachment.length, offset + RESTTuning.downloadSizeMax) - 1
        let response = try await exchangeContent(
            .get, path, fields: [.range: "bytes=\(offset)-\(last)"])
        switch response.status {
        case 404 where !response.isWebPage, 410 where !response.isWebPage: return nil
        case 206 where response.body.count == last - offset + 1: return Data(response.body)
        // A server, or something in between, that knows no ranges.
        case 200 where offset == 0 && response.body.count == attachment.length:
            return Data(response.body)
        case 200..<300, 416:
            throw ReplicationError(
                .protocolViolation,
                "The server sent another part of an attachment than it was asked for.")
        default: throw response.failure("send the content of an attachment")
        }
    }

    private func exchangeContent(
        _ method: HTTPRequest.Method, _ path: String, fields: HTTPFields = [:],
        body: [UInt8]? = nil
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var fields = fields
        if body != nil { fields[.contentType] = "application/octet-stream" }
        return try await exchange(
            Dialect.v2, method, path, fields: fields, body: body,
            answerSizeMax: RESTTuning.uploadSizeMax)
    }
}

extension TableAddress {
    /// The address of content, by its digest.
    func path(ofContent digest: String) -> String { "\(path)/attachments/\(digest)" }

    /// The address of an item's attachment, by its name.
    func path(ofAttachment name: String, item id: String) -> String {
        "\(path(ofItem: id))/attachments/\(PercentEncoding.encoded(name))"
    }
}
