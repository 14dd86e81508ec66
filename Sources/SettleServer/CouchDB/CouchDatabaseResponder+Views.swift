import Settle

extension CouchDatabaseResponder {
    /// Requests below `_design`; the path is what follows it.
    func design(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        let isReading = ["GET", "HEAD"].contains(request.method)
        switch path.count {
        case 1:
            guard isReading else { throw CouchError.noScripts }
            guard mayReadSomething,
                let found = try database.designs().first(where: { $0.id == "_design/" + path[0] })
            else { throw CouchError.missing }
            return .json(200, found.document)
        case 3... where path[1] == "_view":
            guard mayReadSomething else { throw CouchError.notAllowedByRules }
            let isMany = path.count > 3 && path.last == "queries"
            let view = path.dropFirst(2).dropLast(isMany ? 1 : 0).joined(separator: "/")
            let name = CouchViewName(design: path[0], view: view)
            if isMany { return try await views(request, name) }
            guard isReading || request.method == "POST" else {
                throw CouchError.notAllowed("GET,HEAD,POST")
            }
            let body = request.method == "POST" ? try request.object() : [:]
            return .text(
                200, try await database.view(name, try CouchViewQuery(request, body)))
        default:
            guard isReading else { throw CouchError.noScripts }
            throw CouchError.missing
        }
    }

    /// Several questions to a view at once.
    private func views(
        _ request: CouchRequest, _ name: CouchViewName
    ) async throws -> CouchResponse {
        guard request.method == "POST", let queries = try request.object()["queries"]?.arrayValue
        else { throw CouchError.badRequest("POST body must include `queries` parameter.") }
        var results: [[UInt8]] = []
        for query in queries {
            results.append(
                try await database.view(
                    name, try CouchViewQuery(request, query.objectValue ?? [:])))
        }
        return .results(results)
    }

    var mayReadSomething: Bool { database.identity.maySeeSomething }

    /// `_design_docs`.
    func designs(_ request: CouchRequest) throws -> CouchResponse {
        let listing = try CouchListing(request)
        let all = mayReadSomething ? try database.designs() : []
        let rows = all.filter { listing.keys?.contains(.string($0.id)) ?? listing.includes($0.id) }
        let shown = (listing.isDescending ? rows.reversed() : rows).dropFirst(listing.skip)
            .prefix(listing.limit).map { row -> JSONValue in
                var members: [String: JSONValue] = [
                    "id": .string(row.id), "key": .string(row.id),
                    "value": ["rev": row.document["_rev"] ?? .null],
                ]
                if listing.includesDocuments { members["doc"] = row.document }
                return .object(members)
            }
        return .json(
            200,
            [
                "total_rows": .integer(Int64(all.count)), "offset": .integer(Int64(listing.skip)),
                "rows": .array(shown),
            ])
    }

    /// `_index`, and what is below it; the path is what follows it.
    func index(_ request: CouchRequest, _ path: [String]) async throws -> CouchResponse {
        switch request.method {
        case "GET" where path.isEmpty, "HEAD" where path.isEmpty:
            guard mayReadSomething else { throw CouchError.notAllowedByRules }
            return .json(200, try database.indexes())
        case "POST" where path.isEmpty:
            guard database.isAdministered else { throw CouchError.notAdmin }
            return .json(200, try await database.declareIndex(try request.object()))
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
