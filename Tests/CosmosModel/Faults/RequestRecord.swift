/// A request that the service got, and what became of it.
package struct RequestRecord: Sendable, CustomStringConvertible {
    /// The request.
    package var request: ServiceRequest
    /// The status of the response; nil when the connection was closed instead.
    package var status: Int?
    /// Whether the request was carried out.
    package var wasCarriedOut: Bool

    /// Verb, path and status on one line.
    package var description: String {
        "\(request.method) \(request.path) \(status.map(String.init) ?? "cut")"
    }
}
