/// Writes text into URLs (RFC 3986).
enum PercentEncoding {
    /// One segment of a path: everything but unreserved characters is encoded.
    static func pathSegment(_ text: String) -> String {
        encoded(text, keeping: [])
    }

    /// The value of a query parameter: what filters are made of stays readable.
    static func queryValue(_ text: String) -> String {
        encoded(text, keeping: ["(", ")", "'", ",", "$", "*", "!"])
    }

    private static func encoded(_ text: String, keeping kept: Set<Character>) -> String {
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isUnreserved =
                byte < 0x80 && (character.isLetter || character.isNumber)
                || "-._~".contains(character)
            if isUnreserved || kept.contains(character) {
                result.append(character)
            } else {
                result.append("%")
                result.append(digits[Int(byte >> 4)])
                result.append(digits[Int(byte & 15)])
            }
        }
        return result
    }
}
