/// A parameter of the query or a header of a request, by its name.
package enum TableParameter: String, Sendable, CaseIterable {
    case version = "ZUMO-API-VERSION"
    case filter = "$filter"
    case orderBy = "$orderby"
    case select = "$select"
    case top = "$top"
    case skip = "$skip"
    case inlineCount = "$inlinecount"
    case count = "$count"
    case skipToken = "$skiptoken"
    case includeDeleted = "__includeDeleted"
    case since
    case wait
    case options = "X-ZUMO-Options"
    case prefer = "Prefer"
    case ifMatch = "If-Match"
    case ifNoneMatch = "If-None-Match"
    case ifModifiedSince = "If-Modified-Since"
    case ifUnmodifiedSince = "If-Unmodified-Since"
    case range = "Range"
    case ifRange = "If-Range"
    case lastEventId = "Last-Event-ID"

    /// Whether it stands in a header and not in the query.
    package var isHeader: Bool {
        switch self {
        case .version, .options, .prefer, .ifMatch, .ifNoneMatch, .ifModifiedSince,
            .ifUnmodifiedSince, .range, .ifRange, .lastEventId:
            true
        default: false
        }
    }
}
