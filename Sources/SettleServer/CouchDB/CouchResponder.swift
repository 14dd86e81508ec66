import Foundation
import Settle

/// Answers requests of CouchDB's protocol over the databases of a directory.
///
/// It knows nothing of connections, so that whatever brings requests may use it.
struct CouchResponder: Sendable {
    let databases: CouchDatabases
    let clock: any Clock<Duration>
    /// What tells this server from others.
    private let identifier = UUID().uuidString.lowercased()

    init(_ databases: CouchDatabases, clock: any Clock<Duration> = ContinuousClock()) {
        self.databases = databases
        self.clock = clock
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
        if first.hasPrefix("_") { return try server(request, first) }
        if request.path.count == 1 {
            switch request.method {
            case "PUT":
                try await databases.create(first)
                return .json(201, ["ok": true])
            case "DELETE":
                try await databases.delete(first)
                return .json(200, ["ok": true])
            default: break
            }
        }
        let database = try await databases.database(first)
        return try await CouchDatabaseResponder(database: database, clock: clock)
            .answer(request, Array(request.path.dropFirst()))
    }

    private var welcome: CouchResponse {
        .json(
            200,
            [
                "couchdb": "Welcome", "version": "3.5.0", "uuid": .string(identifier),
                "features": [], "vendor": ["name": "Settle"],
            ])
    }

    private func server(_ request: CouchRequest, _ name: String) throws -> CouchResponse {
        switch (name, request.method) {
        case ("_up", _): return .json(200, ["status": "ok", "seeds": [:]])
        case ("_all_dbs", "GET"):
            return .json(200, .array(try databases.names.map { .string($0) }))
        case ("_uuids", "GET"):
            let count = min(1_000, try request.number("count") ?? 1)
            let uuids = (0..<count).map { _ in JSONValue.string(CouchDatabase.newIdentifier()) }
            return .json(200, ["uuids": .array(uuids)])
        case ("_session", "GET"):
            return .json(
                200,
                [
                    "ok": true, "userCtx": ["name": .null, "roles": ["_admin"]],
                    "info": ["authentication_handlers": []],
                ])
        case ("_session", "POST"):
            return .json(200, ["ok": true, "name": .null, "roles": ["_admin"]])
        case ("_session", "DELETE"): return .json(200, ["ok": true])
        default: throw CouchError.missing
        }
    }
}

/// Answers requests for one database.
struct CouchDatabaseResponder: Sendable {
    let database: CouchDatabase
    let clock: any Clock<Duration>

    /// The answer to a request, by what of its path follows the database.
    func answer(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        guard let first = path.first else { return try await whole(request) }
        if first == "_local" || first.hasPrefix("_local/") {
            let id = (first == "_local" ? path.dropFirst() : path[...]).joined(separator: "/")
            return try await local(request, first == "_local" ? id : String(id.dropFirst(7)))
        }
        if first == "_design" {
            guard request.method == "PUT" else { throw CouchError.missing }
            throw CouchError.noScripts
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
            let input = try CouchInput(text: request.body)
            let id = input.id ?? CouchDatabase.newIdentifier()
            return Self.stored(id, try await database.put(input, id))
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,POST,PUT")
        }
    }

    private static func stored(_ id: String, _ revision: String, status: Int = 201) -> CouchResponse
    {
        CouchResponse.json(
            status, ["ok": true, "id": .string(id), "rev": .string(revision)]
        ).with("ETag", "\"\(revision)\"")
    }

