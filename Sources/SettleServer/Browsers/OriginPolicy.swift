import HTTPTypes
import Hummingbird
import SettleTableProtocol

/// Keeps the pages in a user's browser from using a server behind the user's back.
///
/// A browser sends what a page asks for from the user's machine, so it reaches a server that lets in
/// everybody who reaches its port. Three things tell it apart from other programs, and a page can
/// change none of them: `Origin` and `Sec-Fetch-Site` say that it comes from elsewhere, and `Host` is
/// the page's own name when that was made to lead to this machine (DNS rebinding). Other programs
/// send neither of the first two.
///
/// Requests that are let in for their token are not looked at: a page cannot send one that it does not
/// have. Where no token counts all are: the metrics and the description of the API are
/// kept from pages by servers with tokens, too.
///
/// > Source: RFC 9110, 7.2 and 7.4; the Fetch Metadata standard; the Fetch standard, 3.2.
struct OriginPolicy: Sendable {
    /// The hosts that a request may name besides this machine, in lower case.
    private let hosts: Set<String>
    private let sharing: CrossOriginSharing?
    private let origins: Set<WebOrigin>
    private let headers: SharedHeaders

    /// What pages of other origins may send, and see of answers, beyond what every page may.
    struct SharedHeaders: Sendable {
        let ofRequests: [String]
        let ofAnswers: [String]
        /// Whether a page whose origin is named may have the browser add what it keeps for the server.
        var allowsCredentials = false

        /// Those of tables.
        static let tables = Self(
            ofRequests: ["Authorization", "Content-Type", "X-ZUMO-AUTH"]
                + TableParameter.allCases.filter(\.isHeader).map(\.rawValue),
            ofAnswers: TableHeader.allCases.map(\.rawValue)
                + ["Content-Disposition", "X-Request-Id"])
    }

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - own: The address that the server listens at.
    ///   - hostNames: The hosts that requests may name besides.
    ///   - sharing: Which pages may use the server from elsewhere; nil for none.
    ///   - headers: What those may send and see.
    /// - Throws: ``ServerError`` with `invalidConfiguration` naming a host or an origin that is none.
    init(
        host own: String, hostNames: [String], sharing: CrossOriginSharing?,
        headers: SharedHeaders = .tables
    ) throws(ServerError) {
        var hosts: Set<String> = []
        for name in hostNames {
            let shown = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
            guard let authority = Authority(shown), authority.port == nil, !shown.hasSuffix(":")
            else {
                throw ServerError(
                    .invalidConfiguration,
                    "'\(name)' is no name of a host; give it without scheme, port and path, such as "
                        + "db.example.com.")
            }
            hosts.insert(authority.host)
        }
        if let bound = Authority(own.contains(":") ? "[\(own)]" : own) { hosts.insert(bound.host) }
        self.hosts = hosts
        self.sharing = sharing
        self.headers = headers
        origins = try Self.origins(sharing)
    }

    private static func origins(
        _ sharing: CrossOriginSharing?
    ) throws(ServerError) -> Set<WebOrigin> {
        guard let texts = sharing?.origins else { return [] }
        guard !texts.isEmpty else {
            throw ServerError(
                .invalidConfiguration, "No origin is named whose pages may use the server.")
        }
        var origins: Set<WebOrigin> = []
        for text in texts {
            guard let origin = WebOrigin(text) else {
                throw ServerError(
                    .invalidConfiguration,
                    "'\(text)' is no origin of a page; give its scheme and its host, and its port "
                        + "where it has one of its own, such as https://app.example.com.")
            }
            origins.insert(origin)
        }
        return origins
    }

    /// Refuses a request without a token that a page elsewhere may be behind.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - authority: The host that it names.
    ///   - localAddress: The address of this machine that it came to; nil without a network between.
    /// - Throws: ``Problem`` 421 for a host that is not known here, 403 for a page from elsewhere.
    func check(
        _ request: Request, to authority: Authority, at localAddress: String?
    ) throws(Problem) {
        guard isKnown(authority, at: localAddress) else {
            throw Problem(
                HTTPResponse.Status(code: 421, reasonPhrase: "Misdirected Request"),
                "This server is not known by the host that the request names; it answers to "
                    + "localhost, to the address it listens on, and to names that it was given "
                    + "(settle serve --host-name).")
        }
        try checkPage(request, at: authority)
    }

    /// Refuses a request of a page from elsewhere, by whatever name it calls the server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - authority: The host that it names.
    /// - Throws: ``Problem`` 403.
    func checkPage(_ request: Request, at authority: Authority) throws(Problem) {
        if isShared(request) { return }
        let origins = request.headers[values: .origin]
        let sites = request.headers[values: .secFetchSite]
        let isOwn =
            origins.allSatisfy { WebOrigin($0)?.isSame(as: authority) ?? false }
            && sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
        guard isOwn, origins.count <= 1 else {
            throw Problem(
                .forbidden,
                "A page from elsewhere may not use this server without a token; its owner can let "
                    + "it (settle serve --cors-origin).")
        }
    }

    private func isKnown(_ authority: Authority, at localAddress: String?) -> Bool {
        if authority.isLoopback || hosts.contains(authority.host) { return true }
        return localAddress.flatMap(IPAddress.init)?.text == authority.host
    }

    /// Whether a request is of a page that may use the server although it comes from elsewhere.
    private func isShared(_ request: Request) -> Bool {
        guard let sharing else { return false }
        let values = request.headers[values: .origin]
        guard let value = values.first, values.count == 1 else { return false }
        return sharing.origins == nil || WebOrigin(value).map(origins.contains) ?? false
    }

    /// Answers the question of a browser whether a page may send a request; nil for any other request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - methods: What the path takes.
    /// - Returns: The answer, with the methods and the headers that a page may use.
    /// - Throws: ``Problem`` 403 when the page may not.
    func preflight(
        _ request: Request, methods: [HTTPRequest.Method]
    ) throws(Problem) -> Response? {
        guard sharing != nil, request.method == .options,
            request.headers[.accessControlRequestMethod] != nil,
            !request.headers[values: .origin].isEmpty
        else { return nil }
        guard isShared(request) else {
            throw Problem(.forbidden, "Pages of this origin may not use this server.")
        }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: methods.map(\.rawValue).joined(separator: ", "),
                .accessControlAllowHeaders: headers.ofRequests.joined(separator: ", "),
                .accessControlMaxAge: "600", .cacheControl: "no-cache",
            ])
    }

    /// Adds to an answer what lets a page read it.
    ///
    /// - Parameters:
    ///   - headers: The headers of the answer.
    ///   - request: The request.
    func share(_ headers: inout HTTPFields, with request: Request) {
        guard let sharing else { return }
        // Whatever keeps answers must not give one page's to another.
        headers.append(HTTPField(name: .vary, value: "Origin"))
        guard isShared(request), let origin = request.headers[.origin] else { return }
        headers[.accessControlAllowOrigin] = sharing.origins == nil ? "*" : origin
        headers[.accessControlExposeHeaders] = self.headers.ofAnswers.joined(separator: ", ")
        if self.headers.allowsCredentials, sharing.origins != nil {
            headers[.accessControlAllowCredentials] = "true"
        }
    }
}

extension HTTPField.Name {
    /// `Sec-Fetch-Site`: how far from the server the page is that a request is of.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
