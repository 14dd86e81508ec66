/// Text in which nothing is invisible that changes how the rest is read.
enum VisibleText {
    /// The text with control characters, and those that turn the direction of writing, spelled out as `\u202E`.
    static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isSpelledOut) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isSpelledOut(scalar) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                shown += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func isSpelledOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069,
            0xFEFF:
            true
        default: false
        }
    }

    /// The beginning of a text, for one line of a list.
    static func beginning(of text: String, characters: Int = 120) -> String {
        // Before it is spelled out: a value may have megabytes.
        let prefix = text.unicodeScalars.prefix(characters)
        let shown = of(String(String.UnicodeScalarView(prefix)))
        return prefix.endIndex == text.unicodeScalars.endIndex ? shown : shown + "…"
    }
}
