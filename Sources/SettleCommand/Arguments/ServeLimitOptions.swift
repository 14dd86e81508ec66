import ArgumentParser
import Configuration
import SettleServer

/// What a server takes at most.
struct ServeLimitOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The largest document to take, in bytes. (default: 20971520)", valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var bodyMax: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The largest content of an attachment to take, in bytes. (default: 268435456)",
            valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var attachmentMax: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How much memory the bodies of requests may take together, in bytes. (default: 67108864)",
            valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var bodyMemory: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How much memory answers may take together until they are sent, in bytes. (default: \
            75497472)
            """, valueName: "bytes"),
        transform: CountArgument.positive(parsing:))
    var answerMemory: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most items of one page. (default: 1000)", valueName: "number"),
        transform: CountArgument.positive(parsing:))
    var pageMax: CountArgument?

    @Option(
        parsing: .unconditional,
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
            "How many connections at once; more wait until one ends. (default: 1024)",
            valueName: "number"),
        transform: CountArgument.positive(parsing:))
    var connectionsMax: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long a connection may be silent: seconds, or 15m, 2h. (default: 75s)",
            valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var idleMax: DurationArgument?

    /// The settings that were given.
    var settings: [ServerSetting: ConfigContent?] {
        [
            .bodyMax: bodyMax.map { .int($0.count) },
            .attachmentMax: attachmentMax.map { .int($0.count) },
            .bodyMemory: bodyMemory.map { .int($0.count) },
            .answerMemory: answerMemory.map { .int($0.count) },
            .pageMax: pageMax.map { .int($0.count) }, .rate: rate.map { .double($0) },
            .burst: burst.map { .int($0.count) },
            .connectionsMax: connectionsMax.map { .int($0.count) },
            .idleMax: idleMax.map { .string("\($0.duration.components.seconds)s") },
        ]
    }
}
