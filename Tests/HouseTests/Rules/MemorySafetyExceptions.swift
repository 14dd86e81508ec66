extension MemorySafetyRule {
    /// The files outside SettleLMDB that hold unsafe code, each with its reason.
    static let exceptions: [Exception] = []
}
