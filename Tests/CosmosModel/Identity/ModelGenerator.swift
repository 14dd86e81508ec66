/// The numbers of which the model makes identifiers and etags: the same seed, the same numbers.
///
/// > Source: the mixing function is SplitMix64 (Steele, Lea and Flood, "Fast Splittable
/// > Pseudorandom Number Generators", 2014).
package struct ModelGenerator: Sendable {
    private var state: UInt64

    /// Begins with a seed.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A text in the form of a UUID.
    package mutating func uuid() -> String {
        let digits = Self.hex(next()) + Self.hex(next())
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
