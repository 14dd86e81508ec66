/// Text as a terminal shows it.
enum ScreenText {
    /// The text with characters that would move the cursor or start a command written out.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// How many columns the text takes: two for East Asian wide characters and emoji, one for others.
    static func width(of text: String) -> Int {
        text.reduce(0) { width, character in
            width + (character.unicodeScalars.contains(where: isWide) ? 2 : 1)
        }
    }

    /// The text in at most so many columns; where some of it is cut off, an ellipsis ends it.
    static func cut(_ text: String, to width: Int) -> String {
        guard self.width(of: text) > width else { return text }
        var result = ""
        var used = 1
        for character in text {
            used += self.width(of: String(character))
            if used > width { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            // Line separators and the marks that reorder what follows them.
            || (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    /// The large blocks of wide characters; close enough to line up a table.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
