/// The numbers of this target, each with its unit and reason.
enum HostingTuning {
    /// The most bytes that an answer may unfold to when it comes compressed.
    ///
    /// Twice what any caller takes, which is checked besides; it bounds what one read can blow up
    /// to.
    static let decompressedSizeMax = 128 << 20
    /// How often a read follows a redirection, as browsers do.
    static let redirectionCountMax = 20
    /// The longest time-out, in milliseconds: a day; what lies above means "none".
    static let timeoutMax = 86_400_000.0
}
