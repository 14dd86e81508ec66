/// How long the process has known of time: what intervals are measured with that no clock may set back.
enum Uptime {
    private static let start = ContinuousClock.now

    /// The time since the first call.
    static let elapsed: @Sendable () -> Duration = { ContinuousClock.now - start }
}
