/// Where the next page of a list is.
enum PageLink {
    /// The value of the `Link` header.
    ///
    /// Shape: `PATH?QUERY; rel=next`, without angle brackets round the URL, because the clients
    /// of version 2 take everything before the semicolon for it. The path is absolute, the query
    /// is the one of this page with `$skiptoken` in place of `$skip`, so that items changed
    /// meanwhile do not shift the pages.
    ///
    /// - Parameters:
    ///   - path: The path of the request, as it came.
    ///   - query: The query of the request.
    ///   - end: Where this page ends.
    ///   - skip: How many items were passed up to there. It is used when the token would be too
    ///     long for a URL, as when the list is ordered by a long text.
    /// - Returns: The value.
    static func header(
        path: String, query: RequestQuery, end: PagePosition, skip: Int
    ) -> String {
        let token = end.token
        let isShort = token.utf8.count <= tokenBytesMax
        let text =
            isShort
            ? query.text(
                without: ["$skip", "$skiptoken"],
                adding: RequestQuery.Parameter(name: "$skiptoken", value: token))
            : query.text(
                without: ["$skip"],
                adding: RequestQuery.Parameter(name: "$skip", value: String(skip)))
        return "\(path)?\(text); rel=next"
    }

    /// Many servers and proxies end a request line at 8 KiB; the filter needs room too.
    private static let tokenBytesMax = 2048
}
