public import SettleDocuments
package import SettleIndexing

extension Database {
    /// An index that needs no code: members that make the key, one that is the value, a filter.
    ///
    /// A database keeps the declarations of its indexes and knows them again when it is opened. As
    /// JSON:
    ///
    /// ```json
    /// {"name": "byPlace", "version": "1", "keys": [["type"], ["address", "city"]],
    ///  "value": ["amount"], "filter": {"type": "order"}, "reduce": "_sum", "collation": "unicode"}
    /// ```
    ///
    /// ```swift
    /// let declared = try Database.IndexDeclaration(
    ///     parsing: #"{"name": "byDay", "keys": [["day"]], "filter": {"type": "order"}}"#)
    /// try await database.addIndex(declared.index)
    /// ```
    ///
    /// `name` and `keys` must be there. Members of other names are refused.
    public struct IndexDeclaration: Sendable, Hashable {
        /// The name queries use.
        public let name: String
        /// Any text; the index is rebuilt when it changes, or anything else of the declaration.
        public let version: String

        let declaration: SettleIndexing.IndexDeclaration

        /// A declaration.
        ///
        /// - Parameters:
        ///   - name: The name queries use.
        ///   - version: Change it to have the index rebuilt.
        ///   - keys: The members of the key, each as a path of names from the top of the document.
        ///     One path makes that member the key, and a document without it has no row. Several make
        ///     an array, with null for a member that a document lacks; a document that lacks all of
        ///     them has no row. `id` is the identifier, unless `identifierName` says otherwise.
        ///   - value: The member that is the value; nil for rows without one. With a reduce function
        ///     that works on values, a member that is null counts as absent, and is passed over.
        ///   - filter: Says which documents have rows; nil for all.
        ///   - reduce: Makes one value of many; nil for an index that is only looked up.
        ///   - collation: How strings are ordered, in keys and in the filter.
        ///   - identifierName: What paths and filter call the identifier: `id`, or `_id` as in CouchDB,
        ///     so that `id` is a member as any other.
        /// - Precondition: There is at least one path, every path has at least one name, and the
        ///   identifier has one of its two names.
        public init(
            name: String, version: String = "1", keys: [[String]], value: [String]? = nil,
            filter: IndexFilter? = nil, reduce: BuiltInReduce? = nil,
            collation: IndexCollation = .unicode, identifierName: String = "id"
        ) {
            guard let identifier = IdentifierName(rawValue: identifierName) else {
                preconditionFailure("The identifier is called 'id' or '_id'.")
            }
            self.init(
                name: name, version: version,
                SettleIndexing.IndexDeclaration(
                    keys: keys, value: value, filter: filter?.filter, reduce: reduce?.kind,
                    collation: collation.strings, identifier: identifier))
        }

        init(name: String, version: String, _ declaration: SettleIndexing.IndexDeclaration) {
            self.name = name
            self.version = version
            self.declaration = declaration
        }

        /// The members of the key, each as a path of names.
        public var keys: [[String]] { declaration.keys }
        /// The path of the value; nil for rows without one.
        public var value: [String]? { declaration.value }
        /// Says which documents have rows; nil for all.
        public var filter: IndexFilter? { declaration.filter.map { IndexFilter($0) } }
        /// Makes one value of many; nil for an index that is only looked up.
        public var reduce: BuiltInReduce? { declaration.reduce.map { BuiltInReduce($0) } }
        /// How strings are ordered.
        public var collation: IndexCollation { IndexCollation(declaration.collation) }
        /// What paths and filter call the identifier: `id` or `_id`.
        public var identifierName: String { declaration.identifier.rawValue }

        /// The index that is declared.
        public var index: Index { Index(declared: self) }

        /// The key that the index makes of a document, stored or not; nil when it makes none.
        ///
        /// - Throws: ``DatabaseError`` with `invalidDocument`, `documentTooLarge`, as
        ///   ``IndexFilter/matches(_:)``.
        package func key(of document: Document) throws -> JSONValue? {
            let body = try document.packed()
            do {
                return try declaration.row(of: body, id: document.id)?.key
            } catch {
                throw DatabaseError(error, documentId: document.id)
            }
        }

        package var view: IndexDefinition {
            IndexDefinition(name: name, version: version, declaration: declaration)
        }
    }
}

extension Database.IndexDeclaration {
    private static let nameMember = "name"
    private static let versionMember = "version"

    /// The declaration as JSON, in the one form that equal declarations share.
    public var json: JSONValue {
        var json = declaration.json
        json[Self.nameMember] = .string(name)
        json[Self.versionMember] = .string(version)
        return json
    }

    /// A declaration from JSON.
    ///
    /// - Throws: ``DatabaseError`` with `invalidIndex` that names the member that is wrong and says what
    ///   is expected there.
    public init(json: JSONValue) throws {
        do {
            try self.init(checking: json)
        } catch {
            throw DatabaseError(
                .invalidIndex, error.sentence(about: "index declaration"), cause: error)
        }
    }

    /// A declaration from JSON text.
    ///
    /// - Throws: ``/SettleDocuments/JSONError`` when the text is no JSON; otherwise as ``init(json:)``.
    public init(parsing text: String) throws {
        try self.init(json: JSONValue(jsonText: text))
    }

    private init(checking json: JSONValue) throws(IndexDeclarationError) {
        guard case .object(var members) = json else {
            throw IndexDeclarationError(
                at: [], "is an object such as {\"name\":\"byType\",\"keys\":[[\"type\"]]}")
        }
        let own = [Self.nameMember, Self.versionMember]
        let known = own + SettleIndexing.IndexDeclaration.memberNames.sorted()
        if let unknown = members.keys.filter({ !known.contains($0) }).min() {
            throw IndexDeclarationError(
                at: [unknown],
                "is not known; the members are "
                    + known.map { "'\($0)'" }.joined(separator: ", "))
        }
        guard case .string(let name)? = members.removeValue(forKey: Self.nameMember) else {
            throw IndexDeclarationError(
                at: [Self.nameMember], "is a string, the name that queries use, and must be there")
        }
        var version = "1"
        switch members.removeValue(forKey: Self.versionMember) {
        case nil, .null?: break
        case .string(let text)?: version = text
        default: throw IndexDeclarationError(at: [Self.versionMember], "is a string")
        }
        self.init(
            name: name, version: version,
            try SettleIndexing.IndexDeclaration(json: .object(members)))
    }
}

extension Database.IndexDeclaration: Codable {
    /// A declaration from a decoder of any format that JSON fits into.
    ///
    /// - Throws: `DecodingError` that names the member that is wrong and says what is expected there.
    public init(from decoder: any Decoder) throws {
        let json = try CodedJSON(from: decoder).value
        do throws(IndexDeclarationError) {
            try self.init(checking: json)
        } catch {
            throw CodedJSON.corrupted(decoder, error.sentence(about: "index declaration"))
        }
    }

    /// Encodes the JSON of the declaration.
    public func encode(to encoder: any Encoder) throws {
        try CodedJSON(json).encode(to: encoder)
    }
}

extension IndexDefinition {
    /// The version that the author of a declared index gave; nil for an index by code.
    var declaredVersion: String? {
        // The version of a declared index ends with its declaration.
        declaration.map { String(version.dropLast($0.identity(version: "").count)) }
    }
}
