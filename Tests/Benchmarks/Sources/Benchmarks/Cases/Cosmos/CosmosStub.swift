import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync

/// Answers in this process as Cosmos DB's service does to what the cases ask, and keeps nothing.
struct CosmosStub: HTTPTransport {
    /// The documents of a list.
    var listed: DocumentSet?

    static let database = "crm"
    static let collection = "orders"
    private static let rid = "dbs/AAAAAA==/colls/AAAAAIAAAAA="

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        do {
            return try answer(request, body ?? [])
        } catch {
            throw ReplicationError(.protocolViolation, "The stub cannot answer: \(error)")
        }
    }

    private func answer(_ request: HTTPRequest, _ body: [UInt8]) throws -> FullHTTPResponse {
        let path = request.path ?? ""
        switch (request.method, path.hasSuffix("/docs")) {
        case (.get, true): return try page(request)
        case (.post, _): return try written(request, body)
        default: return Self.response(200, Self.definition)
        }
    }

    /// A document as the service sends it.
    static func document(_ text: [UInt8]) throws -> JSONValue {
        var json = try JSONValue(jsonText: String(decoding: text, as: UTF8.self))
        let id = json["id"]?.stringValue ?? ""
        json["_rid"] = .string("r\(id)")
        json["_self"] = .string("\(rid)/docs/r\(id)/")
        json["_etag"] = .string("\"\(id)\"")
        json["_ts"] = 1_700_000_000
        json["_attachments"] = "attachments/"
        return json
    }

    private static let definition: JSONValue = [
        "id": .string(collection), "_rid": "AAAAAIAAAAA=", "_self": .string("\(rid)/"),
        "_etag": "\"1\"", "_ts": 1_700_000_000,
        "partitionKey": ["paths": ["/type"], "kind": "Hash", "version": 2],
    ]

    private func written(_ request: HTTPRequest, _ body: [UInt8]) throws -> FullHTTPResponse {
        let json = try JSONValue(jsonText: String(decoding: body, as: UTF8.self))
        guard let steps = json.arrayValue else {
            return Self.response(201, try Self.document(body))
        }
        let results = try steps.map { step -> JSONValue in
            let text = (step["resourceBody"] ?? [:]).jsonText
            return ["statusCode": 201, "resourceBody": try Self.document(Array(text.utf8))]
        }
        return Self.response(200, .array(results))
    }

    private func page(_ request: HTTPRequest) throws -> FullHTTPResponse {
        let first = field("x-ms-continuation", of: request).flatMap { Int($0) } ?? 0
        let count = field("x-ms-max-item-count", of: request).flatMap { Int($0) } ?? 1_000
        let texts = listed?.texts ?? []
        let range = first..<min(first + max(count, 1), texts.count)
        let documents = try texts[range].map { try Self.document($0) }
        let next = range.upperBound < texts.count ? "\(range.upperBound)" : nil
        return Self.response(
            200, ["_rid": "AAAAAIAAAAA=", "Documents": .array(documents)],
            next.map { ["x-ms-continuation": $0] } ?? [:])
    }

    private func field(_ name: String, of request: HTTPRequest) -> String? {
        HTTPField.Name(name).flatMap { request.headerFields[$0] }
    }

    private static func response(
        _ status: Int, _ json: JSONValue, _ headers: [String: String] = [:]
    ) -> FullHTTPResponse {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: Array(json.jsonText.utf8))
    }
}
