import HTTPTypes
import SettleTableProtocol

/// What a write expects of the version that is stored.
enum VersionExpectation: Sendable, Equatable {
    /// No header: the sender does not care.
    case none
    /// `*`: any version, but there must be an item.
    case any
    /// Exactly this version.
    case version(String)
    /// Any version that was written in this second since 1970 or before.
    case unmodifiedSince(Int64)
}

extension EntityTag {
    /// Reads `If-Match`.
    ///
    /// A version without its quotes is taken for one, as the old servers did.
    ///
    /// - Parameter values: The values of all lines of the header.
    /// - Returns: What is expected.
    /// - Throws: ``Problem`` 400 for a weak tag, several tags, or something that is no tag.
    static func expectation(ifMatch values: [String]) throws(Problem) -> VersionExpectation {
        guard !values.isEmpty else { return .none }
        guard let tags = tags(values), let tag = tags.first else {
            throw Problem(
                .badRequest, "The header If-Match holds no version; write it in double quotes.")
        }
        guard tags.count == 1 else {
            throw Problem(.badRequest, "The header If-Match may hold one version only.")
        }
        guard !tag.isWeak else {
            throw Problem(
                .badRequest, "The header If-Match holds a weak tag; versions here are strong.")
        }
        return values.count == 1 && values[0].trimmingSpaces == "*"
            ? .any : .version(tag.version)
    }

    /// Whether a reader already has a version, by `If-None-Match`.
    ///
    /// Weak tags match too, as RFC 9110 has it for this header; what cannot be read matches
    /// nothing, since sending the item is always right.
    static func matches(_ version: String, ifNoneMatch values: [String]) -> Bool {
        if values.contains(where: { $0.trimmingSpaces == "*" }) { return true }
        return tags(values)?.contains { $0.version == version } ?? false
    }
}
