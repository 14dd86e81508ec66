import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle

/// The content of an attachment, and a document alone.
enum AttachmentDownload {
    /// What a browser may do with contents that somebody else wrote: draw them, and nothing more.
    private static let policy = "default-src 'none'; sandbox"

    /// The content of an attachment, in constant memory; pictures are shown, everything else is kept as a file.
    static func response(_ request: PageRequest) throws -> Response {
        let (id, name) = (try request.required("id"), try request.required("name"))
        let document = try request.database.read(named: "inspector: attachment") {
            try $0.document(id)
        }
        guard let attachment = document?.attachments.first(where: { $0.name == name }),
            try attachment.isContentAvailable
        else { throw PageProblem.missing("There is no such attachment here.") }
        let isPicture = DocumentPage.pictureTypes.contains(attachment.contentType)
        let chunks = attachment.chunks
        return Response(
            status: .ok,
            headers: [
                .contentType: isPicture ? attachment.contentType : "application/octet-stream",
                .contentSecurityPolicy: policy,
                .contentDisposition: (isPicture ? "inline" : "attachment")
                    + "; filename*=UTF-8''\(Percent.encoded(name))",
            ],
            body: ResponseBody(contentLength: attachment.length) { writer in
                for try await chunk in chunks { try await writer.write(ByteBuffer(bytes: chunk)) }
                try await writer.finish(nil)
            })
    }

    /// The JSON of a document, as a file.
    static func document(_ request: PageRequest) throws -> Response {
        let id = try request.required("id")
        guard let document = try request.database.read({ try $0.document(id) }) else {
            throw PageProblem.missing("There is no document '\(VisibleText.beginning(of: id))'.")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .contentSecurityPolicy: policy,
                .contentDisposition: "inline",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: try document.toJSON())))
    }
}
