import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle

/// One request to a table, after its version and its sender were checked.
struct TableCall {
    let request: Request
    let query: RequestQuery
    let dialect: TableDialect
    /// Whether the request named its version.
    let isVersionNamed: Bool
    let identity: Identity
    /// Where the request comes from; nil when there is no network between.
    let address: String?
    let responder: TableResponder

    /// What the request expects of the version that is stored.
    ///
    /// - Throws: ``Refusal`` 400 for an `If-Match` that cannot be read.
    var expectation: EntityTag.Expectation {
        get throws(Refusal) {
            let values = request.headers[values: .ifMatch]
            if values.isEmpty, dialect.hasTimes,
                let second = request.headers[.ifUnmodifiedSince].flatMap(HTTPDate.second(of:))
            {
                return .unmodifiedSince(second)
            }
            return try EntityTag.expectation(ifMatch: values)
        }
    }

    /// Whether the request asks for deleted items, too.
    var includesDeleted: Bool {
        get throws(Refusal) { try dialect.includesDeleted(query, headers: request.headers) }
    }

    /// The table with a name; nil when there is none and it shall not be made.
    ///
    /// - Throws: As ``TableStore/table(_:isCreated:)``.
    func table(_ name: TableName, isCreated: Bool = false) async throws -> Table? {
        try await responder.store.table(name, isCreated: isCreated).map(Table.init(stored:))
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
    /// - Throws: ``Refusal`` 415 for a type other than JSON, or none, 400 for a
    ///   body that is no item, 413 when it is too long.
    func itemBody(for purpose: ItemBody.Purpose) async throws -> ItemBody {
        try ItemBody(try await jsonBody(), for: purpose, in: dialect)
    }

    /// The body as JSON.
    ///
    /// - Parameter levels: How deep in it an item lies.
    /// - Returns: The JSON.
    /// - Throws: ``Refusal`` 415 for a type other than JSON, or none, 400 for other
    ///   text, 413 when it is too long.
    func jsonBody(levels: Int = 0) async throws -> JSONValue {
        // None is not taken for JSON: a page from elsewhere may leave it out without being asked first.
        // And a list of changes is none of an item's members, where it is not taken for what it is.
        guard mediaType?.isJSON == true, !isJSONPatch else {
            throw Refusal(
                .unsupportedMediaType,
                "The body must be JSON; send the header Content-Type: application/json.")
        }
        return try ItemBody.json(try await body(), levels: levels)
    }

    /// Whether the body says that it is a list of changes.
    var isJSONPatch: Bool { mediaType?.essence == "application/json-patch+json" }

    private var mediaType: MediaType? {
        request.headers[.contentType].flatMap(MediaType.init)
    }
}
