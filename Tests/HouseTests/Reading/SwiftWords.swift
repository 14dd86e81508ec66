/// The words of Swift code: identifiers and keywords, each with the line it stands on.
struct SwiftWord: Equatable {
    /// The word itself.
    let text: String
    /// Its line, from 1.
    let line: Int
    /// Whether an `@` stands before it.
    let isAttribute: Bool

    /// The words of a source text, without those in comments and literals.
    static func words(of text: String) -> [SwiftWord] {
        var words: [SwiftWord] = []
        var current: [UInt8] = []
        var line = 1
        var isAttribute = false
        var previous: UInt8 = 0
        for byte in Array(SwiftBlanking.code(of: text).utf8) + [UInt8(ascii: "\n")] {
            if isWordByte(byte) {
                if current.isEmpty { isAttribute = previous == UInt8(ascii: "@") }
                current.append(byte)
            } else if !current.isEmpty {
                let text = String(decoding: current, as: UTF8.self)
                words.append(SwiftWord(text: text, line: line, isAttribute: isAttribute))
                current = []
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            previous = byte
        }
        return words
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: byte >= 0x80
        }
    }
}
