import Settle

// Design documents: those that are stored as other documents are, and those that stand for declared indexes. Their
// functions are not run. One that is stored hides one that stands for indexes, whose views go on.

extension CouchDatabase {
    /// A design document that declared indexes stand for.
    struct DeclaredDesign: Sendable {
        let id: String
        let document: JSONValue

        var revision: String { document["_rev"]?.stringValue ?? "" }
    }

    /// The design documents that declared indexes stand for, by identifier; none for a sender who sees nothing.
    func declaredDesigns() throws -> [DeclaredDesign] {
        guard identity.maySeeSomething else { return [] }
        let grouped = Dictionary(grouping: try declarations()) {
            Array(CouchViewName(index: $0.name).design.utf8)
        }
        return grouped.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            bytes, declarations in
            let design = String(decoding: bytes, as: UTF8.self)
            var views: [String: JSONValue] = [:]
            for declaration in declarations {
                var view: [String: JSONValue] = [
                    "map": Self.definition(of: declaration),
                    "options": ["def": Self.definition(of: declaration)],
                ]
                if let reduce = (try? database.indexStatus(named: declaration.name))?.reduce {
                    view["reduce"] = .string(reduce)
                }
                views[CouchViewName(index: declaration.name).view] = .object(view)
            }
            let body = JSONValue.object(views)
            let digest = ContentDigest(of: JSONText.text(of: body)).description.prefix(32)
            let id = DocumentIdentifier.designPrefix + design
            return DeclaredDesign(
                id: id,
                document: [
                    "_id": .string(id), "_rev": .string("1-\(digest)"), "language": "query",
                    "views": body,
                ])
        }
    }

    /// A declared design document that no stored one hides from the sender; nil when there is none.
    func declaredDesign(_ id: String) throws -> DeclaredDesign? {
        guard try storedDesign(id) == nil else { return nil }
        return try declaredDesigns().first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// A stored design document, as the sender sees it; nil when there is none that is not deleted.
    func storedDesign(_ id: String) throws -> JSONValue? {
        try database.read { snapshot in
            guard let winner = try tree(of: id, in: snapshot)?.winner, !winner.isDeleted else {
                return nil
            }
            return try snapshot.document(id, atRevision: winner.name.description)?.packed().value()
        }
    }

    /// Why a view that is no declared index is not answered.
    func missingView(_ name: CouchViewName) throws -> CouchError {
        let design = try storedDesign(DocumentIdentifier.designPrefix + name.design)
        if design?["views"]?[name.view] != nil { return .noScripts }
        let isKnown =
            try design != nil
            || declarations().contains { CouchViewName(index: $0.name).design == name.design }
        return CouchError(404, "not_found", isKnown ? "missing_named_view" : "missing")
    }

    /// `_design_docs`: all of them by identifier.
    ///
    /// - Complexity: Linear in the design documents.
    func designDocuments(_ listing: CouchListing) throws -> [UInt8] {
        let declared = try declaredDesigns()
        return try database.read { snapshot in
            var offset = "\(listing.skip)"
            var rows: [(id: String, text: [UInt8])] = []
            // As bytes: strings would be equal that are canonically equivalent.
            var stored: Set<[UInt8]> = []
            // The identifiers of design documents are one after the other.
            try snapshot.forEachView(after: "_design") { view in
                let id = try view.id
                guard DocumentIdentifier.isDesign(id) else { return false }
                guard try tree(of: id, in: snapshot)?.winner?.isDeleted == false else {
                    return true
                }
                stored.insert(Array(id.utf8))
                rows.append((id, try row(.string(id), listing, in: snapshot)))
                return true
            }
            for design in declared where !stored.contains(Array(design.id.utf8)) {
                var members: [String: JSONValue] = [
                    "id": .string(design.id), "key": .string(design.id),
                    "value": ["rev": .string(design.revision)],
                ]
                if listing.includesDocuments { members["doc"] = design.document }
                rows.append((design.id, JSONText.text(of: .object(members))))
            }
            rows.sort { CouchListing.isLess($0.id, $1.id) }
            let total = rows.count
            if let keys = listing.keys {
                offset = "null"
                let known = Dictionary(
                    uniqueKeysWithValues: rows.map { (Array($0.id.utf8), $0.text) })
                rows = keys.map { key in
                    let id = key.stringValue ?? ""
                    let text = known[Array(id.utf8)]
                    return (id, text ?? JSONText.text(of: ["key": key, "error": "not_found"]))
                }
            } else {
                rows = rows.filter { listing.includes($0.id) }
            }
            if listing.isDescending { rows.reverse() }
            let shown = rows.dropFirst(listing.skip).prefix(listing.limit).map(\.text)
            return Array("{\"total_rows\":\(total),\"offset\":\(offset),\"rows\":[\n".utf8)
                + Array(shown.joined(separator: Array(",\n".utf8))) + Array("\n]}".utf8)
        }
    }
}
