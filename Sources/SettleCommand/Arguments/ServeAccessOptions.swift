import ArgumentParser
import Foundation
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
        help: """
            Let everybody in, without tokens. With keys or a secret besides, only where --rules say \
            so.
            """)
    var anonymous = false

    /// How the server knows who sends a request.
    ///
    /// - Throws: `ValidationError` for options that do not go together; ``CommandFailure`` when the
    ///   file of the secret cannot be read.
    func authentication() throws -> Authentication {
        if jwks != nil, secretOptions.secretFile != nil {
            throw ValidationError("--jwks and --secret-file exclude each other.")
        }
        let hasKeys = jwks != nil || secretOptions.secretFile != nil
        if anonymous, !hasKeys {
            guard issuer == nil, audience == nil else {
                throw ValidationError(
                    "--issuer and --audience are about tokens, which --anonymous alone does not look "
                        + "at; give --jwks or --secret-file too.")
            }
            return .anonymous
        }
        guard !anonymous || rules != nil else {
            throw ValidationError(
                "--anonymous beside --jwks or --secret-file needs --rules that say what those "
                    + "without a token may do.")
        }
        let authentication = try keys().expecting(issuer: issuer, audience: audience)
        return anonymous ? authentication.allowingAnonymous() : authentication
    }

    /// The rules; nil when none are named.
    ///
    /// - Throws: `ServerError` with the line and the column of what is wrong in the file.
    func accessRules() throws -> AccessRules? {
        try rules.map { try AccessRules(contentsOf: URL(fileURLWithPath: $0)) }
    }

    /// What the one who started the server should know.
    var summary: String {
        switch (anonymous, rules) {
        case (true, nil): "Everybody may read and write."
        case (true, _?): "The rules say what is whose, also without a token."
        case (false, nil): "Clients need a token."
        case (false, _?): "Clients need a token, and the rules say what is whose."
        }
    }

    private func keys() throws -> Authentication {
        if let jwks {
            guard jwks.contains("://") else {
                return .jwt(keySetFile: URL(fileURLWithPath: jwks))
            }
            guard let url = URL(string: jwks) else {
                throw ValidationError("'\(jwks)' is no address.")
            }
            return .jwt(keySetURL: url)
        }
        guard let secret = try secretOptions.secret() else {
            throw ValidationError(
                "Say how clients show who they are: with tokens (--secret-file, --jwks, or "
                    + "\(SecretOptions.variable) in the environment) or not at all (--anonymous).")
        }
        return .jwt(secret: secret)
    }
}
