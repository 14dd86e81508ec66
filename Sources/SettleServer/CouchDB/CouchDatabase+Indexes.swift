import Settle

// Indexes as Mango has them: those that are declared, which a database keeps.

extension CouchDatabase {
    /// The declared indexes, by name.
    func declarations() throws -> [Database.IndexDeclaration] {
        try database.storedIndexes().sorted { $0.name < $1.name }
    }

    private static func fields(of declaration: Database.IndexDeclaration) -> JSONValue {
        .array(
            members(of: declaration).map { path in
                [path.map { $0.replacing(".", with: "\\.") }.joined(separator: "."): "asc"]
            })
    }

    static func definition(of declaration: Database.IndexDeclaration) -> JSONValue {
        var members: [String: JSONValue] = ["fields": fields(of: declaration)]
        if let filter = declaration.filter { members["partial_filter_selector"] = filter.json }
        return .object(members)
    }

    /// An index as `_index` and `_explain` show it; nil for that of all documents.
    static func description(of declaration: Database.IndexDeclaration?) -> JSONValue {
        guard let declaration else {
            return [
                "ddoc": .null, "name": "_all_docs", "type": "special",
                "def": ["fields": [["_id": "asc"]]],
            ]
        }
        let name = CouchViewName(index: declaration.name)
        return [
            "ddoc": .string("_design/" + name.design), "name": .string(name.view), "type": "json",
            "def": definition(of: declaration),
        ]
    }

    /// GET of `_index`.
    func indexes() throws -> JSONValue {
        let all = [Self.description(of: nil)] + (try declarations()).map(Self.description(of:))
        return ["total_rows": .integer(Int64(all.count)), "indexes": .array(all)]
    }

    /// POST to `_index`: declares an index and builds it.
    func declareIndex(_ body: [String: JSONValue]) async throws -> JSONValue {
        guard let index = body["index"]?.objectValue, let fields = index["fields"]?.arrayValue,
            !fields.isEmpty
        else { throw CouchError(400, "invalid_index", "Missing required key: fields") }
        guard body["type"]?.stringValue ?? "json" == "json" else {
            throw CouchError(501, "not_implemented", "Only indexes of type json are known here.")
        }
        let paths = try Self.paths(of: fields)
        var filter: Database.IndexFilter?
        var filtered: [[String]] = []
        if let selector = index["partial_filter_selector"], selector != [:] {
            do {
                filter = try Database.IndexFilter(json: selector)
            } catch let error as DatabaseError {
                throw CouchError.invalidSelector(error.message)
            }
            filtered = try CouchSelector(selector).paths
        }
        guard !(paths + filtered).contains(where: JSONValue.mayLeadIntoArrays) else {
            throw CouchError(
                400, "invalid_index",
                "The path of an index cannot lead into an array: a name behind a dot is no number.")
        }
        let digest = ContentDigest(of: JSONText.text(of: .object(index))).description
        var design = body["ddoc"]?.stringValue ?? String(digest.prefix(32))
        if design.hasPrefix("_design/") { design = String(design.dropFirst(8)) }
        let view = body["name"]?.stringValue ?? String(digest.prefix(32))
        let name = CouchViewName(design: design, view: view)
        guard !design.isEmpty, !design.contains("/"), !view.isEmpty else {
            throw CouchError(400, "invalid_index", "Invalid name")
        }
        let declaration = Self.declaration(name, paths, filter, filtered)
        let isKnown = try declarations().contains(declaration)
        if !isKnown { try await database.addStoredIndex(declaration) }
        return [
            "result": isKnown ? "exists" : "created", "id": .string("_design/" + design),
            "name": .string(view),
        ]
    }

    /// The members that fields of an index name, all in one direction: it is read in both.
    private static func paths(of fields: [JSONValue]) throws(CouchError) -> [[String]] {
        var paths: [[String]] = []
        var directions: Set<String> = []
        for field in fields {
            var (name, direction) = (field.stringValue, JSONValue.string("asc"))
            if let members = field.objectValue, members.count == 1, let member = members.first {
                (name, direction) = (member.key, member.value)
            }
            guard let name, let direction = direction.stringValue,
                ["asc", "desc"].contains(direction)
            else {
                throw CouchError(
                    400, "invalid_index", "A field is a name, or a name with asc or desc.")
            }
            paths.append(CouchSelectorReader.names(in: name))
            directions.insert(direction)
        }
        guard directions.count == 1 else { throw .mixedSort }
        return paths
    }

    /// The declaration of an index of `_index`.
    ///
    /// One that names a member `id` calls the identifier as CouchDB does; any other is as an app would declare it.
    private static func declaration(
        _ name: CouchViewName, _ paths: [[String]], _ filter: Database.IndexFilter?,
        _ filtered: [[String]]
    ) -> Database.IndexDeclaration {
        let own = "id"
        if (paths + filtered).contains([own]) {
            return Database.IndexDeclaration(
                name: name.index, keys: paths, filter: filter,
                identifierName: CouchSelector.idPath[0])
        }
        return Database.IndexDeclaration(
            name: name.index, keys: paths.map { $0 == CouchSelector.idPath ? [own] : $0 },
            filter: filter)
    }

    /// DELETE of an index of `_index`.
    func removeIndex(_ name: CouchViewName) async throws {
        guard try declarations().contains(where: { $0.name == name.index }) else {
            throw CouchError(404, "not_found", "Index not found")
        }
        try await database.removeIndex(named: name.index)
    }

    /// POST to `_index/_bulk_delete`: removes all indexes of design documents, one after the other.
    func removeIndexes(_ body: [String: JSONValue]) async throws -> JSONValue {
        guard let ids = body["docids"]?.arrayValue?.map(\.stringValue), !ids.contains(nil) else {
            throw CouchError(400, "missing_required_key", "Missing required key: docids")
        }
        var (removed, failed): ([JSONValue], [JSONValue]) = ([], [])
        for id in ids.compactMap({ $0 }) {
            let prefix = DocumentIdentifier.designPrefix
            let design = id.hasPrefix(prefix) ? String(id.dropFirst(prefix.count)) : id
            let names = try declarations().map { CouchViewName(index: $0.name) }
                .filter { $0.design == design }
            for name in names { try await removeIndex(name) }
            let whole = JSONValue.string(prefix + design)
            if names.isEmpty {
                failed.append(["id": whole, "error": "not_found"])
            } else {
                removed.append(["id": whole, "ok": true])
            }
        }
        return ["success": .array(removed), "fail": .array(failed)]
    }
}
