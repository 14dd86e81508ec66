/// Swift source with what is not code blanked out, so that words can be looked for in the rest.
///
/// Comments always become spaces; the contents of string literals and of raw identifiers do when
/// asked for. Line breaks stay where they are, and interpolations stay code.
struct SwiftBlanking {
    private enum Frame {
        case code(depth: Int)
        case literal(hashes: Int, isMultiline: Bool)
    }

    private let bytes: [UInt8]
    private let keepsLiterals: Bool
    private var output: [UInt8] = []
    private var position = 0
    private var frames: [Frame] = [.code(depth: 0)]

    private init(_ text: String, keepsLiterals: Bool) {
        bytes = Array(text.utf8)
        self.keepsLiterals = keepsLiterals
        output.reserveCapacity(bytes.count)
    }

    /// The code alone.
    static func code(of text: String) -> String {
        var blanking = SwiftBlanking(text, keepsLiterals: false)
        return blanking.run()
    }

    /// The code with its literals, without comments.
    static func codeAndLiterals(of text: String) -> String {
        var blanking = SwiftBlanking(text, keepsLiterals: true)
        return blanking.run()
    }

    private mutating func run() -> String {
        while position < bytes.count {
            switch frames[frames.count - 1] {
            case .code(let depth): code(depth: depth)
            case .literal(let hashes, let isMultiline):
                literal(hashes: hashes, isMultiline: isMultiline)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func code(depth: Int) {
        if starts(with: "//") {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { blank() }
        } else if starts(with: "/*") {
            blockComment()
        } else if let hashes = hashesBeforeQuote() {
            keep(hashes)
            let isMultiline = starts(with: "\"\"\"")
            keep(isMultiline ? 3 : 1)
            frames.append(.literal(hashes: hashes, isMultiline: isMultiline))
        } else if bytes[position] == UInt8(ascii: "`") {
            rawIdentifier()
        } else if bytes[position] == UInt8(ascii: "(") {
            frames[frames.count - 1] = .code(depth: depth + 1)
            keep(1)
        } else if bytes[position] == UInt8(ascii: ")") {
            if depth == 0, frames.count > 1 {
                frames.removeLast()
            } else {
                frames[frames.count - 1] = .code(depth: max(0, depth - 1))
            }
            keep(1)
        } else {
            keep(1)
        }
    }

    private mutating func literal(hashes: Int, isMultiline: Bool) {
        let marks = String(repeating: "#", count: hashes)
        let end = (isMultiline ? "\"\"\"" : "\"") + marks
        if starts(with: end) {
            keep(end.utf8.count)
            frames.removeLast()
        } else if starts(with: "\\" + marks + "(") {
            keep(hashes + 2)
            frames.append(.code(depth: 0))
        } else if starts(with: "\\" + marks) {
            for _ in 0..<(hashes + 2) where position < bytes.count { literalByte() }
        } else if bytes[position] == UInt8(ascii: "\n"), !isMultiline {
            // Not closed on its line: not Swift, or a quote in a regular expression. Go on as code.
            frames.removeLast()
        } else {
            literalByte()
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                blank()
                blank()
            } else if starts(with: "*/") {
                depth -= 1
                blank()
                blank()
            } else {
                blank()
            }
        } while depth > 0 && position < bytes.count
    }

    private mutating func rawIdentifier() {
        keep(1)
        while position < bytes.count, bytes[position] != UInt8(ascii: "`"),
            bytes[position] != UInt8(ascii: "\n")
        {
            literalByte()
        }
        if position < bytes.count { keep(1) }
    }

    /// The number of `#` before a quote that opens a literal here, or nil when none opens.
    private func hashesBeforeQuote() -> Int? {
        var index = position
        while index < bytes.count, bytes[index] == UInt8(ascii: "#") { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        return index - position
    }

    private func starts(with text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard position + wanted.count <= bytes.count else { return false }
        return bytes[position..<(position + wanted.count)].elementsEqual(wanted)
    }

    private mutating func keep(_ count: Int) {
        output.append(contentsOf: bytes[position..<(position + count)])
        position += count
    }

    private mutating func literalByte() {
        if keepsLiterals { keep(1) } else { blank() }
    }

    private mutating func blank() {
        output.append(
            bytes[position] == UInt8(ascii: "\n") ? UInt8(ascii: "\n") : UInt8(ascii: " "))
        position += 1
    }
}
