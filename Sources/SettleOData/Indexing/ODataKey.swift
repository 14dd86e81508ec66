import SettleDocuments

/// The keys of values in an index: bytes that sort like the values.
///
/// Shape, by the first byte: 1 and 0 or 1 for false and true; 2 and the eight bytes of a double,
/// whose sign bit is turned for positive numbers and all whose bits are for negative ones; 3 and the
/// UTF-8 bytes of a string, of which ``stringBytesMax`` are kept. Nulls, arrays and objects have no
/// key.
///
/// Different values may have one key: whole numbers that round to one double, and strings that begin
/// alike. An index finds candidates; the filter decides.
package enum ODataKey {
    /// How many bytes of a string are kept.
    package static let stringBytesMax = 200
    /// The most keys of one item at one path; one that has more has only ``overflow``.
    package static let countMax = 1_000
    /// The key of an item with more keys than an index takes; no value has it.
    package static let overflow: [UInt8] = [0]
    /// The longest key, in bytes.
    package static let bytesMax = 1 + stringBytesMax

    /// The keys of an item at a path.
    ///
    /// Arrays on the way and at its end are walked into, so that the path `lines/product` finds the
    /// products of all lines: an item has a key for each scalar that it leads to.
    ///
    /// - Parameters:
    ///   - subject: The item.
    ///   - path: At least one name.
    /// - Returns: The keys, each once, in the order of their bytes; ``overflow`` alone when there are
    ///   more than ``countMax``.
    /// - Complexity: O(n) for n scalars, and no more memory than ``countMax`` keys take.
    package static func keys(of subject: some ODataSubject, at path: [String]) -> [[UInt8]] {
        var keys: Set<[UInt8]> = []
        collect(subject.value(at: Array(path.prefix(1))), path.dropFirst(), into: &keys)
        guard keys.count <= countMax else { return [overflow] }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func collect(
        _ value: ODataValue, _ path: ArraySlice<String>, into keys: inout Set<[UInt8]>
    ) {
        guard keys.count <= countMax else { return }
        switch value {
        case .array(let elements):
            for element in elements { collect(ODataValue(element), path, into: &keys) }
        case .packedArray(let part):
            for element in part.elements { collect(element, path, into: &keys) }
        case .object, .packedObject:
            guard let name = path.first else { return }
            collect(value.member(name), path.dropFirst(), into: &keys)
        default:
            if path.isEmpty, let key = key(of: value) { keys.insert(key) }
        }
    }

    /// The key of a scalar; nil for null, arrays and objects, and for what is no number.
    static func key(of value: JSONValue) -> [UInt8]? { key(of: ODataValue(value)) }

    /// The key of a scalar; nil for null, arrays and objects, and for what is no number.
    static func key(of value: ODataValue) -> [UInt8]? {
        switch value {
        case .bool(let value): key(of: value)
        case .integer(let value): key(of: Double(value))
        case .double(let value): value.isNaN ? nil : key(of: value)
        case .string(let value): key(of: value)
        case .null, .instant, .guid, .array, .object, .packedArray, .packedObject: nil
        }
    }

    static func key(of value: Bool) -> [UInt8] {
        [Kind.bool.rawValue, value ? 1 : 0]
    }

    static func key(of value: Double) -> [UInt8] {
        // Adding zero makes -0 the other one, to which it is equal.
        let bits = (value + 0).bitPattern
        let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        return [Kind.number.rawValue]
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: ordered >> $0) }
    }

    static func key(of value: String) -> [UInt8] {
        [Kind.string.rawValue] + value.utf8.prefix(stringBytesMax)
    }

    /// The kinds of values that have keys, in their order.
    enum Kind: UInt8 {
        case bool = 1
        case number = 2
        case string = 3

        /// All keys of the kind.
        var range: ODataKeyRange { ODataKeyRange(lower: [rawValue], upper: [rawValue + 1]) }
    }
}
