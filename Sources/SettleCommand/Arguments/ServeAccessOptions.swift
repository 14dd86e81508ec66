import ArgumentParser
import Configuration
import SettleServer

/// Who may come to a server, and what is theirs.
struct ServeAccessOptions: ParsableArguments {
    @OptionGroup var secretOptions: SecretOptions

    @Option(
        help: ArgumentHelp(
            """
            The public keys that tokens are signed with, a JSON Web Key Set: a file, or an https \
            address that is asked now and then.
            """, valueName: "file or URL"),
        completion: .file())
    var jwks: String?

    @Option(help: ArgumentHelp("What the claim 'iss' of tokens must be.", valueName: "text"))
    var issuer: String?

    @Option(
        help: ArgumentHelp(
            "What the claim 'aud' of tokens must be, or have among others.", valueName: "text"))
    var audience: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file that says who may read and write which channels of which tables.",
            valueName: "file"),
        completion: .file())
    var rules: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Let everybody in, without tokens. With keys or a secret besides, only where --rules say \
            so.
            """)
    var anonymous: Bool?

    /// The settings that were given.
    var settings: [ServerSetting: ConfigContent?] {
        [
            .secretFile: secretOptions.secretFile.map { .string($0) },
            .jwks: jwks.map { .string($0) }, .issuer: issuer.map { .string($0) },
            .audience: audience.map { .string($0) }, .rules: rules.map { .string($0) },
            .anonymous: anonymous.map { .bool($0) },
        ]
    }
}
