import ArgumentParser
import Foundation
import SettleHosting
import SettleREST
import SettleSync

/// The database of CouchDB's protocol that a database replicates with.
enum CouchRemote {
    /// Whether a text is meant to be the address of such a database.
    static func isAddress(_ text: String) -> Bool {
        URL(string: text).map { CouchBackend.isAddress($0) } ?? false
    }

    /// A configuration for the database at an address.
    ///
    /// - Throws: `ValidationError` when the text is no address of a database, or an option is wrong.
    static func configuration(
        parsing text: String, isRepeating: Bool = false, channels: [String] = [],
        token: String? = nil, _ credentials: CouchCredentials? = nil,
        options given: CouchOptions? = nil
    ) throws -> ReplicationConfiguration {
        typealias Name = CouchBackend.OptionName
        guard let url = URL(string: text) else {
            throw ValidationError(
                "'\(text)' is no address. Write couchdb+http(s)://HOST[:PORT]/DATABASE.")
        }
        var options: [String: any Sendable] = [
            // Foundation's own client ends the process on Linux when an answer breaks off in its head.
            Name.transport: AsyncHTTPClientTransport(),
            Name.createsDatabase: given?.createDatabase ?? false,
        ]
        if let credentials, let user = credentials.user {
            options[Name.user] = user
            options[Name.password] = try credentials.password()
        } else if let token {
            options[Name.token] = token
        }
        if let selector = given?.selector { options[Name.selector] = selector }
        let configuration = ReplicationConfiguration(
            url: url, isRepeating: isRepeating, options: options, limitToChannels: channels)
        do {
            _ = try CouchBackend(configuration)
        } catch {
            throw ValidationError(error.message)
        }
        return configuration
    }
}
