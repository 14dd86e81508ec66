import HTTPTypes

/// Versions as they stand in `ETag`, `If-Match` and `If-None-Match`.
///
/// Shape: `"VERSION"`, with every `"` inside written `\"`, as the clients of the protocol do.
enum EntityTag {
    /// What a write expects of the version that is stored.
    enum Expectation: Sendable, Equatable {
        /// No header: the sender does not care.
        case none
        /// `*`: any version, but there must be an item.
        case any
        /// Exactly this version.
        case version(String)
        /// Any version that was written in this second since 1970 or before.
        case unmodifiedSince(Int64)
    }

    /// One tag of a header.
    private struct Tag: Equatable {
        var version: String
        var isWeak: Bool
    }

    /// The header value for a version.
    static func header(for version: String) -> String {
        "\""
            + version.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\\\"") + "\""
    }

    /// Reads `If-Match`.
    ///
    /// A version without its quotes is taken for one, as the old servers did.
    ///
    /// - Parameter values: The values of all lines of the header.
    /// - Returns: What is expected.
    /// - Throws: ``Problem`` 400 for a weak tag, several tags, or something that is no tag.
    static func expectation(ifMatch values: [String]) throws(Problem) -> Expectation {
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

    /// The tags of a header, nil when it cannot be read.
    private static func tags(_ values: [String]) -> [Tag]? {
        var tags: [Tag] = []
        for value in values {
            var rest = Substring(value.trimmingSpaces)
            guard !rest.isEmpty else { return nil }
            while !rest.isEmpty {
                guard let tag = tag(&rest) else { return nil }
                tags.append(tag)
                rest = rest.drop { $0 == " " || $0 == "\t" }
                guard rest.isEmpty || rest.removeFirst() == "," else { return nil }
                rest = rest.drop { $0 == " " || $0 == "\t" }
            }
        }
        return tags
    }

    private static func tag(_ rest: inout Substring) -> Tag? {
        let isWeak = rest.hasPrefix("W/\"")
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.first == "\"" else {
            let bare = rest.prefix { $0 != "," && $0 != " " && $0 != "\t" && $0 != "\"" }
            rest = rest[bare.endIndex...]
            return bare.isEmpty ? nil : Tag(version: String(bare), isWeak: false)
        }
        rest.removeFirst()
        var version = ""
        while let character = rest.popFirst() {
            if character == "\"" { return Tag(version: version, isWeak: isWeak) }
            if character == "\\", rest.first == "\"" {
                rest.removeFirst()
                version.append("\"")
            } else {
                version.append(character)
            }
        }
        return nil
    }
}

extension String {
    /// The text without spaces and tabs at its ends.
    var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let tail = drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(tail[...last])
    }
}
