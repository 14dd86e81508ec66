package import SettleDocuments
import SettleStorage

/// What an index row holds: the emitted key as it was, and the emitted value.
///
/// The collation key orders but does not give the key back ("a" and "á" differ in it, "1" and
/// the Devanagari digit one do not), so the row keeps the key itself.
/// Shape: length of the packed key, packed key, packed value; nothing after the key when the map
/// gave no value.
package struct StoredRow: Sendable, Equatable {
    /// The key as it was emitted.
    package let key: PackedValue
    /// The value; nil when there was none.
    package let value: PackedValue?

    /// Packs an emitted row.
    ///
    /// - Throws: ``PackedError`` when a number is not finite or the limits are passed.
    package init(_ row: EmittedRow) throws {
        key = try PackedValue(row.key)
        value = try row.value.map { try PackedValue($0) }
    }

    /// Reads a stored row; nil when the bytes are too short.
    package init?(_ bytes: [UInt8]) {
        let span = bytes.span
        var position = 0
        guard let key = span.counted(at: &position), !key.isEmpty else { return nil }
        self.key = PackedValue(stored: key)
        let rest = span.rest(from: position)
        self.value = rest.isEmpty ? nil : PackedValue(stored: rest)
    }

    /// The stored form.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(counted: key.bytes)
        if let value { bytes.append(contentsOf: value.bytes) }
        return bytes
    }
}
