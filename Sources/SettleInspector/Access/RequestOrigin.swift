import HTTPTypes
import Hummingbird

/// Which page a request comes from, as far as the browser tells.
enum RequestOrigin {
    /// Refuses a request that this inspector's own pages, or somebody at the keyboard, would not send.
    ///
    /// A page of elsewhere may have a browser send anything to a port of this machine, and a name that is made to
    /// mean this machine afterwards makes such a page look like one of ours. So the host must be one of loopback, with
    /// the port that is listened on; and what changes something must come from a page of that very origin.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - port: The port that is listened on; nil when there is none, in tests.
    /// - Throws: ``PageProblem`` 421 for another host, 403 for another origin.
    ///
    /// > Source: the headers `Origin` and `Sec-Fetch-Site` of the Fetch standard and Fetch Metadata.
    static func check(_ request: Request, port: Int?) throws(PageProblem) {
        guard let authority = request.head.authority, isOurs(authority, port: port) else {
            throw PageProblem(
                status: .misdirectedRequest,
                message: "The inspector answers at 127.0.0.1 and localhost only.", isOutside: true)
        }
        try checkPage(behind: request, isOurs: { $0 == "http://\(authority)" })
    }

    /// Refuses a request to pages under a path of a server that a page of elsewhere is behind.
    ///
    /// A server may be called by any name, and what a browser is let in by is a cookie of that name alone. Where something else
    /// ends TLS before the server, the origin is of `https`, and the request is not.
    ///
    /// - Throws: ``PageProblem`` 400 without a host, 403 for another origin.
    static func checkMounted(_ request: Request) throws(PageProblem) {
        guard let authority = request.head.authority, !authority.isEmpty else {
            throw PageProblem(
                status: .badRequest, message: "The request names no host.", isOutside: true)
        }
        try checkPage(
            behind: request,
            isOurs: { $0 == "http://\(authority)" || $0 == "https://\(authority)" })
    }

    private static func checkPage(
        behind request: Request, isOurs: (String?) -> Bool
    ) throws(PageProblem) {
        let site = request.headers[.secFetchSite]
        if isReading(request.method) {
            guard site == nil || site == "same-origin" || site == "none" else {
                throw PageProblem(
                    status: .forbidden,
                    message:
                        "A page of elsewhere led here. Put the address into the browser's address bar instead.",
                    isOutside: true)
            }
        } else {
            guard isOurs(request.headers[.origin]),
                site == nil || site == "same-origin"
            else {
                throw PageProblem(
                    status: .forbidden,
                    message:
                        "Only a page of this inspector may change something, and the request does not come from one.",
                    isOutside: true)
            }
        }
    }

    /// Whether a method changes nothing.
    static func isReading(_ method: HTTPRequest.Method) -> Bool {
        method == .get || method == .head
    }

    private static func isOurs(_ authority: String, port: Int?) -> Bool {
        let suffix = port.map { $0 == 80 ? "" : ":\($0)" } ?? ""
        return ["127.0.0.1", "localhost", "[::1]"].contains {
            authority.lowercased() == $0 + suffix
        }
    }
}

extension HTTPField.Name {
    /// `Sec-Fetch-Site`: how the page behind a request is related to where it goes.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
