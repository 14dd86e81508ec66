import ArgumentParser

/// Whether a server answers CouchDB's protocol, and what it may replicate with.
struct ServeCouchOptions: ParsableArguments {
    @Option(
        name: .customLong("couchdb-port"), parsing: .unconditional,
        help: ArgumentHelp(
            """
            Serve databases in CouchDB's protocol as well, on this port; 0 takes a free one. They lie \
            in the folder 'couchdb' of --directory, for the same tokens and rules.
            """, valueName: "port"),
        transform: CountArgument.port(parsing:))
    var port: UInt16?

    @Option(
        name: .customLong("couchdb-replication-host"),
        help: ArgumentHelp(
            """
            Let administrators replicate databases with this host, NAME or NAME:PORT, by '_replicate'; \
            repeatable. Without it the server begins no replication.
            """, valueName: "host"))
    var replicationHosts: [String] = []

    /// Refuses what does not go together.
    ///
    /// - Throws: `ValidationError`.
    func check(_ directory: String?) throws {
        guard port == nil || directory != nil else {
            throw ValidationError("--couchdb-port needs --directory.")
        }
        guard replicationHosts.isEmpty || port != nil else {
            throw ValidationError(
                "--couchdb-replication-host is for --couchdb-port, which is not given.")
        }
        guard !replicationHosts.contains(where: { $0.isEmpty || $0.contains("/") }) else {
            throw ValidationError(
                "--couchdb-replication-host takes a name, or a name and a port: couch.example.org:5984."
            )
        }
    }
}
