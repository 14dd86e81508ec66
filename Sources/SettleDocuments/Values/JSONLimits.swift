/// How large and how deep a JSON document may be.
///
/// The limits hold for text and for the packed form alike, so that what can be written can be
/// read again.
public struct JSONLimits: Sendable, Hashable {
    /// How many arrays and objects may stand inside one another; `[]` alone counts as one.
    public var depthMax: Int

    /// How many bytes the text, and the packed form made from it, may have.
    public var sizeMax: Int

    /// The limits Settle uses when nothing else is said: depth 512, 20 MiB.
    public static let `default` = JSONLimits()

    /// Limits of your own.
    ///
    /// - Parameters:
    ///   - depthMax: 1 through 512. Reading is recursive, and deeper nesting could exhaust the
    ///     stack of a thread.
    ///   - sizeMax: 1 byte through 1 GiB. The packed form counts in 32 bits.
    /// - Precondition: Both lie in their ranges.
    public init(depthMax: Int = 512, sizeMax: Int = 20 << 20) {
        precondition((1...512).contains(depthMax), "JSONLimits.depthMax must be 1 through 512.")
        precondition(
            (1...(1 << 30)).contains(sizeMax), "JSONLimits.sizeMax must be 1 byte through 1 GiB.")
        self.depthMax = depthMax
        self.sizeMax = sizeMax
    }
}
