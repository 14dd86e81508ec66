import SettleSync

/// The remote that a configuration names by the form of its URL.
enum ConfiguredRemote {
    case table(AzureTablesBackend)
    case couch(CouchBackend)

    /// - Throws: ``ReplicationError`` with `misconfigured` when the URL or an option is wrong.
    init(_ configuration: ReplicationConfiguration) throws(ReplicationError) {
        if CouchBackend.isAddress(configuration.url) {
            self = .couch(try CouchBackend(configuration))
        } else {
            self = .table(try AzureTablesBackend(configuration))
        }
    }

    /// The table that a configuration names.
    ///
    /// - Throws: ``ReplicationError`` with `misconfigured` also for a remote of another kind.
    static func table(
        of configuration: ReplicationConfiguration
    ) throws(ReplicationError) -> AzureTablesBackend {
        guard case .table(let backend) = try ConfiguredRemote(configuration) else {
            throw ReplicationError(
                .misconfigured,
                "This is for tables of servers alone; a database of CouchDB's protocol replicates as a "
                    + "whole, by itself or beside others.")
        }
        return backend
    }
}