    private func special(_ request: CouchRequest, _ name: String) async throws -> CouchResponse {
        switch (name, request.method) {
        case ("_all_docs", "GET"), ("_all_docs", "POST"):
            return .text(200, try database.allDocuments(try CouchListing(request)))
        case ("_design_docs", "GET"), ("_design_docs", "POST"):
            return .json(200, ["total_rows": 0, "offset": 0, "rows": []])
        case ("_local_docs", "GET"), ("_local_docs", "POST"):
            return .json(200, try database.localDocuments(try CouchListing(request)))
        case ("_changes", "GET"), ("_changes", "POST"):
            return try await database.feed(try CouchChangesQuery(request), clock: clock)
        case ("_bulk_docs", "POST"):
            return .json(201, try await database.putAll(request.body))
        case ("_bulk_get", "POST"):
            return .text(
                200,
                try database.bulkGet(try request.object(), try CouchDocumentOptions(request)))
        case ("_revs_diff", "POST"), ("_missing_revs", "POST"):
            return .json(
                200,
                try database.difference(try request.object(), isFull: name == "_revs_diff"))
        case ("_ensure_full_commit", "POST"):
            return .json(201, ["ok": true, "instance_start_time": "0"])
        case ("_compact", "POST"), ("_view_cleanup", "POST"):
            if name == "_compact" { _ = try await database.database.compact() }
            return .json(202, ["ok": true])
        case ("_revs_limit", "GET"):
            let limit = try database.database.read { try $0.revisionLimit }
            return .json(200, .integer(Int64(limit)))
        case ("_revs_limit", "PUT"):
            guard let limit = try CouchJSON.value(request.body).integerValue, limit > 0 else {
                throw CouchError.badRequest("Rev limit has to be an integer")
            }
            try await database.database.write {
                try $0.setRevisionLimit(Int(clamping: limit))
            }
            return .json(200, ["ok": true])
        case ("_security", "GET"): return .json(200, [:])
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

    /// The revision that a request is about, by its query or the condition in its head.
    private func revision(_ request: CouchRequest) -> String? {
        request["rev"] ?? request.headers["if-match"]?.filter { $0 != "\"" }
    }

    private func document(_ request: CouchRequest, _ id: String) async throws -> CouchResponse {
        switch request.method {
        case "GET", "HEAD": return try read(request, id)
        case "PUT":
            var input = try CouchInput(text: request.body)
            input.revision = revision(request) ?? input.revision
            let newEdits = try request.flag("new_edits", default: true)
            let revision = try await database.put(input, id, newEdits: newEdits)
            return Self.stored(id, revision)
        case "DELETE":
            var input = try CouchInput(text: Array("{\"_deleted\":true}".utf8))
            input.revision = revision(request)
            if input.revision == nil {
                // Without a revision there is nothing to delete, or something that has changed.
                _ = try database.document(id, nil, CouchDocumentOptions())
                throw CouchError.conflict
            }
            return Self.stored(id, try await database.put(input, id), status: 200)
        case "COPY": return try await copy(request, id)
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,POST,PUT,COPY")
        }
    }

    private func read(_ request: CouchRequest, _ id: String) throws -> CouchResponse {
        let options = try CouchDocumentOptions(request)
        if let text = request["open_revs"] {
            var wanted: [String]?
            if text != "all" {
                guard let list = try CouchJSON.value(Array(text.utf8)).arrayValue else {
                    throw CouchError.badRequest("open_revs is a list of revisions, or all")
                }
                wanted = list.compactMap(\.stringValue)
            }
            return .text(200, try database.openRevisions(id, wanted, options))
        }
        let (text, revision) = try database.document(id, request["rev"], options)
        let tag = "\"\(revision)\""
        if request.headers["if-none-match"] == tag {
            return CouchResponse(304, .bytes([])).with("ETag", tag)
        }
        return CouchResponse.text(200, text).with("ETag", tag)
    }

    private func copy(_ request: CouchRequest, _ id: String) async throws -> CouchResponse {
        guard let target = request.headers["destination"] else {
            throw CouchError.badRequest("Destination header is mandatory for COPY.")
        }
        let aim = CouchRequest("PUT", "/" + target)
        guard let to = aim.path.last else {
            throw CouchError.illegalId("Document id must not be empty")
        }
        try CouchInput.check(to)
        let source = request["rev"]
        let revision = try await database.database.write { transaction in
            let text = try source ?? transaction.revisionTree(of: id)?.winner?.name.description
            guard let text, let found = try transaction.document(id, atRevision: text),
                !found.metaData.isDeleted
            else { throw CouchError.missing }
            let tree = try transaction.revisionTree(of: to)
            var document = Document(id: to, packed: try found.packed())
            document.attachments = found.attachments
            if let given = aim["rev"] {
                guard let name = RevisionName(given), tree?.leaf(name) != nil else {
                    throw CouchError.conflict
                }
                return try transaction.save(document, afterLeaf: given).metaData.revision ?? ""
            }
            guard tree?.winner?.isDeleted ?? true else { throw CouchError.conflict }
            return try transaction.save(document).metaData.revision ?? ""
        }
        return Self.stored(to, revision)
    }

    private func attachment(
        _ request: CouchRequest, _ id: String, _ name: String
    ) async throws -> CouchResponse {
        switch request.method {
        case "GET", "HEAD":
            let found = try database.attachment(name, of: id, request["rev"])
            let tag = "\"\(found.md5)\""
            if request.headers["if-none-match"] == tag {
                return CouchResponse(304, .bytes([])).with("ETag", tag)
            }
            return CouchResponse(
                200, .bytes([UInt8](found.data)), type: found.attachment.contentType
            ).with("ETag", tag).with("Content-MD5", found.md5)
        case "PUT":
            let type = request.headers["content-type"] ?? "application/octet-stream"
            let revision = try await database.setAttachment(
                name, of: id, revision(request), (type, Data(request.body)))
            return Self.stored(id, revision)
        case "DELETE":
            guard let revision = revision(request) else { throw CouchError.conflict }
            let next = try await database.setAttachment(name, of: id, revision, nil)
            return Self.stored(id, next, status: 200)
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,PUT")
        }
    }
}
