import HTTPTypes
import Hummingbird
import Settle
import SettleTableProtocol

extension TableRequest {
    /// PUT of content under its digest: 201, or 200 when the sender could attach it before.
    func storeContent(_ digest: AttachmentDigest, in name: TableName) async throws -> Response {
        try checkMayWrite()
        let bytesMax = responder.attachmentMaxBytes
        if let length = request.headers[.contentLength].flatMap(Int.init), length > bytesMax {
            throw UploadedChunks.tooLong(bytesMax)
        }
        // Content comes before the item that makes a table come into being.
        guard let table = try await table(name, isCreated: true) else {
            throw Problem.missing
        }
        let wasKnown = try await table.hold(
            UploadedChunks(body: request.body, bytesMax: bytesMax), as: digest, by: identity,
            now: responder.now)
        return TableResponse.empty(wasKnown ? .ok : .created, version: digest.text)
    }

    /// HEAD of content: 200 when an item of the sender may have it without an upload, else 404.
    func findContent(_ digest: AttachmentDigest, in name: TableName) async throws -> Response {
        guard identity.mayWriteSomething,
            let table = try await table(name),
            try await table.contentLength(digest, for: identity, now: responder.now()) != nil
        else {
            throw Problem(.notFound, "The server does not have this content from you.")
        }
        return TableResponse.empty(.ok, version: digest.text)
    }

    /// GET of an attachment: all of its content, or the part that `Range` names.
    func readAttachment(
        _ attachmentName: String, of id: String, in name: TableName
    ) async throws -> Response {
        let includesDeleted = try includesDeleted
        guard let table = try await table(name),
            let item = try await table.item(id, for: identity.sender),
            identity.maySee(item), includesDeleted || !item.isDeleted,
            let attachment = item.attachments.first(where: {
                $0.name.utf8.elementsEqual(attachmentName.utf8)
            })
        else {
            throw Problem(.notFound, "The item or the attachment does not exist.")
        }
        let digest = attachment.digest.text
        if EntityTag.matches(digest, ifNoneMatch: request.headers[values: .ifNoneMatch]) {
            return TableResponse.empty(.notModified, version: digest)
        }
        let range = isRangeWanted(of: digest) ? request.headers[.range] : nil
        let part = ByteRange(range, length: attachment.length)
        guard
            let chunks = try await table.stored.content(
                of: attachment, in: id, from: part.start)
        else {
            throw Problem(
                .gone,
                "The server has only the description of this attachment; its content has to be "
                    + "uploaded again by who has it.")
        }
        return try TableResponse.content(attachment, part, chunks, to: connection)
    }

    /// Whether `Range` counts.
    ///
    /// In a GET only (RFC 9110, 14.2), and with `If-Range` only while the content is still the
    /// same. A date there never matches, since contents have none.
    private func isRangeWanted(of digest: String) -> Bool {
        guard request.method == .get else { return false }
        guard let condition = request.headers[.ifRange] else { return true }
        return condition.trimmingSpaces == EntityTag(version: digest).text
    }
}
