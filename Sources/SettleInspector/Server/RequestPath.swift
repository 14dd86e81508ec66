/// What the path of an address names.
enum RequestPath: Equatable {
    /// The list of databases, or the way to the only one.
    case home
    /// What the server of the tables has counted.
    case server
    /// Where a token is exchanged for a session, under a path of a server.
    case entry
    /// Where a session is ended.
    case exit
    /// A style sheet or script.
    case asset(String)
    /// A page of a database, or something that is done there.
    case page(database: String, String)

    /// Reads a path; nil when a part of it is malformed.
    ///
    /// What leads up is a name like any other.
    init?(_ path: String) {
        var parts: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            guard let name = Percent.decoded(part) else { return nil }
            parts.append(name)
        }
        switch (parts.first, parts.count) {
        case (nil, _): self = .home
        case ("server", 1): self = .server
        case ("enter", 1): self = .entry
        case ("leave", 1): self = .exit
        case ("assets", 2): self = .asset(parts[1])
        case ("d", 3...4): self = .page(database: parts[1], parts[2...].joined(separator: "/"))
        default: self = .asset("")
        }
    }
}
