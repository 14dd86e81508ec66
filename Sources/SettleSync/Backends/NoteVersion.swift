import Foundation
import Settle

/// A version of an item, in the shortest of four forms that gives its text again.
enum NoteVersion: Equatable {
    case none
    case text(String)
    /// The base64 text of eight bytes, such as the row versions of a SQL server.
    case eight(UInt64)
    /// The base64 text of a revision's text, such as the tables of a Settle server have.
    case revision(Revision)

    /// The form for a version.
    init(_ version: String?) {
        guard let version else {
            self = .none
            return
        }
        self = Self.eight(of: version) ?? Self.revision(of: version) ?? .text(version)
    }

    /// The version.
    var text: String? {
        switch self {
        case .none: return nil
        case .text(let text): return text
        case .eight(let number):
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
            return Data(bytes).base64EncodedString()
        case .revision(let revision):
            var bytes: [UInt8] = []
            revision.append(to: &bytes)
            return Data(bytes).base64EncodedString()
        }
    }

    /// The number of the form, in two bits.
    var stored: UInt8 {
        switch self {
        case .none: 0
        case .text: 1
        case .eight: 2
        case .revision: 3
        }
    }

    func write(to row: inout RowWriter) {
        switch self {
        case .none: break
        case .text(let text): row.write(counted: text.utf8)
        case .eight(let number): row.write(fixed: number)
        case .revision(let revision):
            row.write(number: UInt64(revision.generation))
            row.write(fixed: revision.digest.high)
            row.write(fixed: revision.digest.low)
        }
    }

    /// Reads a version of that form.
    init(_ stored: UInt8, from row: inout RowReader) throws(DatabaseError) {
        switch stored {
        case 0: self = .none
        case 1: self = .text(try row.text())
        case 2: self = .eight(try row.fixed())
        default:
            guard let generation = UInt32(exactly: try row.number()), generation > 0 else {
                throw row.damage
            }
            let (high, low) = (try row.fixed(), try row.fixed())
            self = .revision(
                Revision(generation: generation, digest: Revision.Digest(high: high, low: low)))
        }
    }

    /// Texts of other lengths are no base64 of eight bytes.
    private static func eight(of version: String) -> NoteVersion? {
        guard version.utf8.count == 12 else { return nil }
        var (number, count) = (UInt64(0), 0)
        let isBase64 = decode(version) { byte in
            number = number << 8 | UInt64(byte)
            count += 1
            return true
        }
        return isBase64 && count == 8 ? .eight(number) : nil
    }

    private static func revision(of version: String) -> NoteVersion? {
        guard (48...60).contains(version.utf8.count) else { return nil }
        var reader = RevisionReader()
        guard decode(version, { reader.take($0) }) else { return nil }
        return reader.revision.map { .revision($0) }
    }

    /// Decodes a text that is base64 as an encoder spells it, so that the bytes give it again.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - take: Called with each byte; answers false to stop.
    /// - Returns: False when it is none, or was stopped.
    @inline(__always)
    private static func decode(_ text: String, _ take: (UInt8) -> Bool) -> Bool {
        var (word, bitCount) = (UInt32(0), UInt32(0))
        var (count, paddingCount) = (0, 0)
        // A walk over the bytes of a text asks for each of them in what form the text is.
        let utf8 = Array(text.utf8)
        let bytes = utf8.span
        for place in bytes.indices {
            let byte = bytes[place]
            count += 1
            if byte == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let digit = digit(ofBase64: byte) else { return false }
            word = word << 6 | digit
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            guard take(UInt8(truncatingIfNeeded: word >> bitCount)) else { return false }
        }
        // Of a last group, 2 or 4 bits are left, which are zero, and 1 or 2 places are filled up.
        return count % 4 == 0 && bitCount < 6 && paddingCount == Int(bitCount) / 2
            && word & (1 << bitCount - 1) == 0
    }

    @inline(__always)
    private static func digit(ofBase64 byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// Reads the text of a revision byte by byte: a number, a dash, and 32 hexadecimal digits in lower case.
private struct RevisionReader {
    private var generation: UInt64 = 0
    private var numberCount = 0
    private var hasDash = false
    private var digitCount = 0
    private var (high, low) = (UInt64(0), UInt64(0))

    /// Takes the next byte; false when no revision goes on so.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        let isDecimal = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        guard hasDash else {
            if byte == UInt8(ascii: "-") {
                hasDash = true
                return numberCount > 0
            }
            // No revision begins with a zero, nor has a number of more than ten digits.
            guard isDecimal, numberCount < 10, numberCount > 0 || byte != UInt8(ascii: "0") else {
                return false
            }
            numberCount += 1
            generation = generation * 10 + UInt64(byte - UInt8(ascii: "0"))
            return true
        }
        let digit: UInt8
        if isDecimal {
            digit = byte - UInt8(ascii: "0")
        } else if byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "f") {
            digit = byte - UInt8(ascii: "a") + 10
        } else {
            return false
        }
        digitCount += 1
        if digitCount <= 16 {
            high = high << 4 | UInt64(digit)
        } else {
            low = low << 4 | UInt64(digit)
        }
        return digitCount <= 32
    }

    /// The revision; nil when the bytes are not the text of one.
    var revision: Revision? {
        guard digitCount == 32, let generation = UInt32(exactly: generation) else { return nil }
        return Revision(generation: generation, digest: Revision.Digest(high: high, low: low))
    }
}
