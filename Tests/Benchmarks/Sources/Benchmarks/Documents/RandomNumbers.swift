/// A sequence of numbers that looks random and is the same for the same seed: SplitMix64.
///
/// The method is Sebastiano Vigna's public-domain one.
struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, a bound; the bias is of no account for small ones.
    mutating func number(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// One of several values.
    mutating func element<Element>(of values: [Element]) -> Element {
        values[number(below: values.count)]
    }
}
