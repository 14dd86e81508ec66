import SettleDocuments
import SettlePrimitives
import SettleStorage

/// What the stored partials of all reduce functions have in common.
///
/// Reading trusts nothing: whatever the bytes are, the answer is a value or
/// `IndexError.corrupted`, and only what writing would have written is taken.
enum PartialForm {
    /// Begins the partial of rows of which none had a value.
    static let nothing: UInt8 = 0x00
    /// Begins a partial whose kind has one form only.
    static let value: UInt8 = 0x01
    /// Begins an array of partials.
    static let array: UInt8 = 0x02
    /// Begins an object of partials.
    static let object: UInt8 = 0x03
    /// Begins an error that is a value: an object, packed.
    static let error: UInt8 = 0x04
    /// Begins a failure: a reason in UTF-8.
    static let failure: UInt8 = 0x05

    /// How deep partials may be nested; values cannot be nested deeper when they are stored.
    static let depthMax = 512

    /// How many bytes of UTF-8 the reason of a stored failure has at most.
    static let reasonMax = 1024

    static let damage = IndexError.corrupted(place: "a stored reduction")
    static let valueDamage = IndexError.corrupted(place: "the value of a row")

    static func byte(_ bytes: Span<UInt8>, at position: inout Int) throws(IndexError) -> UInt8 {
        guard let byte = bytes.byte(at: &position) else { throw damage }
        return byte
    }

    /// A varint that has no needless last byte.
    static func number(_ bytes: Span<UInt8>, at position: inout Int) throws(IndexError) -> UInt64 {
        let start = position
        guard let number = bytes.variable(at: &position),
            position == start + 1 || bytes[position - 1] != 0
        else { throw damage }
        return number
    }

    /// A varint that counts things of which each takes at least a byte of what is left.
    static func count(_ bytes: Span<UInt8>, at position: inout Int) throws(IndexError) -> Int {
        let number = try number(bytes, at: &position)
        guard number <= UInt64(bytes.count - position) else { throw damage }
        return Int(number)
    }

    static func end(_ bytes: Span<UInt8>, at position: Int) throws(IndexError) {
        guard position == bytes.count else { throw damage }
    }

    /// The value whose packed form is all that is left.
    static func packed(_ bytes: Span<UInt8>, from position: Int) throws(IndexError) -> JSONValue {
        do throws(PackedError) {
            return try PackedForm.value(of: bytes, in: position..<bytes.count)
        } catch {
            throw damage
        }
    }

    static func append(failure reason: String, to bytes: inout [UInt8]) {
        bytes.append(failure)
        bytes.append(contentsOf: shortened(reason, to: reasonMax).utf8)
    }

    /// The reason that is all that is left.
    static func reason(_ bytes: Span<UInt8>, from position: Int) throws(IndexError) -> String {
        guard bytes.count - position <= reasonMax,
            let reason = String(validating: bytes.rest(from: position), as: UTF8.self)
        else { throw damage }
        return reason
    }

    /// The text, or its beginning and an ellipsis when it has more bytes of UTF-8 than that.
    static func shortened(_ text: String, to countMax: Int) -> String {
        guard text.utf8.count > countMax else { return text }
        var scalars = String.UnicodeScalarView()
        var room = countMax - "…".utf8.count
        for scalar in text.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            scalars.append(scalar)
        }
        return String(scalars) + "…"
    }

    /// How a value stands in the reason of an error: as JSON, its beginning when it is long.
    static func quoted(_ value: JSONValue) -> String {
        shortened(value.jsonText, to: 200)
    }
}
