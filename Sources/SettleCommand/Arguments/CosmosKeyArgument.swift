import ArgumentParser
import Foundation
import SettleServer

/// The key of an account of Cosmos DB.
struct CosmosKeyArgument: ParsableArguments {
    /// The environment variable that holds a key.
    static let variable = "SETTLE_COSMOS_KEY"

    @Option(
        help: ArgumentHelp(
            """
            A file with the key of the account. Without it the environment variable \(variable) is \
            used.
            """, valueName: "file"),
        completion: .file())
    var cosmosKeyFile: String?

    /// The key, in Base64.
    ///
    /// - Throws: `CommandFailure` when there is none; when the file cannot be read.
    func key() throws -> String {
        if let cosmosKeyFile { return try SecretFile.read(cosmosKeyFile) }
        let key = ProcessInfo.processInfo.environment[Self.variable]
        guard let key, !key.isEmpty else {
            throw CommandFailure(
                "A collection of Cosmos DB needs the key of its account: give a file by "
                    + "--cosmos-key-file, or set \(Self.variable).")
        }
        return key
    }
}
