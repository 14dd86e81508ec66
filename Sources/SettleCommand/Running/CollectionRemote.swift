import ArgumentParser
import Foundation
import SettleCosmos
import SettleHosting
import SettleSync

/// The collection of Cosmos DB that a database replicates with.
enum CollectionRemote {
    /// Whether a text is meant to be the address of a collection, and not of a table.
    static func isAddress(_ text: String) -> Bool {
        guard let path = URLComponents(string: text)?.path else { return false }
        let names = path.split(separator: "/")
        return names.first == "dbs" && !names.contains("tables")
    }

    /// A configuration for the collection at an address.
    ///
    /// - Throws: `ValidationError` when the text is no address of a collection.
    static func configuration(
        parsing text: String, isRepeating: Bool = false, channels: [String] = []
    ) throws -> ReplicationConfiguration {
        guard let url = URL(string: text) else {
            throw ValidationError(
                "'\(text)' is no address. Write https://HOST/dbs/DATABASE/colls/COLLECTION.")
        }
        _ = try identifier(of: url)
        return ReplicationConfiguration(
            url: url, isRepeating: isRepeating, limitToChannels: channels)
    }

    /// What the database calls the collection at an address.
    ///
    /// - Throws: `ValidationError` when it is no address of a collection.
    static func identifier(of url: URL) throws -> String {
        do {
            return try CosmosBackend.identifier(of: url)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The collection at an address.
    ///
    /// - Throws: `CommandFailure` when the key is none.
    static func backend(
        _ url: URL, key: String, isReadOnly: Bool = false, deletesAtOnce: Bool = false,
        namesPartitions: Bool = false
    ) throws -> CosmosBackend {
        let master: Cosmos.MasterKey
        do {
            master = try Cosmos.MasterKey(key)
        } catch {
            throw CommandFailure(error.message)
        }
        return try CosmosBackend(
            url: url, credentials: .masterKey(master, mode: isReadOnly ? .read : .all),
            transport: AsyncHTTPClientTransport(), deletion: deletesAtOnce ? .hard : .soft(),
            identifiers: namesPartitions ? .idAndPartition : .id)
    }
}
