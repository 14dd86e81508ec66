/// Encodes JSON values as keys whose bytes order as the values do (Docs/Formats/CollationKeys.md).
///
/// The order is CouchDB's view collation: null < false < true < numbers < strings < arrays <
/// objects; arrays item by item, the shorter first. It differs from CouchDB in two places, on
/// purpose: integers and doubles compare exactly (there, 2^53 and 2^53 + 1 are one key), and objects
/// compare by their *sorted* members, name then value, fewer first, because Settle keeps no order of
/// members. 1 and 1.0 are one key, as are 0 and -0.0. NaN and infinities, which are no JSON, are
/// encoded as null, which is what CouchDB's map functions make of them.
///
/// A collator is a value without state of its own; all share one frozen ICU collator, which is
/// safe to use from any thread.
package struct Collator: Sendable {
    /// How strings are ordered.
    package enum Strings: Sendable, Hashable {
        /// By the Unicode root collation at tertiary strength, as CouchDB does: a < A < aa < b.
        /// Strings that the collation holds equal are one key.
        case unicode
        /// By their UTF-8 bytes. CouchDB's `raw` also has another order of types; this has not.
        case raw
    }

    /// How this collator orders strings.
    package let strings: Strings

    /// A collator.
    package init(_ strings: Strings) {
        self.strings = strings
    }

    /// Changes whenever the bytes of keys could: with our encoding, with ICU, with its data.
    ///
    /// An index stores it and is rebuilt when it differs.
    package var version: String {
        switch strings {
        case .unicode: "keys 1, \(RootCollation.shared.version)"
        case .raw: "keys 1, raw"
        }
    }

    /// The encoded key of a value.
    ///
    /// Comparing two keys byte by byte (memcmp, then length) gives the collation order, and no key
    /// is a proper prefix of another.
    package func key(for value: JSONValue) -> [UInt8] {
        var key: [UInt8] = []
        append(value, to: &key)
        return key
    }

    /// Appends the encoded key of a value.
    ///
    /// Cost: a sort key of ICU for each string when strings are `.unicode`.
    package func append(_ value: JSONValue, to key: inout [UInt8]) {
        switch value {
        case .null: key.append(CollationTag.null)
        case .bool(let value): key.append(value ? CollationTag.true : CollationTag.false)
        case .integer(let value): NumberKey.append(value, to: &key)
        case .double(let value):
            if value.isFinite {
                NumberKey.append(value, to: &key)
            } else {
                key.append(CollationTag.null)
            }
        case .string(let text): append(text, to: &key)
        case .array(let elements):
            key.append(CollationTag.array)
            for element in elements { append(element, to: &key) }
            key.append(CollationTag.end)
        case .object(let members): append(members, to: &key)
        }
    }

    /// Appends the encoded key of the packed value that fills the range exactly.
    ///
    /// Gives the same bytes as the value itself would, without making arrays or numbers of it.
    /// - Throws: `PackedError` when the packed bytes are damaged; what was appended until then stays.
    package func append(
        _ bytes: Span<UInt8>, in range: Range<Int>, to key: inout [UInt8]
    ) throws(PackedError) {
        let end = try append(bytes, in: range, depth: 0, to: &key)
        guard end == range.upperBound else { throw PackedError(.trailingBytes, at: end) }
    }

    private func append(
        _ bytes: Span<UInt8>, in range: Range<Int>, depth: Int, to key: inout [UInt8]
    ) throws(PackedError) -> Int {
        let (content, end) = try PackedForm.content(of: bytes, in: range)
        switch content {
        case .null: key.append(CollationTag.null)
        case .bool(let value): key.append(value ? CollationTag.true : CollationTag.false)
        case .integer(let value): NumberKey.append(value, to: &key)
        case .double(let value): NumberKey.append(value, to: &key)
        case .string(let text): append(try PackedForm.utf8(of: bytes, in: text), to: &key)
        case .array(let area):
            guard depth < PackedForm.depthMax else {
                throw PackedError(.tooDeep, at: range.lowerBound)
            }
            key.append(CollationTag.array)
            var next = area.lowerBound
            while next < area.upperBound {
                next = try append(bytes, in: next..<area.upperBound, depth: depth + 1, to: &key)
            }
            key.append(CollationTag.end)
        case .object:
            append(try PackedForm.value(of: bytes, in: range.lowerBound..<end), to: &key)
        }
        return end
    }

    private func append(_ text: String, to key: inout [UInt8]) {
        key.append(CollationTag.string)
        switch strings {
        case .unicode: RootCollation.shared.appendSortKey(of: text, to: &key)
        case .raw:
            for byte in text.utf8 {
                // 00 would end the string, so 00 and 01 are written as 01 01 and 01 02.
                if byte <= 1 { key.append(1) }
                key.append(byte <= 1 ? byte + 1 : byte)
            }
            key.append(CollationTag.end)
        }
    }

    private func append(_ members: [String: JSONValue], to key: inout [UInt8]) {
        var sorted: [(name: String, key: [UInt8], value: JSONValue)] = []
        sorted.reserveCapacity(members.count)
        for (name, value) in members {
            var nameKey: [UInt8] = []
            append(name, to: &nameKey)
            sorted.append((name, nameKey, value))
        }
        sorted.sort { left, right in
            // Names that collate equal (one with an ignorable character, say) still need one order.
            left.key == right.key
                ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
                : left.key.lexicographicallyPrecedes(right.key)
        }
        key.append(CollationTag.object)
        for member in sorted {
            key.append(contentsOf: member.key)
            append(member.value, to: &key)
        }
        key.append(CollationTag.end)
    }
}
