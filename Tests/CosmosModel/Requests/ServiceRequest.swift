package import SettleDocuments

/// A request as the service sees it: no connection, no encoding of the path.
package struct ServiceRequest: Sendable {
    /// The verb, in capitals.
    package var method: String
    /// The parts of the path between the slashes, each percent-decoded.
    package var segments: [String]
    /// The headers by their names in lower case.
    package var headers: [String: String]
    /// The body.
    package var body: [UInt8]

    /// A request of these parts.
    package init(
        method: String, segments: [String], headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.segments = segments
        self.headers = headers
        self.body = body
    }

    /// The value of a header.
    package subscript(name: HeaderName) -> String? { headers[name.rawValue] }

    /// Whether a header says true, in any case of letters.
    package func isTrue(_ name: HeaderName) -> Bool { self[name]?.lowercased() == "true" }

    /// The path as the log shows it.
    package var path: String { "/" + segments.joined(separator: "/") }

    /// The body as JSON.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is none.
    package func json() throws(ServiceFailure) -> JSONValue {
        do {
            return try JSONValue(jsonText: String(decoding: body, as: UTF8.self))
        } catch {
            throw .badRequest("The body is not JSON: \(error)")
        }
    }
}
