import HTTPTypes
import SettleTableProtocol

/// Where the next page of a list is.
enum PageLink {
    /// The query of the next page.
    ///
    /// It is the query of this page with `$skiptoken` in place of `$skip`, so that items changed
    /// meanwhile do not shift the pages.
    ///
    /// - Parameters:
    ///   - query: The query of the request.
    ///   - end: Where this page ends.
    ///   - skip: How many items were passed up to there. It is used when the token would be too
    ///     long for a URL, as when the list is ordered by a long text.
    ///   - top: What `$top` becomes; nil leaves it as it is.
    /// - Returns: The query, percent-encoded.
    static func query(
        after query: RequestQuery, end: PagePosition, skip: Int, top: Int? = nil
    ) -> String {
        let token = end.token
        let isShort = token.utf8.count <= tokenBytesMax
        let replaced: [TableParameter] = isShort ? [.skip, .skipToken] : [.skip]
        var names = Set(replaced.map(\.rawValue))
        var added =
            isShort
            ? RequestQuery.Parameter(.skipToken, value: token)
            : RequestQuery.Parameter(.skip, value: String(skip))
        guard let top else { return query.text(without: names, adding: added) }
        names.insert(TableParameter.top.rawValue)
        var query = query
        query.parameters.removeAll { names.contains($0.key) }
        query.parameters.append(added)
        added = RequestQuery.Parameter(.top, value: String(top))
        return query.text(without: [], adding: added)
    }

    /// The `nextLink` of a page of version 3.
    ///
    /// - Parameters:
    ///   - request: The request for this page.
    ///   - path: Its path, as it came.
    ///   - query: The query of the next page.
    ///   - isNamed: Whether the request named its version. The clients of the Community Toolkit
    ///     do not, and are used to its servers, which send the query alone.
    ///   - options: What the client would like.
    /// - Returns: The URL with scheme and host as the client sees them: a proxy in front that takes
    ///   TLS off says so in `X-Forwarded-Proto`. Only the path and the query for a client that would
    ///   like that, or that named no host.
    static func url(
        _ request: HTTPRequest, path: String, query: String, isNamed: Bool, options: ZumoOptions
    ) -> String {
        guard isNamed else { return query }
        guard !options.wantsPathLinks, let authority = request.authority, isPlain(authority) else {
            return "\(path)?\(query)"
        }
        let forwarded = request.headerFields[.forwardedProtocol]?.lowercased().trimmingSpaces
        let isSecure = forwarded.map { $0 == "https" } ?? (request.scheme == "https")
        return "\(isSecure ? "https" : "http")://\(authority)\(path)?\(query)"
    }

    /// Whether a host can stand in a URL as it came.
    private static func isPlain(_ authority: String) -> Bool {
        !authority.isEmpty
            && authority.utf8.allSatisfy { byte in
                switch Unicode.Scalar(byte) {
                case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", ":", "[", "]": true
                default: false
                }
            }
    }

    /// Many servers and proxies end a request line at 8 KiB; the filter needs room too.
    private static let tokenBytesMax = 2048
}

extension HTTPField.Name {
    /// `X-Forwarded-Proto`: the scheme that a proxy was asked with.
    fileprivate static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto")!
}
