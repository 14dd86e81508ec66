/// The words of a line of the shell.
///
/// They are split at white space. Quotes and the backslash mean what they mean in other shells; besides, a word that
/// begins with `{` or `[` is JSON and ends behind the bracket that closes it, so that JSON needs no quotes. What follows
/// a word-beginning `#` is a comment.
struct ShellWords: Equatable {
    /// What is still open at the end of the text.
    enum Open: Equatable {
        /// Nothing: the text is whole.
        case nothing
        /// A quote or a bracket that nothing closes, or a backslash at the end: the next line belongs to it.
        case more
    }

    /// One word.
    struct Word: Equatable {
        /// What it says, without its quotes.
        var text = ""
        /// Where it begins, in scalars of Unicode.
        var start: Int
        /// Whether it is written as it is, without quotes, brackets and backslashes.
        var isPlain = true
    }

    /// The words.
    private(set) var words: [Word] = []
    /// Whether the text goes on in the next line.
    private(set) var open = Open.nothing
    /// Whether the text ends in a word rather than behind one.
    private(set) var endsInWord = false

    /// What the words say.
    var texts: [String] { words.map(\.text) }

    private let scalars: [Unicode.Scalar]
    private var position = 0

    /// Splits a text.
    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        while position < scalars.count, open == .nothing {
            if scalars[position].properties.isWhitespace {
                position += 1
            } else if scalars[position] == "#" {
                skipComment()
            } else {
                readWord()
            }
        }
    }

    private mutating func skipComment() {
        while position < scalars.count, scalars[position] != "\n" { position += 1 }
    }

    private mutating func readWord() {
        var word = Word(start: position)
        if ["{", "["].contains(scalars[position]) { readJSON(into: &word) }
        reading: while position < scalars.count, open == .nothing {
            let scalar = scalars[position]
            switch scalar {
            case "'": readQuoted(by: scalar, escapes: [], into: &word)
            case "\"": readQuoted(by: scalar, escapes: ["\"", "\\"], into: &word)
            case "\\":
                word.isPlain = false
                position += 1
                guard position < scalars.count else {
                    open = .more
                    break reading
                }
                // Lines that a backslash joins are one.
                if scalars[position] != "\n" { word.text.unicodeScalars.append(scalars[position]) }
                position += 1
            default:
                if scalar.properties.isWhitespace { break reading }
                word.text.unicodeScalars.append(scalar)
                position += 1
            }
        }
        endsInWord = position == scalars.count
        // A backslash alone at the end of a line is no word.
        if !(word.text.isEmpty && !word.isPlain && scalars[word.start] == "\\") {
            words.append(word)
        }
    }

    private mutating func readQuoted(
        by quote: Unicode.Scalar, escapes: Set<Unicode.Scalar>, into word: inout Word
    ) {
        word.isPlain = false
        position += 1
        while position < scalars.count, scalars[position] != quote {
            if scalars[position] == "\\", position + 1 < scalars.count,
                escapes.contains(scalars[position + 1])
            {
                position += 1
            }
            word.text.unicodeScalars.append(scalars[position])
            position += 1
        }
        guard position < scalars.count else {
            open = .more
            return
        }
        position += 1
    }

    /// Reads to the bracket that closes the first one; those in strings of JSON count for nothing.
    private mutating func readJSON(into word: inout Word) {
        word.isPlain = false
        var depth = 0
        var isString = false
        repeat {
            let scalar = scalars[position]
            word.text.unicodeScalars.append(scalar)
            position += 1
            if isString {
                if scalar == "\\", position < scalars.count {
                    word.text.unicodeScalars.append(scalars[position])
                    position += 1
                } else if scalar == "\"" {
                    isString = false
                }
            } else {
                switch scalar {
                case "\"": isString = true
                case "{", "[": depth += 1
                case "}", "]": depth -= 1
                default: break
                }
            }
        } while depth > 0 && position < scalars.count
        if depth > 0 { open = .more }
    }

    /// A word as it has to be written to say this.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && !["'", "\"", "\\"].contains($0)
            } && !["{", "[", "#"].contains(text.unicodeScalars.first)
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
