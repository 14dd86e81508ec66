/// What is wrong with a JSON text, and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of mistake, for code that wants to tell one from another.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case emptyText, byteOrderMark, unexpectedEnd, unexpectedByte, trailingText
            case invalidNumber, integerOutOfRange, doubleOutOfRange
            case controlCharacter, invalidEscape, loneSurrogate, invalidUTF8
            case duplicateName, tooDeep, tooLarge, unexpectedKind
        }

        private let kind: Kind

        /// The text holds no value at all.
        public static let emptyText = Reason(kind: .emptyText)
        /// The text begins with a byte order mark, which RFC 8259 forbids.
        public static let byteOrderMark = Reason(kind: .byteOrderMark)
        /// The text ends inside a value.
        public static let unexpectedEnd = Reason(kind: .unexpectedEnd)
        /// A byte stands where JSON allows none like it.
        public static let unexpectedByte = Reason(kind: .unexpectedByte)
        /// Something follows the value.
        public static let trailingText = Reason(kind: .trailingText)
        /// A number is malformed: a leading zero or plus sign, a missing digit.
        public static let invalidNumber = Reason(kind: .invalidNumber)
        /// A whole number lies outside the range of a 64-bit integer.
        public static let integerOutOfRange = Reason(kind: .integerOutOfRange)
        /// A number with a fraction or exponent is too large or too small for a double.
        public static let doubleOutOfRange = Reason(kind: .doubleOutOfRange)
        /// A control character stands in a string without being escaped.
        public static let controlCharacter = Reason(kind: .controlCharacter)
        /// A backslash is followed by something JSON does not know.
        public static let invalidEscape = Reason(kind: .invalidEscape)
        /// A `\u` escape gives one half of a surrogate pair without the other.
        public static let loneSurrogate = Reason(kind: .loneSurrogate)
        /// The bytes of a string are not UTF-8.
        public static let invalidUTF8 = Reason(kind: .invalidUTF8)
        /// An object has two members of one name (equal, or canonically equivalent in Unicode).
        public static let duplicateName = Reason(kind: .duplicateName)
        /// Arrays and objects are nested deeper than the limit.
        public static let tooDeep = Reason(kind: .tooDeep)
        /// The text, or the packed form made from it, has more bytes than the limit.
        public static let tooLarge = Reason(kind: .tooLarge)
        /// A value is sound but of the wrong kind: a document that is no object, an identifier
        /// that is no string.
        public static let unexpectedKind = Reason(kind: .unexpectedKind)

        /// The reason's name.
        public var description: String { kind.rawValue }
    }

    /// The kind of mistake.
    public let reason: Reason

    /// A sentence that says what is wrong and what to do; it quotes nothing of the text.
    public let message: String

    /// The line, from 1; lines end with LF, CR or CR LF.
    public let line: Int

    /// The place in the line, from 1, in Unicode scalars (not bytes, not grapheme clusters).
    public let column: Int

    /// The place in the text, from 0, in bytes.
    public let byteOffset: Int

    /// The message with line, column and byte offset.
    public var description: String {
        "JSON, line \(line), column \(column) (byte \(byteOffset)): \(message)"
    }

    init(_ reason: Reason, _ message: String, at byteOffset: Int, in text: Span<UInt8>) {
        self.reason = reason
        self.message = message
        self.byteOffset = byteOffset
        var line = 1
        var column = 1
        for index in 0..<min(byteOffset, text.count) {
            let byte = text[index]
            let endsLine =
                byte == 0x0A || byte == 0x0D && !(index + 1 < text.count && text[index + 1] == 0x0A)
            if endsLine {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}
