package import Foundation
package import HTTPTypes

/// Scheme, host and port: who gets a request.
package struct HTTPOrigin: Sendable, Hashable {
    private let scheme: String
    private let host: String
    private let port: Int

    /// The origin of an address; nil when it is none of the web.
    package init?(_ url: URL?) {
        guard let scheme = url?.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url?.host?.lowercased()
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = url?.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Where a response to a request sends the reader on to; nil when it must not be followed.
    ///
    /// A request carries a token and a document. Neither goes to another origin, and nothing but a
    /// read is repeated elsewhere.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response to it.
    /// - Returns: The request for the other place of the same origin.
    package static func redirection(
        of request: HTTPRequest, by response: HTTPResponse
    ) -> HTTPRequest? {
        guard request.method == .get, [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.headerFields[.location],
            let here = URL(
                string: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"),
            let there = URL(string: location, relativeTo: here)?.absoluteURL,
            let origin = HTTPOrigin(there), origin == HTTPOrigin(here),
            let parts = URLComponents(url: there, resolvingAgainstBaseURL: true),
            parts.user == nil, parts.password == nil
        else { return nil }
        var next = request
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        next.path = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        return next
    }
}
