import HTTPTypes
import Hummingbird
import Settle

extension TableCall {
    /// PUT of content under its digest: 201, or 200 when the sender could attach it before.
    func storeContent(_ digest: AttachmentDigest, in name: TableName) async throws -> Response {
        guard identity.mayWriteSomething else {
            throw Refusal(.forbidden, "The token does not allow to write anything.")
        }
        let bytesMax = responder.attachmentMaxBytes
        if let length = request.headers[.contentLength].flatMap(Int.init), length > bytesMax {
            throw UploadedChunks.tooLong(bytesMax)
        }
        // Content comes before the item that makes a table come into being.
        guard let table = try await responder.tables.table(name, isCreated: true) else {
            throw Refusal.missing
        }
        let wasKnown = try await table.hold(
            UploadedChunks(body: request.body, bytesMax: bytesMax), as: digest, by: identity,
            now: responder.now)
        return Answer.empty(wasKnown ? .ok : .created, version: digest.text)
    }

    /// HEAD of content: 200 when an item of the sender may have it without an upload, else 404.
    func findContent(_ digest: AttachmentDigest, in name: TableName) async throws -> Response {
        guard identity.mayWriteSomething,
            let table = try await responder.tables.table(name, isCreated: false),
            try table.database.read({
                try table.contentLength(digest, for: identity, now: responder.now(), in: $0)
            }) != nil
        else {
            throw Refusal(.notFound, "The server does not have this content from you.")
        }
        return Answer.empty(.ok, version: digest.text)
    }

    /// GET of an attachment: all of its content, or the part that `Range` names.
    func readAttachment(
        _ attachmentName: String, of id: String, in name: TableName
    ) async throws -> Response {
        guard let table = try await responder.tables.table(name, isCreated: false),
            let attachment = try attachment(
                attachmentName, of: id, in: table, includingDeleted: try query.includesDeleted)
        else {
            throw Refusal(.notFound, "The item or the attachment does not exist.")
        }
        let digest = attachment.digest
        if EntityTag.matches(digest, ifNoneMatch: request.headers[values: .ifNoneMatch]) {
            return Answer.empty(.notModified, version: digest)
        }
        guard try attachment.isContentAvailable else {
            throw Refusal(
                .gone,
                "The server has only the description of this attachment; its content has to be "
                    + "uploaded again by who has it.")
        }
        let range = isRangeWanted(of: digest) ? request.headers[.range] : nil
        return try Answer.content(attachment, ByteRange(range, length: attachment.length))
    }

    private func attachment(
        _ name: String, of id: String, in table: Table, includingDeleted: Bool
    ) throws -> DocumentAttachment? {
        let document = try table.database.read { try $0.document(id) }
        guard let document else { return nil }
        let item = try Envelope.item(of: document)
        guard identity.maySee(item), includingDeleted || !item.isDeleted else { return nil }
        return document.attachments.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Whether `Range` counts.
    ///
    /// In a GET only (RFC 9110, 14.2), and with `If-Range` only while the content is still the
    /// same. A date there never matches, since contents have none.
    private func isRangeWanted(of digest: String) -> Bool {
        guard request.method == .get else { return false }
        guard let condition = request.headers[.ifRange] else { return true }
        return condition.trimmingSpaces == EntityTag.header(for: digest)
    }
}
