/// A header of a response, by its name.
package enum TableHeader: String, Sendable, CaseIterable {
    case eTag = "ETag"
    case lastModified = "Last-Modified"
    case location = "Location"
    case link = "Link"
    case allow = "Allow"
    case challenge = "WWW-Authenticate"
    case retryAfter = "Retry-After"
    case preferenceApplied = "Preference-Applied"
    case contentRange = "Content-Range"
    case acceptRanges = "Accept-Ranges"
    case serverVersion = "x-zumo-server-version"
    case features = "Settle-Features"
}
