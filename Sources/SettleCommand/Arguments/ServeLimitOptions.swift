import ArgumentParser
import SettleServer

/// What a server takes at most.
struct ServeLimitOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The largest document to take, in bytes.", valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var bodyMax = CountArgument(20 << 20)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The largest content of an attachment to take, in bytes.", valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var attachmentMax = CountArgument(256 << 20)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How much memory the bodies of requests may take together, in bytes.",
            valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var bodyMemory = CountArgument(64 << 20)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How much memory answers may take together until they are sent, in bytes.",
            valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var answerMemory = CountArgument(72 << 20)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most items of one page.", valueName: "number"),
        transform: CountArgument.positive(parsing:))
    var pageMax = CountArgument(1_000)

    @Option(
        help: ArgumentHelp(
            """
            How many requests a second each sender may make, on and on: each subject of a token, \
            and without one each address. Without this there is no limit.
            """, valueName: "number"))
    var rate: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many requests at once after a pause; with --rate.", valueName: "number"),
        transform: CountArgument.positive(parsing:))
    var burst: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many connections at once; more wait until one ends.", valueName: "number"),
        transform: CountArgument.positive(parsing:))
    var connectionsMax = CountArgument(1_024)

    @Option(
        help: ArgumentHelp(
            "How long a connection may be silent: seconds, or 15m, 2h.", valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var idleMax = DurationArgument(.seconds(75))

    func validate() throws {
        guard burst == nil || rate != nil else {
            throw ValidationError("--burst is part of the limit that --rate sets; give both.")
        }
    }

    /// Sets the limits.
    func apply(to configuration: inout ServerConfiguration) {
        configuration.bodyMaxBytes = bodyMax.count
        configuration.attachmentMaxBytes = attachmentMax.count
        configuration.bodyMemoryMaxBytes = bodyMemory.count
        configuration.answerMemoryMaxBytes = answerMemory.count
        configuration.topMax = pageMax.count
        // A page without $top has up to 100 items, which a low limit must not forbid.
        if pageMax.count < 100 { configuration.pageSizeDefault = min(pageMax.count, 50) }
        configuration.rateLimit = rate.map { RateLimit(requestsPerSecond: $0, burst: burst?.count) }
        configuration.connectionsMax = connectionsMax.count
        configuration.idleTimeout = idleMax.duration
    }
}
