/// What a reader may ask for by the header `Prefer` (RFC 7240).
package enum ReaderPreference: String, Sendable, CaseIterable {
    /// Items that left the reader's channels are told, in the place they would have had.
    case removals = "settle.removed"

    /// Reads a header; preferences that are not known mean nothing.
    ///
    /// - Parameter values: The values of all lines of the header.
    /// - Returns: The preferences.
    package static func preferences(in values: [String]) -> Set<ReaderPreference> {
        var found: Set<ReaderPreference> = []
        for value in values {
            for part in value.split(separator: ",") {
                let name = part.filter { $0 != " " && $0 != "\t" }.lowercased()
                if let preference = ReaderPreference(rawValue: name) { found.insert(preference) }
            }
        }
        return found
    }
}
