import Settle

/// Answers requests for one database.
struct CouchDatabaseResponder: Sendable {
    let database: CouchDatabase
    let surroundings: CouchFeed.Surroundings
    /// Whether the connection has TLS.
    var isSecure = false

    /// The answer to a request, by what of its path follows the database.
    func answer(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        guard let first = path.first else { return try await whole(request) }
        if first == "_local" || first.hasPrefix("_local/") {
            let id = (first == "_local" ? path.dropFirst() : path[...]).joined(separator: "/")
            return try await local(request, first == "_local" ? id : String(id.dropFirst(7)))
        }
        if first == "_design" || first.hasPrefix("_design/") {
            let name = first == "_design" ? [] : [String(first.dropFirst(8))]
            return try await design(request, name + path.dropFirst())
        }
        if first == "_index" { return try await index(request, Array(path.dropFirst())) }
        if path.count == 2, path[1] == "queries", Self.lists.contains(first) {
            return try await lists(request, first)
        }
        if first.hasPrefix("_"), path.count == 1 { return try await special(request, first) }
        if path.count > 1 {
            return try await attachment(
                request, first, path.dropFirst().joined(separator: "/"))
        }
        return try await document(request, first)
    }

    private func whole(_ request: CouchRequest) async throws -> CouchResponse {
        switch request.method {
        case "GET", "HEAD": return .json(200, try database.information())
        case "POST":
            try request.checkIsJSON()
            let input = try CouchInput(text: request.body)
            let id = input.id ?? CouchDatabase.newIdentifier()
            return made(request, id, try await database.put(input, id))
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,POST,PUT")
        }
    }

    /// The answer to a request that stored a document, or an attachment of it, which says where that is.
    func made(
        _ request: CouchRequest, _ id: String, _ revision: String, attachment: [String] = []
    ) -> CouchResponse {
        Self.stored(id, revision).with(
            "Location", request.location([database.name, id] + attachment, isSecure: isSecure))
    }

    static func stored(_ id: String, _ revision: String, status: Int = 201) -> CouchResponse {
        CouchResponse.json(
            status, ["ok": true, "id": .string(id), "rev": .string(revision)]
        ).with("ETag", "\"\(revision)\"")
    }

    /// What special names are asked by.
    private static let methods = [
        "_all_docs": "GET,HEAD,POST", "_design_docs": "GET,HEAD,POST",
        "_local_docs": "GET,HEAD,POST", "_changes": "GET,HEAD,POST", "_bulk_docs": "POST",
        "_bulk_get": "POST", "_revs_diff": "POST", "_missing_revs": "POST",
        "_ensure_full_commit": "POST", "_compact": "POST", "_view_cleanup": "POST",
        "_purge": "POST", "_find": "POST", "_explain": "POST", "_revs_limit": "GET,PUT",
        "_security": "GET,PUT",
    ]

    /// The lists that take several questions at once.
    private static let lists = ["_all_docs", "_design_docs", "_local_docs"]

    private func lists(_ request: CouchRequest, _ name: String) async throws -> CouchResponse {
        guard request.method == "POST" else { throw CouchError.notAllowed("POST") }
        try request.checkIsJSON()
        guard let queries = try request.object()["queries"]?.arrayValue else {
            throw CouchError.badRequest("POST body must include `queries` parameter.")
        }
        let answers = try queries.map { query in
            var one = request
            one.body = JSONText.text(of: query)
            return try list(try CouchListing(one), name)
        }
        return try await .pieces(CouchPieces(answers: answers))
    }

    /// A list of documents, of designs or of local ones.
    private func list(_ listing: CouchListing, _ name: String) throws -> CouchPieces {
        switch name {
        case "_design_docs":
            return CouchPieces([.text(try database.designDocuments(listing) + [0x0A])])
        case "_local_docs":
            let text = JSONText.text(of: try database.localDocuments(listing))
            return CouchPieces([.text(text + [0x0A])])
        default: return database.allDocuments(listing)
        }
    }

    private func special(_ request: CouchRequest, _ name: String) async throws -> CouchResponse {
        if request.method == "POST", Self.methods[name]?.hasSuffix("POST") ?? false {
            try request.checkIsJSON()
        }
        switch (name, request.method == "HEAD" ? "GET" : request.method) {
        case (let name, "GET") where Self.lists.contains(name),
            (let name, "POST") where Self.lists.contains(name):
            return try await .pieces(try list(try CouchListing(request), name))
        case ("_changes", "GET"), ("_changes", "POST"):
            return try await database.feed(try CouchChangesQuery(request), in: surroundings)
        case ("_bulk_docs", "POST"):
            return .json(201, try await database.putAll(request.body))
        case ("_bulk_get", "POST"):
            return try await .pieces(
                database.bulkGet(try request.object(), try CouchDocumentOptions(request)))
        case ("_revs_diff", "POST"), ("_missing_revs", "POST"):
            return .text(
                200,
                try database.difference(try request.object(), isFull: name == "_revs_diff"))
        case ("_ensure_full_commit", "POST"):
            return .json(201, ["ok": true, "instance_start_time": "0"])
        case ("_compact", "POST"), ("_view_cleanup", "POST"):
            guard database.isAdministered else { throw CouchError.notAdmin }
            if name == "_compact" { _ = try await database.database.compact() }
            return .json(202, ["ok": true])
        case ("_revs_limit", "GET"):
            let limit = try database.database.read { try $0.revisionLimit }
            return .json(200, .integer(Int64(limit)))
        case ("_revs_limit", "PUT"):
            guard database.isAdministered else { throw CouchError.notAdmin }
            guard let limit = try CouchJSON.value(request.body).integerValue, limit > 0 else {
                throw CouchError.badRequest("Rev limit has to be an integer")
            }
            try await database.database.write {
                try $0.setRevisionLimit(Int(clamping: limit))
            }
            return .json(200, ["ok": true])
        case ("_security", "GET"): return .json(200, try database.security())
        case ("_security", "PUT"):
            guard database.isAdministered else { throw CouchError.notAdmin }
            try await database.setSecurity(try request.object())
            return .json(200, ["ok": true])
        case ("_purge", "POST"):
            guard database.user.isAdministrator else { throw CouchError.notServerAdmin }
            return .json(201, try await database.purge(try request.object()))
        case ("_find", "POST"):
            return .text(200, try await database.find(try CouchFindQuery(try request.object())))
        case ("_explain", "POST"):
            return .json(200, try database.explanation(try CouchFindQuery(try request.object())))
        case ("_temp_view", _):
            throw CouchError(410, "gone", "Temporary views are not supported in CouchDB")
        case (let name, _) where Self.methods[name] != nil:
            throw CouchError.notAllowed(Self.methods[name] ?? "")
        case (_, "PUT"):
            throw CouchError.illegalId("Only reserved document ids may start with underscore.")
        default: throw CouchError.missing
        }
    }

    private func local(_ request: CouchRequest, _ id: String) async throws -> CouchResponse {
        let whole = "_local/" + id
        switch request.method {
        case "GET", "HEAD":
            guard let found = try database.local(id) else { throw CouchError.missing }
            return .json(200, found)
        case "PUT":
            var input = try CouchInput(text: request.body)
            input.revision = request["rev"] ?? input.revision
            return Self.stored(whole, try await database.putLocal(id, input))
        case "DELETE":
            try await database.deleteLocal(id)
            return Self.stored(whole, "0-0", status: 200)
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,PUT")
        }
    }
}
