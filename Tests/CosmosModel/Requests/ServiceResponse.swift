package import SettleDocuments

/// A response of the service.
package struct ServiceResponse: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The headers by their names in lower case.
    package var headers: [String: String]
    /// The body.
    package var body: [UInt8]

    /// A response of these parts.
    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response with JSON as its body.
    package init(status: Int, json: JSONValue) {
        self.init(
            status: status, headers: [HeaderName.contentType.rawValue: "application/json"],
            body: Array(json.jsonText.utf8))
    }

    /// The value of a header.
    package subscript(name: HeaderName) -> String? {
        get { headers[name.rawValue] }
        set { headers[name.rawValue] = newValue }
    }

    /// The body as JSON; null where there is none.
    package var json: JSONValue {
        (try? JSONValue(jsonText: String(decoding: body, as: UTF8.self))) ?? .null
    }
}
