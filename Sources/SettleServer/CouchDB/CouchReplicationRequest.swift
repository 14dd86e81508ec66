import Foundation
import Settle

/// A body of `_replicate`.
struct CouchReplicationRequest: Sendable {
    /// A database that replicates.
    enum Side: Sendable, Hashable {
        /// One of this server, by its name.
        case own(String)
        /// One at a URL without credentials.
        case remote(URL, CouchReplicationOrder.Credentials)

        /// The database, without credentials.
        var text: String {
            switch self {
            case .own(let name): name
            case .remote(let url, _): url.absoluteString
            }
        }

        /// The database as CouchDB names it in errors and lists.
        var shown: String { text.hasSuffix("/") ? text : text + "/" }
    }

    var source: Side?
    var target: Side?
    var isContinuous = false
    var isCancelled = false
    var createsTarget = false
    var documentIds: [String]?
    var selector: JSONValue?
    var filter: String?
    var parameters: [String: String] = [:]
    /// The replication that is to be cancelled, by its name.
    private var named: String?

    /// What ends the name of a replication that goes on.
    static let continuousSuffix = "+continuous"

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - authority: What the sender calls this server: a database at it is one of ours.
    /// - Throws: ``CouchError`` 400, and 501 for what no replication here can do.
    init(_ body: [String: JSONValue], authority: String?) throws(CouchError) {
        for name in ["since_seq", "winning_revs_only"] where body[name] ?? false != false {
            throw CouchError(
                501, "not_implemented", "A replication of this server knows no '\(name)'.")
        }
        isContinuous = body["continuous"]?.boolValue ?? false
        isCancelled = body["cancel"]?.boolValue ?? false
        createsTarget = body["create_target"]?.boolValue ?? false
        named = (body["replication_id"] ?? body["_local_id"] ?? body["id"])?.stringValue
        documentIds = body["doc_ids"]?.arrayValue?.compactMap(\.stringValue)
        if let given = body["selector"] { selector = given == [:] ? nil : given }
        filter = body["filter"]?.stringValue
        for (name, value) in body["query_params"]?.objectValue ?? [:] {
            parameters[name] =
                value.stringValue ?? String(decoding: JSONText.text(of: value), as: UTF8.self)
        }
        source = try body["source"].map { value throws(CouchError) in
            try Self.side(value, "source", authority)
        }
        target = try body["target"].map { value throws(CouchError) in
            try Self.side(value, "target", authority)
        }
        guard isCancelled && named != nil || source != nil && target != nil else {
            throw .badRequest("`source` and `target` fields are required.")
        }
    }

    private static func side(
        _ value: JSONValue, _ name: String, _ authority: String?
    ) throws(CouchError) -> Side {
        let malformed = CouchError.badRequest(
            "The \(name) is no name of a database, and no URL of one: http(s)://HOST[:PORT]/DATABASE."
        )
        guard let text = value.stringValue ?? value["url"]?.stringValue, !text.isEmpty else {
            throw malformed
        }
        guard text.contains("://") else { return .own(text) }
        guard var parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            ["http", "https"].contains(parts.scheme?.lowercased())
        else { throw malformed }
        let (user, password) = (parts.user, parts.password)
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        while parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath.removeLast() }
        let path = parts.percentEncodedPath.split(separator: "/")
        guard let last = path.last?.removingPercentEncoding, let url = parts.url else {
            throw malformed
        }
        if path.count == 1, let authority, CouchHost(authority, of: url) == CouchHost(url) {
            return .own(last)
        }
        let basic = value["auth"]?["basic"]
        let header = value["headers"]?.objectValue?.first { $0.key.lowercased() == "authorization" }
        let credentials: CouchReplicationOrder.Credentials
        if let user = basic?["username"]?.stringValue ?? user {
            let password = basic?["password"]?.stringValue ?? password ?? ""
            credentials = .password(name: user, password: password)
        } else if let text = header?.value.stringValue {
            guard let found = CouchReplicationOrder.Credentials(header: text) else {
                throw .badRequest("The header Authorization of the \(name) is not Basic or Bearer.")
            }
            credentials = found
        } else {
            credentials = .none
        }
        return .remote(url, credentials)
    }

    /// The name of the replication, which depends on what replicates, and not on who asks.
    var id: String {
        if let named {
            let suffix = Self.continuousSuffix
            return named.hasSuffix(suffix) ? String(named.dropLast(suffix.count)) : named
        }
        let parts: JSONValue = [
            .string(source?.text ?? ""), .string(target?.text ?? ""), .bool(isContinuous),
            .array((documentIds ?? []).map { .string($0) }), selector ?? .null,
            filter.map { .string($0) } ?? .null, .object(parameters.mapValues { .string($0) }),
        ]
        return String(ContentDigest(of: JSONText.text(of: parts)).description.prefix(32))
    }

    /// The order for a replicator.
    ///
    /// - Throws: ``CouchError`` 501 when documents are to be chosen of what is sent.
    func order(
        with remote: URL, _ credentials: CouchReplicationOrder.Credentials, isPull: Bool
    ) throws(CouchError) -> CouchReplicationOrder {
        guard isPull || documentIds == nil && selector == nil && filter == nil else {
            throw CouchError(
                501, "not_implemented",
                "Documents are chosen only where this server fetches them; let the target replicate."
            )
        }
        var order = CouchReplicationOrder(remote: remote, isPull: isPull)
        order.credentials = credentials
        order.isContinuous = isContinuous
        order.createsRemote = createsTarget && !isPull
        (order.documentIds, order.selector) = (documentIds, selector)
        (order.filter, order.parameters) = (filter, parameters)
        return order
    }
}

extension CouchReplicationOrder.Credentials {
    /// What a header `Authorization` holds; nil for a scheme that is not known.
    init?(header: String) {
        let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        let text = parts[1].trimmingSpaces
        switch parts[0].lowercased() {
        case "bearer": self = .token(text)
        case "basic":
            guard let data = Data(base64Encoded: text),
                let pair = String(validating: data, as: UTF8.self),
                let colon = pair.firstIndex(of: ":")
            else { return nil }
            self = .password(
                name: String(pair[..<colon]), password: String(pair[pair.index(after: colon)...]))
        default: return nil
        }
    }
}

/// A host and a port.
struct CouchHost: Hashable, Sendable {
    let name: String
    let port: Int?

    /// Reads `name` or `name:port`.
    init(_ authority: String) {
        let text = authority.lowercased()
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]"),
            let port = Int(text[text.index(after: colon)...])
        {
            (name, self.port) = (String(text[..<colon]), port)
        } else {
            (name, port) = (text, nil)
        }
    }

    /// Reads `name` or `name:port`; without a port it is the one that the scheme of a URL has.
    init(_ authority: String, of url: URL) {
        let host = CouchHost(authority)
        name = host.name
        port = host.port ?? Self.port(of: url)
    }

    private static func port(of url: URL) -> Int {
        url.scheme?.lowercased() == "https" ? 443 : 80
    }

    /// The host of a URL, with the port that the scheme has unless another is given.
    init(_ url: URL) {
        let host = url.host() ?? ""
        name = (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host).lowercased()
        port = url.port ?? Self.port(of: url)
    }

    /// Whether this, as it was allowed, is a host: one without a port is any port of it.
    func allows(_ host: CouchHost) -> Bool {
        name == host.name && (port == nil || port == host.port)
    }
}
