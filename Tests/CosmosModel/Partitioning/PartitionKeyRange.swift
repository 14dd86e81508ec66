import SettleDocuments

/// A part of a collection: the documents with effective keys from one on and below another.
struct PartitionKeyRange: Sendable, Equatable {
    /// Which range of the collection it is; never given again.
    var id: String
    /// The identifier of the resource.
    var identifier: ResourceIdentifier
    /// The lowest effective key; "" below all.
    var lower: String
    /// The effective key above all of it; "FF" above all.
    var upper: String
    /// The ranges it came from, the oldest first.
    var parents: [String] = []

    /// Whether it has this effective key.
    func contains(_ key: String) -> Bool { lower <= key && key < upper }

    /// Bounds that divide all keys evenly.
    static func bounds(count: Int, version: Int) -> [String] {
        let inner = (1..<count).map { index in
            if version == 1 {
                return EffectiveKey.firstVersion(
                    hash: (Double(UInt32.max) * Double(index) / Double(count)).rounded())
            }
            return padded((1 << 126) / UInt128(count) * UInt128(index) - 1)
        }
        return [""] + (count > 1 ? inner : []) + ["FF"]
    }

    /// The bound in the middle of the range.
    func middle(version: Int) -> String {
        if version == 1 {
            let low = lower.isEmpty ? 0 : EffectiveKey.hash(ofFirstVersion: lower)
            let high =
                upper == "FF" ? Double(UInt32.max) : EffectiveKey.hash(ofFirstVersion: upper)
            return EffectiveKey.firstVersion(hash: ((low + high) / 2).rounded())
        }
        let low = Self.number(lower)
        let high = Self.number(upper == "FF" ? "40" : upper)
        return Self.padded(low + (high - low) / 2)
    }

    /// The first 32 digits of a bound as a number.
    private static func number(_ bound: String) -> UInt128 {
        let digits = bound.prefix(32)
        let text = digits + String(repeating: "0", count: 32 - digits.count)
        return UInt128(text, radix: 16) ?? 0
    }

    private static func padded(_ number: UInt128) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
