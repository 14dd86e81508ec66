import ArgumentParser
import Foundation
import SettleServer

/// The token that a server is shown.
struct TokenArgument: ParsableArguments {
    /// The environment variable that holds a token.
    static let variable = "SETTLE_TOKEN"

    @Option(
        help: ArgumentHelp(
            """
            A file with the token to show. Without it the environment variable \(variable) is used, \
            and without that no token.
            """, valueName: "file"),
        completion: .file())
    var tokenFile: String?

    /// The token; nil for none.
    ///
    /// - Throws: When the file cannot be read.
    func token() throws -> String? {
        if let tokenFile { return try SecretFile.read(tokenFile) }
        let token = ProcessInfo.processInfo.environment[Self.variable]
        return token.flatMap { $0.isEmpty ? nil : $0 }
    }
}
