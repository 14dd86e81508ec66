import ArgumentParser
import Settle
import SettleServer

/// `settle token`: a signed token, for trying out a server.
struct TokenCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Sign a token for a server, to try it out.",
        discussion: """
            The server accepts it when both have the same secret. In earnest, tokens are signed by \
            the service that knows your users; this command is for the road there.

            With --channel the token is limited: its bearer sees the documents that are in at least \
            one of these channels, and may write those that are in no others. Without --channel the \
            token is not limited.

            With --claim the token says more, for servers with --rules, --issuer or --audience.

            The token is all that is printed, so that a shell can take it. With --json it is the \
            member "token" of an object.

            Examples:
              openssl rand -hex 32 > secret
              settle token --secret-file secret --channel continent-EU > token
              settle token --secret-file secret --claim region=north --claim 'roles:=["driver"]'
              settle sync ./shop http://127.0.0.1:8080/tables/items --token-file token
            """)

    @OptionGroup var secretOptions: SecretOptions

    @Option(
        help: ArgumentHelp(
            "A channel to limit the token to; may be given often.", valueName: "name"))
    var channel: [String] = []

    @Option(
        help: ArgumentHelp(
            "A claim, name=text, or name:=json for what is no string; may be given often.",
            valueName: "name=value"),
        transform: ClaimArgument.init(parsing:))
    var claim: [ClaimArgument] = []

    @Option(help: ArgumentHelp("Whom the token is for.", valueName: "name"))
    var subject = "settle"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long the token is good for: seconds, or 15m, 2h, 7d.", valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var expiresIn = DurationArgument(.seconds(3_600))

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        let names = claim.map(\.name)
        guard Set(names).count == names.count else {
            throw ValidationError("A claim is given twice; for several values write name:=[...].")
        }
    }

    func perform() async throws {
        guard let secret = try secretOptions.secret() else {
            throw ValidationError(
                "There is no secret: give --secret-file, or set \(SecretOptions.variable).")
        }
        let token = try await TableServer.token(
            secret: secret, subject: subject, channels: channel.isEmpty ? nil : channel,
            claims: Dictionary(uniqueKeysWithValues: claim.map { ($0.name, $0.value) }),
            expiresIn: expiresIn.duration)
        let output = Output()
        try output.line(json ? JSONRendering.compact(["token": .string(token)]) : token)
        try output.flush()
    }
}
