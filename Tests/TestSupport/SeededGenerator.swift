/// Random numbers that can be had again: the same seed gives the same numbers on every machine.
///
/// Put it into the failure message (`"\(generator)"` names the seed). To run a test again with the
/// seed it failed with, give that seed to `init(seed:)`.
///
/// > Source: the mixing function is SplitMix64 (Steele, Lea and Flood, "Fast Splittable
/// > Pseudorandom Number Generators", 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable, CustomStringConvertible {
    /// What the generator began with.
    package let seed: UInt64
    private var state: UInt64

    /// Begins with this seed.
    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Begins with a seed that nobody chose; print the generator where a test fails.
    package init() {
        self.init(seed: UInt64.random(in: .min ... .max))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package var description: String { "seed 0x\(String(seed, radix: 16))" }
}
