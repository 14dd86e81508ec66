import SettleDocuments

/// The hash of a partition key as the service orders it: hexadecimal digits in capitals.
///
/// > Source: the public client libraries of Cosmos DB, which compute it too; the test with the
/// > Python library compares the two.
enum EffectiveKey {
    /// The effective key of a value.
    static func text(of key: PartitionKeyValue, in definition: PartitionKeyDefinition) -> String {
        if definition.version == 1 { return firstVersion(of: key) }
        if definition.kind == .hash { return secondVersion(of: key.components) }
        return key.components.map { secondVersion(of: [$0]) }.joined()
    }

    private static func secondVersion(of components: [JSONValue?]) -> String {
        let bytes = components.flatMap { hashed($0, end: 0xFF) }
        let (low, high) = MurmurHash3.hash128(bytes)
        // The two highest bits are clear, so that FF is above all.
        return hex(bigEndian(high & 0x3FFF_FFFF_FFFF_FFFF) + bigEndian(low))
    }

    private static func firstVersion(of key: PartitionKeyValue) -> String {
        let components = key.components.map { component in
            component?.stringValue.map { JSONValue.string(String($0.prefix(100))) } ?? component
        }
        let hash = MurmurHash3.hash32(components.flatMap { hashed($0, end: 0) })
        return hex(([.double(Double(hash))] + components).flatMap(ordered))
    }

    /// The effective key of a hash of the first version.
    static func firstVersion(hash: Double) -> String { hex(ordered(.double(hash))) }

    /// The hash with which an effective key of the first version begins.
    static func hash(ofFirstVersion text: String) -> Double {
        let digits = Array(text.dropFirst(2))
        var ordered: UInt64 = 0
        var shift = 56
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            let byte = UInt64(String(digits[index...index + 1]), radix: 16) ?? 0
            if shift == 56 {
                ordered = byte << 56
            } else {
                ordered |= shift >= 0 ? (byte >> 1) << shift : (byte >> 1) >> -shift
                if byte & 1 == 0 { break }
            }
            shift -= 7
        }
        let sign: UInt64 = 1 << 63
        return Double(bitPattern: ordered >= sign ? ordered ^ sign : ~ordered &+ 1)
    }

    /// The bytes of a value that are hashed.
    private static func hashed(_ value: JSONValue?, end: UInt8) -> [UInt8] {
        switch value {
        case nil: [0]
        case .bool(let flag): [flag ? 3 : 2]
        case .integer, .double:
            [5] + bigEndian((value?.doubleValue ?? 0).bitPattern).reversed()
        case .string(let text): [8] + Array(text.utf8) + [end]
        default: [1]
        }
    }

    /// The bytes of a value in an order that is that of the values.
    private static func ordered(_ value: JSONValue?) -> [UInt8] {
        switch value {
        case nil: return [0]
        case .bool(let flag): return [flag ? 3 : 2]
        case .integer, .double: return [5] + ordered((value?.doubleValue ?? 0).bitPattern)
        case .string(let text):
            let bytes = Array(text.utf8)
            let isShort = bytes.count <= 100
            return [8] + bytes.prefix(isShort ? 100 : 101).map { $0 &+ 1 } + (isShort ? [0] : [])
        default: return [1]
        }
    }

    private static func ordered(_ bits: UInt64) -> [UInt8] {
        let sign: UInt64 = 1 << 63
        var rest = bits < sign ? bits ^ sign : ~bits &+ 1
        var bytes = [UInt8(truncatingIfNeeded: rest >> 56)]
        rest <<= 8
        var last: UInt8 = 0
        var isFirst = true
        while rest != 0 {
            if !isFirst { bytes.append(last) }
            isFirst = false
            last = UInt8(truncatingIfNeeded: rest >> 56) | 1
            rest <<= 7
        }
        return bytes + [last & 0xFE]
    }

    private static func bigEndian(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - $0 * 8)) }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
