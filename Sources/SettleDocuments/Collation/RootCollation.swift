import CICU

/// The Unicode root collation of the ICU that the system carries: tertiary strength, no tailoring,
/// which is what CouchDB orders strings by.
///
/// The only file that calls ICU. The collator is opened once, never changed and never closed; ICU
/// promises that const use of such a collator from several threads at once is safe, which is why
/// the type may be `Sendable`.
@safe struct RootCollation: @unchecked Sendable {
    static let shared = RootCollation()

    /// The versions of the collation data, of the Unicode collation algorithm and of ICU.
    let version: String

    // Unsafe to touch, because ICU owns what it points to; it lives as long as the process.
    private let collator: OpaquePointer

    private init() {
        var status: Int32 = 0
        // The empty locale is the root; ICU copies what it needs of the string.
        guard let collator = unsafe settle_ucol_open("", &status), status <= 0 else {
            preconditionFailure("ICU cannot open its root collation (status \(status)).")
        }
        unsafe self.collator = collator
        var data: [UInt8] = [0, 0, 0, 0]
        var algorithm: [UInt8] = [0, 0, 0, 0]
        var library: [UInt8] = [0, 0, 0, 0]
        // Each writes exactly four bytes, U_MAX_VERSION_LENGTH.
        unsafe settle_ucol_getVersion(collator, &data)
        unsafe settle_ucol_getUCAVersion(collator, &algorithm)
        unsafe settle_u_getVersion(&library)
        version =
            "collation \(Self.dotted(data)), UCA \(Self.dotted(algorithm)), "
            + "ICU \(Self.dotted(library))"
    }

    private static func dotted(_ version: [UInt8]) -> String {
        var parts = version[...]
        while parts.count > 2, parts.last == 0 { parts.removeLast() }
        return parts.map(String.init).joined(separator: ".")
    }

    /// Appends the sort key of the text with the 00 that ends it; there is no other 00 in it.
    func appendSortKey(of text: String, to key: inout [UInt8]) {
        let capacity = text.utf8.count
        precondition(capacity <= Int(Int32.max / 8), "A string of 256 MiB cannot be a key.")
        // A string never has more UTF-16 units than UTF-8 bytes. The buffer is written before it
        // is read, and neither pointer outlives its closure.
        unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: capacity + 1) { units in
            var count = 0
            for unit in text.utf16 {
                unsafe units[count] = unit
                count += 1
            }
            let source = unsafe UnsafeBufferPointer(rebasing: units[..<count])
            unsafe appendSortKey(of: source, guess: 4 * count + 16, to: &key)
        }
    }

    /// Appends the sort key of the ASCII text in that range of the bytes, with the 00 that ends it.
    ///
    /// As the other form does, without making a string first.
    func appendSortKey(ofASCII bytes: Span<UInt8>, in range: Range<Int>, to key: inout [UInt8]) {
        precondition(range.count <= Int(Int32.max / 8), "A string of 256 MiB cannot be a key.")
        // The buffer is written before it is read, and the pointer does not outlive its closure.
        unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: range.count + 1) { units in
            for offset in 0..<range.count {
                unsafe units[offset] = UInt16(bytes[range.lowerBound + offset])
            }
            let source = unsafe UnsafeBufferPointer(rebasing: units[..<range.count])
            unsafe appendSortKey(of: source, guess: 4 * range.count + 16, to: &key)
        }
    }

    private func appendSortKey(
        of units: UnsafeBufferPointer<UInt16>, guess: Int, to key: inout [UInt8]
    ) {
        // ICU writes at most the capacity it is told and gives the length it needs, the final 00
        // included; when the guess was too small, the second call has exactly that much room.
        let needed = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: guess) {
            buffer in
            let length = unsafe Int(
                settle_ucol_getSortKey(
                    collator, units.baseAddress, Int32(units.count), buffer.baseAddress,
                    Int32(guess)))
            if length > 0, length <= guess {
                unsafe key.append(contentsOf: buffer[..<length])
            }
            return length
        }
        precondition(needed > 0, "ICU gave no sort key, which it does only when memory is out.")
        if needed > guess { unsafe appendSortKey(of: units, guess: needed, to: &key) }
    }
}
