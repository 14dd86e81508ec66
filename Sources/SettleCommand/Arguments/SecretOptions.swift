import ArgumentParser
import Foundation
import SettleServer

/// Where the secret that tokens are signed with comes from.
struct SecretOptions: ParsableArguments {
    /// The environment variable that is read when no file is named.
    static let variable = "SETTLE_JWT_SECRET"

    /// A file with the secret.
    @Option(
        help: ArgumentHelp(
            """
            A file that holds the secret for tokens, at least 32 bytes. Without it the environment \
            variable \(variable) is used. Make one with: openssl rand -hex 32 > secret
            """, valueName: "file"),
        completion: .file())
    var secretFile: String?

    /// The secret; nil when neither a file nor the variable gives one.
    ///
    /// - Parameter environment: The environment of the process.
    /// - Returns: The secret as it stands there, without white space around it.
    /// - Throws: `ServerError` when the file cannot be read or holds no text.
    func secret(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String? {
        if let secretFile { return try SecretFile.read(secretFile) }
        return environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
