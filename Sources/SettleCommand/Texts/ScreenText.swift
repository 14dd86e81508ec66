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
            // U+FE0F asks for the form of an emoji.
            let isEmoji = character.unicodeScalars.contains("\u{FE0F}")
            return width + (isEmoji || character.unicodeScalars.contains(where: isWide) ? 2 : 1)
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

    /// The large blocks of wide characters, and the emoji outside them.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        case 0x231A...0x231B, 0x23E9...0x23EC, 0x23F0, 0x23F3, 0x25FD...0x25FE, 0x2614...0x2615,
            0x2648...0x2653, 0x267F, 0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE,
            0x26C4...0x26C5, 0x26CE, 0x26D4, 0x26EA, 0x26F2...0x26F3, 0x26F5, 0x26FA, 0x26FD,
            0x2705, 0x270A...0x270B, 0x2728, 0x274C, 0x274E, 0x2753...0x2755, 0x2757,
            0x2795...0x2797, 0x27B0, 0x27BF, 0x2B1B...0x2B1C, 0x2B50, 0x2B55:
            true
        case 0x1F004, 0x1F0CF, 0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F265: true
        default: false
        }
    }
}
