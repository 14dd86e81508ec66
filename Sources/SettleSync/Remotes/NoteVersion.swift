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
        guard version.utf8.count == 12, let bytes = bytes(ofBase64: version), bytes.count == 8
        else { return nil }
        return .eight(bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func revision(of version: String) -> NoteVersion? {
        guard (48...60).contains(version.utf8.count), let bytes = bytes(ofBase64: version)
        else { return nil }
        return revision(inText: bytes).map { .revision($0) }
    }

    /// The bytes of which a text is the base64; nil unless it is spelled as an encoder spells it, so that the
    /// bytes give it again.
    private static func bytes(ofBase64 text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48)
        var (word, bitCount) = (UInt32(0), UInt32(0))
        var (count, paddingCount) = (0, 0)
        for byte in text.utf8 {
            count += 1
            if byte == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let digit = digit(ofBase64: byte) else { return nil }
            word = word << 6 | digit
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> bitCount))
        }
        // Of a last group, 2 or 4 bits are left, which are zero, and 1 or 2 places are filled up.
        guard count % 4 == 0, bitCount < 6, paddingCount == Int(bitCount) / 2,
            word & (1 << bitCount - 1) == 0
        else { return nil }
        return bytes
    }

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

    /// The revision with that text; nil when its own text is another.
    private static func revision(inText bytes: [UInt8]) -> Revision? {
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")), (1...10).contains(dash),
            bytes.count == dash + 33, bytes[0] != UInt8(ascii: "0")
        else { return nil }
        var number: UInt64 = 0
        for byte in bytes[..<dash] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        guard let generation = UInt32(exactly: number),
            let high = word(ofDigits: bytes[(dash + 1)..<(dash + 17)]),
            let low = word(ofDigits: bytes[(dash + 17)...])
        else { return nil }
        return Revision(generation: generation, digest: Revision.Digest(high: high, low: low))
    }

    /// The number that hexadecimal digits in lower case are.
    private static func word(ofDigits digits: ArraySlice<UInt8>) -> UInt64? {
        var word: UInt64 = 0
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                word = word << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                word = word << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return word
    }
}
