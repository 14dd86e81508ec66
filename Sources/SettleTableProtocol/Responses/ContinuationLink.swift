/// Where the next page of a list is, as version 2 says it in the header `Link`.
///
/// Shape: `PATH?QUERY; rel=next`, without angle brackets round the URL, because the clients of version 2
/// take everything before the semicolon for it.
package struct ContinuationLink: Sendable, Equatable {
    /// The path, absolute and percent-encoded.
    package let path: String
    /// The query, percent-encoded, without `?`.
    package let query: String

    /// A link.
    package init(path: String, query: String) {
        self.path = path
        self.query = query
    }

    /// As it stands in the header.
    package var header: String { "\(target); rel=next" }

    /// Path and query.
    package var target: String { "\(path)?\(query)" }

    /// Reads a header; nil when it is no link to a next page.
    package init?(header: String) {
        let parts = header.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].filter({ $0 != " " && $0 != "\"" }) == "rel=next" else {
            return nil
        }
        let halves = parts[0].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].hasPrefix("/") else { return nil }
        self.init(path: String(halves[0]), query: String(halves[1]))
    }
}
