import ArgumentParser
import Foundation

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
    /// - Throws: ``CommandFailure`` when the file cannot be read or holds no text.
    func secret(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String? {
        if let secretFile { return try SecretFile.read(secretFile) }
        return environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A file that holds one line nobody else should see.
enum SecretFile {
    /// The text of a file without white space around it.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read or holds no text.
    static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("The file '\(path)' cannot be read. Is it there?")
        }
        let text = String(data: data, encoding: .utf8)?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, !text.isEmpty else {
            throw CommandFailure("The file '\(path)' holds no text.")
        }
        return text
    }
}
