import Foundation
import Settle

/// Answers requests of CouchDB's protocol over the databases of a directory.
///
/// It knows nothing of connections, so that whatever brings requests may use it.
struct CouchResponder: Sendable {
    let databases: CouchDatabases
    let authorization: CouchAuthorization
    let shutdown: ShutdownWatch
    let clock: any Clock<Duration>
    /// Whether cookies are for connections with TLS alone.
    let isSecure: Bool
    /// Who waits for changes.
    let liveReaders: LiveReaders
    /// What `_replicate` begins; nil for a server that begins nothing.
    let replications: CouchReplications?
    /// What tells this server from others.
    private let identifier = UUID().uuidString.lowercased()

    init(
        _ databases: CouchDatabases, authorization: CouchAuthorization = .none,
        shutdown: ShutdownWatch = ShutdownWatch(),
        clock: any Clock<Duration> = ContinuousClock(), isSecure: Bool = false,
        liveReaders: LiveReaders = LiveReaders(countMax: 512),
        replications: CouchReplications? = nil
    ) {
        self.databases = databases
        self.authorization = authorization
        self.shutdown = shutdown
        self.clock = clock
        self.isSecure = isSecure
        self.liveReaders = liveReaders
        self.replications = replications
    }

    /// The answer to a request; errors are answers, too.
    func respond(to request: CouchRequest) async -> CouchResponse {
        do {
            return try await answer(request)
        } catch {
            return .failure(error)
        }
    }

    private func answer(_ request: CouchRequest) async throws -> CouchResponse {
        guard let first = request.path.first else { return welcome }
        switch first {
        case "_up": return .json(200, ["status": "ok", "seeds": [:]])
        case "_session": return try await session(request)
        case "_uuids":
            let count = min(1_000, try request.number("count") ?? 1)
            let uuids = (0..<count).map { _ in JSONValue.string(CouchDatabase.newIdentifier()) }
            return .json(200, ["uuids": .array(uuids)])
        default: break
        }
        let user = try await authorization.user(of: request)
        if first.hasPrefix("_") { return try await server(request, first, user) }
        let identity = try authorization.identity(of: user, in: first)
        if request.path.count == 1 {
            switch request.method {
            case "PUT":
                guard user.isAdministrator else { throw CouchError.notServerAdmin }
                try await databases.create(first)
                return CouchResponse.json(201, ["ok": true]).with(
                    "Location", request.location([first], isSecure: isSecure))
            case "DELETE":
                guard request["rev"] == nil else { throw CouchError.noDocumentToDelete }
                guard user.isAdministrator else { throw CouchError.notServerAdmin }
                try await databases.delete(first)
                return .json(200, ["ok": true])
            default: break
            }
        }
        var database = try await databases.database(first)
        database.user = user
        database.identity = identity
        try database.admit()
        return try await CouchDatabaseResponder(
            database: database, surroundings: surroundings(user, identity, request.address),
            isSecure: isSecure
        ).answer(request, Array(request.path.dropFirst()))
    }

    private func surroundings(
        _ user: CouchUser, _ identity: Identity, _ address: String?
    ) -> CouchFeed.Surroundings {
        CouchFeed.Surroundings(
            clock: clock, shutdown: shutdown,
            timeLeft: identity.expires.map { expires in
                let seconds = expires - authorization.now().timeIntervalSince1970
                // A date may be as far away as it likes.
                return .seconds(max(0, min(seconds, 1e9)))
            }, isStillKnown: { [authorization] in await authorization.isStillKnown(user) },
            beginWaiting: { [liveReaders] in
                try liveReaders.begin(SenderKey(subject: user.name, address: address))
            })
    }

    private var welcome: CouchResponse {
        .json(
            200,
            [
                "couchdb": "Welcome", "version": "3.5.0", "uuid": .string(identifier),
                "features": [], "vendor": ["name": "Settle"],
            ])
    }

    private func server(
        _ request: CouchRequest, _ name: String, _ user: CouchUser
    ) async throws -> CouchResponse {
        switch (name, request.method == "HEAD" ? "GET" : request.method) {
        case ("_all_dbs", "GET"):
            guard user.isAdministrator else { throw CouchError.notServerAdmin }
            let names = try CouchListing(request).page(of: databases.names)
            return .json(200, .array(names.map { .string($0) }))
        case ("_all_dbs", _): throw CouchError.notAllowed("GET,HEAD")
        case ("_replicate", _), ("_scheduler", _), ("_active_tasks", _):
            return try await replications(request, user)
        default: throw CouchError.missing
        }
    }
}

// Sessions.

extension CouchResponder {
    private func session(_ request: CouchRequest) async throws -> CouchResponse {
        switch request.method {
        case "GET", "HEAD": return .json(200, try await session(of: request))
        case "POST":
            let (name, password) = try Self.credentials(in: request)
            let user = try await authorization.user(
                named: name, password: password, by: "cookie")
            guard case .object(var members) = user.context else { throw CouchError.missing }
            members["ok"] = true
            let answer = CouchResponse.json(200, .object(members))
            guard user.token != nil else { return answer }
            return answer.with(
                "Set-Cookie", authorization.cookie(for: user, isSecure: isSecure))
        case "DELETE":
            return CouchResponse.json(200, ["ok": true]).with(
                "Set-Cookie", authorization.cookie(for: nil, isSecure: isSecure))
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,POST")
        }
    }

    /// Who sends a request; a token that is none any more is nobody, and no error.
    private func session(of request: CouchRequest) async throws -> JSONValue {
        var user = CouchUser()
        do {
            user = try await authorization.user(of: request)
        } catch {
            let mayBeNobody = error.status == 401 && request.headers["authorization"] == nil
            if !mayBeNobody { throw error }
        }
        let handlers: [JSONValue] =
            authorization.authenticator == nil ? [] : ["cookie", "default", "jwt"]
        var information: [String: JSONValue] = ["authentication_handlers": .array(handlers)]
        if let handler = user.handler { information["authenticated"] = .string(handler) }
        return ["ok": true, "userCtx": user.context, "info": .object(information)]
    }

    /// Name and password, in a form or in JSON.
    private static func credentials(
        in request: CouchRequest
    ) throws -> (name: String, password: String) {
        let type = request.headers["content-type"] ?? ""
        guard !type.hasPrefix("application/json") else {
            let members = try request.object()
            return (
                (members["name"] ?? members["username"])?.stringValue ?? "",
                members["password"]?.stringValue ?? ""
            )
        }
        let form = CouchRequest("POST", "/?" + String(decoding: request.body, as: UTF8.self))
        return (form["name"] ?? form["username"] ?? "", form["password"] ?? "")
    }
}
