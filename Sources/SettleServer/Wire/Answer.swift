import HTTPTypes
import Hummingbird
import Settle

/// Makes the responses; the only place where wire shapes meet the framework.
enum Answer {
    /// A response with a JSON body.
    static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        headers[.cacheControl] = "no-cache"
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONText.text(of: value))))
    }

    /// A response that is one item, with its version as `ETag`.
    static func item(
        _ item: TableItem, status: HTTPResponse.Status = .ok, location: String? = nil
    ) -> Response {
        var headers: HTTPFields = [.eTag: EntityTag.header(for: item.version)]
        headers[.location] = location
        return json(item.json(), status: status, headers: headers)
    }

    /// A response without a body.
    static func empty(_ status: HTTPResponse.Status, version: String) -> Response {
        Response(
            status: status,
            headers: [.eTag: EntityTag.header(for: version), .cacheControl: "no-cache"])
    }

    /// The response for a refusal; with an item it carries that item's `ETag`.
    static func refusal(_ refusal: Refusal) -> Response {
        var headers = refusal.headers
        if let item = refusal.item { headers[.eTag] = EntityTag.header(for: item.version) }
        return json(refusal.json, status: refusal.status, headers: headers)
    }
}
