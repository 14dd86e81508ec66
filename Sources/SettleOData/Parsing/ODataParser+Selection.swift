extension ODataParser {
    /// Parses a selection: names of members, separated by commas.
    ///
    /// Names are taken as they stand, with white space cut off at both ends: a member may be called
    /// by more than the names that a filter can spell. White space within one is a forgotten comma.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$select`.
    ///   - limits: The longest text and the most names to take.
    /// - Returns: The names; nil when `*` is among them, which is all members.
    /// - Throws: ``ODataError`` at an empty name, at a `/`, at white space within a name, and at the
    ///   first name beyond the limit.
    package static func selection(
        _ text: String, limits: ODataLimits = .standard
    ) throws(ODataError) -> Set<String>? {
        try checkLength(of: text, limits: limits)
        var names: Set<String> = []
        var start = 1
        let pieces = text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
        for (count, piece) in pieces.enumerated() {
            guard count < limits.selectedCountMax else {
                throw ODataError(
                    message: "The selection names more than \(limits.selectedCountMax) members.",
                    position: start)
            }
            let name = ScalarSearch.trimmed(String(piece))
            guard !name.isEmpty else {
                throw ODataError(
                    message: "Expected the name of a member, found none.", position: start)
            }
            if let slash = piece.firstIndex(of: "/") {
                let offset = piece.distance(from: piece.startIndex, to: slash)
                throw ODataError(
                    message: "A selection names members of the item, no paths below them.",
                    position: start + offset)
            }
            if let space = name.unicodeScalars.firstIndex(where: \.properties.isWhitespace) {
                let before = piece.prefix { $0.properties.isWhitespace }.count
                let offset = name.unicodeScalars.distance(from: name.startIndex, to: space)
                throw ODataError(
                    message: "Expected a comma between names of members, found white space.",
                    position: start + before + offset)
            }
            names.insert(name)
            start += piece.count + 1
        }
        return names.contains("*") ? nil : names
    }
}
