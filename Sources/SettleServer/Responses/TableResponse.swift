import HTTPTypes
import Hummingbird
import Settle
import SettleTableProtocol

/// Makes the responses; the only place where wire shapes meet the framework.
enum TableResponse {
    /// A response with a JSON body.
    static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
        contentType: String = "application/json; charset=utf-8"
    ) -> Response {
        json(
            text: JSONText.text(of: value), status: status, headers: headers,
            contentType: contentType)
    }

    /// A response whose body is JSON text.
    static func json(
        text: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
        contentType: String = "application/json; charset=utf-8"
    ) -> Response {
        var headers = headers
        headers[.contentType] = contentType
        headers[.cacheControl] = "no-cache"
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }

    /// A response that is one item, with its version as `ETag`, and in some dialects with the time of
    /// its last write.
    static func item(
        _ item: TableItem, in dialect: TableDialect, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        var text: [UInt8] = []
        item.write(in: dialect, to: &text)
        return self.item(item, in: dialect, status: status, headers: headers, text: text)
    }

    /// A response that is one item, whose text is there already.
    static func item(
        _ item: TableItem, in dialect: TableDialect, status: HTTPResponse.Status,
        headers: HTTPFields, text: [UInt8]
    ) -> Response {
        var headers = headers
        headers.append(contentsOf: state(of: item, in: dialect))
        return json(text: text, status: status, headers: headers)
    }

    /// A response without a body about an item.
    static func empty(
        _ status: HTTPResponse.Status, about item: TableItem, in dialect: TableDialect
    ) -> Response {
        var headers = state(of: item, in: dialect)
        headers[.cacheControl] = "no-cache"
        return Response(status: status, headers: headers)
    }

    /// A response without a body.
    static func empty(_ status: HTTPResponse.Status, version: String) -> Response {
        Response(
            status: status,
            headers: [.eTag: EntityTag(version: version).text, .cacheControl: "no-cache"])
    }

    /// The response for a problem.
    ///
    /// With an item it is that item and its `ETag`, so that the client can resolve the conflict;
    /// otherwise problem details.
    static func problem(_ problem: Problem, in dialect: TableDialect = .version2) -> Response {
        let problem = dialect.wording(problem)
        if let item = problem.item {
            return self.item(item, in: dialect, status: problem.status, headers: problem.headers)
        }
        return json(
            problem.problem, status: problem.status, headers: problem.headers,
            contentType: "application/problem+json")
    }

    /// Which version of an item there is, as headers.
    private static func state(of item: TableItem, in dialect: TableDialect) -> HTTPFields {
        var headers: HTTPFields = [.eTag: EntityTag(version: item.version).text]
        if dialect.hasTimes { headers[.lastModified] = HTTPDate.text(of: item.updatedAt.second) }
        return headers
    }
}
