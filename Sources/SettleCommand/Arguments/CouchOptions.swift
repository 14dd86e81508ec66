import ArgumentParser
import Foundation
import SettleServer

/// The name and the password, or the token, for a database of CouchDB's protocol.
struct CouchCredentials: ParsableArguments {
    /// The environment variable that holds a password.
    static let variable = "SETTLE_COUCHDB_PASSWORD"

    @Option(
        help: ArgumentHelp(
            "The name to show, with a password.", valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp(
            """
            A file with the password for --user. Without it the environment variable \(variable) is \
            used.
            """, valueName: "file"),
        completion: .file())
    var passwordFile: String?

    /// The password; nil without a name.
    ///
    /// - Throws: `CommandFailure` when there is none; when the file cannot be read.
    func password() throws -> String? {
        guard user != nil else { return nil }
        if let passwordFile { return try SecretFile.read(passwordFile) }
        let password = ProcessInfo.processInfo.environment[Self.variable]
        guard let password, !password.isEmpty else {
            throw CommandFailure(
                "--user needs a password: give a file by --password-file, or set "
                    + "\(Self.variable).")
        }
        return password
    }
}

/// What a replication with a database of CouchDB's protocol needs to be told beside its address.
struct CouchOptions: ParsableArguments {
    @OptionGroup var credentials: CouchCredentials

    @Flag(help: "Make the database there when it is missing.")
    var createDatabase = false

    @Option(
        help: ArgumentHelp(
            "Fetch only documents that fulfil this condition in Mango, a JSON object.",
            valueName: "json"))
    var selector: String?

    /// Whether nothing was given.
    var isEmpty: Bool {
        credentials.user == nil && credentials.passwordFile == nil && !createDatabase
            && selector == nil
    }
}
