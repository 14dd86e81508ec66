import ArgumentParser
import Foundation
import SettleHosting
import SettleREST
import SettleSync

/// The table of a server that a database replicates with.
enum TableRemote {
    /// A configuration for the table at an address, with the token to show there.
    ///
    /// - Throws: `ValidationError` when the text is no address of a table.
    static func configuration(
        parsing text: String, token: String?, isRepeating: Bool = false,
        direction: ReplicationDirection = .bidirectional, channels: [String] = [],
        dialect: DialectArgument? = nil, carriesAttachments: Bool? = nil,
        asking query: TableQueryOptions? = nil
    ) throws -> ReplicationConfiguration {
        guard let url = URL(string: text) else {
            throw ValidationError(
                "'\(text)' is no address. Write http(s)://HOST[:PORT]/tables/NAME, for example "
                    + "http://127.0.0.1:8080/tables/items.")
        }
        var options = options(token: token)
        // Foundation's own client ends the process on Linux when an answer breaks off in its head.
        options[AzureTablesBackend.OptionName.transport] = AsyncHTTPClientTransport()
        if let dialect { options[AzureTablesBackend.OptionName.dialect] = dialect.dialect }
        if let carriesAttachments {
            options[AzureTablesBackend.OptionName.carriesAttachments] = carriesAttachments
        }
        query?.add(to: &options)
        var configuration = ReplicationConfiguration(
            url: url, isRepeating: isRepeating, options: options, limitToChannels: channels)
        configuration.direction = direction
        do {
            _ = try AzureTablesBackend(configuration)
        } catch {
            throw ValidationError(error.message)
        }
        return configuration
    }

    /// What the database calls the remote of a configuration.
    ///
    /// - Throws: `ReplicationError` when the configuration names none.
    static func identifier(of configuration: ReplicationConfiguration) throws -> String {
        try AzureTablesBackend(configuration).identifier
    }

    /// The options of a replication that shows a token.
    static func options(token: String?) -> [String: any Sendable] {
        token.map { [AzureTablesBackend.OptionName.token: $0] } ?? [:]
    }
}
