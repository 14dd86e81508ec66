extension ODataTokenizer {
    /// A literal of version 4 that begins with a digit and is no number: a guid, a date with or
    /// without a time, or a time of day.
    ///
    /// None of them can be a number and something behind it, since neither `-` nor `:` may follow a
    /// number.
    ///
    /// - Returns: The literal, whose text the parser checks; nil when there is none here.
    /// - Throws: ``ODataError`` when a word follows without a space.
    mutating func bareLiteral() throws(ODataError) -> ODataToken.Kind? {
        var prefix: String
        var end: Int
        if matches("hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", at: index) {
            (prefix, end) = ("guid", index + 36)
        } else if matches("dddd-dd-dd", at: index) {
            (prefix, end) = ("date", index + 10)
            if end < scalars.count, scalars[end] == "T" || scalars[end] == "t" {
                prefix = "datetimeoffset"
                end = zoneEnd(at: clockEnd(at: end + 1))
            }
        } else if matches("dd:dd", at: index) {
            (prefix, end) = ("timeofday", clockEnd(at: index))
        } else {
            return nil
        }
        guard end == scalars.count || !Self.isName(scalars[end]) else {
            throw ODataError(
                message: "The literal goes on with '\(scalars[end])', which does not belong to it.",
                position: end + 1)
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[index..<end])
        index = end
        return .typed(prefix: prefix, text: String(text))
    }

    private func clockEnd(at start: Int) -> Int {
        var end = start
        while end < scalars.count,
            Self.isDigit(scalars[end]) || scalars[end] == ":" || scalars[end] == "."
        {
            end += 1
        }
        return end
    }

    private func zoneEnd(at start: Int) -> Int {
        guard start < scalars.count else { return start }
        switch scalars[start] {
        case "Z", "z": return start + 1
        case "+", "-": return matches("dd:dd", at: start + 1) ? start + 6 : start + 1
        default: return start
        }
    }

    /// Whether the text goes on like a pattern: `d` is a digit, `h` a hexadecimal one.
    private func matches(_ pattern: String, at start: Int) -> Bool {
        let pattern = pattern.unicodeScalars
        guard start + pattern.count <= scalars.count else { return false }
        return zip(pattern, scalars[start...]).allSatisfy { wanted, scalar in
            switch wanted {
            case "d": Self.isDigit(scalar)
            case "h":
                Self.isDigit(scalar) || ("a"..."f").contains(scalar) || ("A"..."F").contains(scalar)
            default: scalar == wanted
            }
        }
    }
}
