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
        guard version.utf8.count == 12, let bytes = Data(base64Encoded: version), bytes.count == 8
        else { return nil }
        return .eight(bytes.reduce(0) { $0 << 8 | UInt64($1) }).ifExactly(version)
    }

    private static func revision(of version: String) -> NoteVersion? {
        guard (48...60).contains(version.utf8.count), let bytes = Data(base64Encoded: version),
            let revision = revision(inText: [UInt8](bytes))
        else { return nil }
        return NoteVersion.revision(revision).ifExactly(version)
    }

    /// The revision with that text, roughly: what is no text of one gives another text or none.
    private static func revision(inText bytes: [UInt8]) -> Revision? {
        var words: [UInt64] = [0, 0, 0]
        var digitCount = -1
        for byte in bytes {
            switch (byte, digitCount) {
            case (UInt8(ascii: "0")...UInt8(ascii: "9"), -1) where words[0] < 1 << 32:
                words[0] = words[0] * 10 + UInt64(byte - UInt8(ascii: "0"))
            case (UInt8(ascii: "-"), -1):
                digitCount = 0
            case (UInt8(ascii: "0")...UInt8(ascii: "9"), 0..<32):
                let place = 1 + digitCount / 16
                words[place] = words[place] << 4 | UInt64(byte - UInt8(ascii: "0"))
                digitCount += 1
            case (UInt8(ascii: "a")...UInt8(ascii: "f"), 0..<32):
                let place = 1 + digitCount / 16
                words[place] = words[place] << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
                digitCount += 1
            default:
                return nil
            }
        }
        guard digitCount == 32, let generation = UInt32(exactly: words[0]), generation > 0 else {
            return nil
        }
        return Revision(
            generation: generation, digest: Revision.Digest(high: words[1], low: words[2]))
    }

    /// A text may have several forms of base64, of which one comes back.
    private func ifExactly(_ version: String) -> NoteVersion? {
        text.map { $0.utf8.elementsEqual(version.utf8) } ?? false ? self : nil
    }
}
