import Settle

extension CouchDatabaseResponder {
    /// Requests below `_design`; the path is what follows it.
    func design(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        guard let name = path.first, !name.isEmpty else { throw CouchError.missing }
        let id = DocumentIdentifier.designPrefix + name
        switch path.dropFirst().first {
        case nil: return try await designDocument(request, id)
        case "_view" where path.count > 2: return try await view(request, path)
        case "_show", "_list", "_update", "_rewrite": throw CouchError.noScripts
        case let part? where !part.hasPrefix("_"):
            return try await attachment(request, id, path.dropFirst().joined(separator: "/"))
        default: throw CouchError.missing
        }
    }

    /// A request for a design document; one that stands for declared indexes is there to be read, and to be written
    /// over.
    private func designDocument(
        _ request: CouchRequest, _ id: String
    ) async throws -> CouchResponse {
        guard let declared = try database.declaredDesign(id) else {
            return try await document(request, id)
        }
        switch request.method {
        case "GET" where request["open_revs"] == nil, "HEAD":
            return .json(200, declared.document).with("ETag", "\"\(declared.revision)\"")
        case "DELETE":
            throw CouchError(
                403, "forbidden",
                "This design document stands for declared indexes; delete those by _index.")
        default: return try await document(request, id, over: declared.revision)
        }
    }

    private func view(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        guard mayReadSomething else { throw CouchError.notAllowedByRules }
        let isMany = path.count > 3 && path.last == "queries"
        let view = path.dropFirst(2).dropLast(isMany ? 1 : 0).joined(separator: "/")
        let name = CouchViewName(design: path[0], view: view)
        if isMany { return try await views(request, name) }
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            throw CouchError.notAllowed("GET,HEAD,POST")
        }
        if request.method == "POST" { try request.checkIsJSON() }
        let body = request.method == "POST" ? try request.object() : [:]
        var rows = try await database.view(name, try CouchViewQuery(request, body))
        rows.append("\n")
        return try await rows.response(200, type: "application/json")
    }

    /// Several questions to a view at once.
    private func views(
        _ request: CouchRequest, _ name: CouchViewName
    ) async throws -> CouchResponse {
        guard request.method == "POST" else { throw CouchError.notAllowed("POST") }
        try request.checkIsJSON()
        guard let queries = try request.object()["queries"]?.arrayValue else {
            throw CouchError.badRequest("POST body must include `queries` parameter.")
        }
        var results: [[UInt8]] = []
        for query in queries {
            results.append(
                try await database.view(
                    name, try CouchViewQuery(request, query.objectValue ?? [:])
                ).text)
        }
        return .results(results)
    }

    var mayReadSomething: Bool { database.identity.maySeeSomething }

    /// `_index`, and what is below it; the path is what follows it.
    func index(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        if request.method == "POST" { try request.checkIsJSON() }
        switch request.method {
        case "GET" where path.isEmpty, "HEAD" where path.isEmpty:
            guard mayReadSomething else { throw CouchError.notAllowedByRules }
            return .json(200, try database.indexes())
        case "POST" where path.isEmpty:
            guard database.isAdministered else { throw CouchError.notAdmin }
            return .json(200, try await database.declareIndex(try request.object()))
        case "POST" where path == ["_bulk_delete"]:
            guard database.isAdministered else { throw CouchError.notAdmin }
            return .json(200, try await database.removeIndexes(try request.object()))
        case "DELETE":
            guard database.isAdministered else { throw CouchError.notAdmin }
            var parts = path
            if parts.first == "_design" { parts.removeFirst() }
            guard parts.count == 3, parts[1] == "json" else { throw CouchError.missing }
            let design = parts[0].hasPrefix("_design/") ? String(parts[0].dropFirst(8)) : parts[0]
            try await database.removeIndex(CouchViewName(design: design, view: parts[2]))
            return .json(200, ["ok": true])
        default: throw CouchError.notAllowed("DELETE,GET,POST")
        }
    }
}
