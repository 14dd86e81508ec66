/// The version of an item as it stands in `ETag`, `If-Match` and `If-None-Match`.
///
/// Shape: `"VERSION"`, with every `"` inside written `\"`, as the clients of the protocol do.
package struct EntityTag: Sendable, Equatable {
    /// The version.
    package var version: String
    /// Whether it is a hash of the response and not the version of an item.
    package var isWeak: Bool

    /// A tag.
    package init(version: String, isWeak: Bool = false) {
        self.version = version
        self.isWeak = isWeak
    }

    /// As it stands in a header.
    package var text: String {
        var text: [UInt8] = isWeak ? Array("W/".utf8) : []
        text.append(UInt8(ascii: "\""))
        for byte in version.utf8 {
            if byte == UInt8(ascii: "\"") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads all tags of a header.
    ///
    /// A version without its quotes is taken for one, as the old servers did.
    ///
    /// - Parameter values: The values of all lines of the header.
    /// - Returns: The tags; nil when a line is empty or holds something that is no tag.
    package static func tags(_ values: [String]) -> [EntityTag]? {
        var tags: [EntityTag] = []
        for value in values {
            var rest = value[...].drop(while: isSpace)
            while rest.last.map(isSpace) ?? false { rest.removeLast() }
            guard !rest.isEmpty else { return nil }
            while !rest.isEmpty {
                guard let tag = tag(&rest) else { return nil }
                tags.append(tag)
                rest = rest.drop(while: isSpace)
                guard rest.isEmpty || rest.removeFirst() == "," else { return nil }
                rest = rest.drop(while: isSpace)
            }
        }
        return tags
    }

    /// The version that an `ETag` shows; nil when there is none, for a weak tag, which is a hash of
    /// the response, and for a text that is not in quotes.
    ///
    /// The header has one tag, so that all between the first quote and the last is its own: a version
    /// may end with a backslash here, which ``tags(_:)`` takes for the beginning of `\"`.
    package static func version(shownBy field: String?) -> String? {
        let quote = UInt8(ascii: "\"")
        guard let bytes = field?.utf8, bytes.count >= 2, bytes.first == quote, bytes.last == quote
        else { return nil }
        var version: [UInt8] = []
        for byte in bytes.dropFirst().dropLast() {
            if byte == quote, version.last == UInt8(ascii: "\\") { version.removeLast() }
            version.append(byte)
        }
        return String(decoding: version, as: UTF8.self)
    }

    private static func tag(_ rest: inout Substring) -> EntityTag? {
        let isWeak = rest.hasPrefix("W/\"")
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.first == "\"" else {
            let bare = rest.prefix { $0 != "," && !isSpace($0) && $0 != "\"" }
            rest = rest[bare.endIndex...]
            return bare.isEmpty ? nil : EntityTag(version: String(bare))
        }
        rest.removeFirst()
        var version = ""
        while let character = rest.popFirst() {
            if character == "\"" { return EntityTag(version: version, isWeak: isWeak) }
            if character == "\\", rest.first == "\"" {
                rest.removeFirst()
                version.append("\"")
            } else {
                version.append(character)
            }
        }
        return nil
    }

    private static func isSpace(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }
}
