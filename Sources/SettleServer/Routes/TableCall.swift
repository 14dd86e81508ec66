import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle

/// One request to a table, after its version and its sender were checked.
struct TableCall {
    let request: Request
    let query: RequestQuery
    let identity: Identity
    let responder: TableResponder

    /// `If-Match` of the request.
    var expectation: EntityTag.Expectation {
        get throws(Refusal) {
            try EntityTag.expectation(ifMatch: request.headers[values: .ifMatch])
        }
    }

    /// The bytes of the body.
    ///
    /// - Throws: ``Refusal`` 413 as soon as it is known that there are too many.
    func body() async throws -> [UInt8] {
        let tooLong = Refusal(
            .contentTooLarge,
            "This server takes items of at most \(responder.bodyMaxBytes) bytes; this one is longer, so "
                + "make attachments of its large parts.")
        if let length = request.headers[.contentLength].flatMap(Int.init),
            length > responder.bodyMaxBytes
        {
            throw tooLong
        }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= responder.bodyMaxBytes else {
                throw tooLong
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }

    /// The body as an item.
    ///
    /// - Throws: ``Refusal`` 415 for a type other than JSON (none is taken for JSON), 400 for a
    ///   body that is no item, 413 when it is too long.
    func itemBody() async throws -> ItemBody {
        if let type = request.headers[.contentType], !Self.isJSON(type) {
            throw Refusal(
                .unsupportedMediaType,
                "The body must be JSON; send the header Content-Type: application/json.")
        }
        return try ItemBody(try await body())
    }

    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.lowercased().trimmingSpaces
        return name == "application/json" || name.hasSuffix("+json")
    }
}
