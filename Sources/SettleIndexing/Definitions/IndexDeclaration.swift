package import SettleDocuments

/// What makes the rows of an index that needs no code: members of the document, and a filter.
///
/// As JSON it is an object of these members, others being refused:
/// `keys`, a list of at least one path, each a list of at least one member name;
/// `value`, a path; `filter`, an object (see ``IndexFilter``); `reduce`, the name of a built-in
/// reduce function; `collation`, `"unicode"` or `"raw"`; `identifier`, `"id"` or `"_id"`, what paths
/// and filter call the identifier. All but `keys` may be absent or null.
package struct IndexDeclaration: Sendable {
    /// The members of the key, each as a path of names from the top of the document.
    package let keys: [[String]]
    /// The member that is the value; nil for rows without one.
    package let value: [String]?
    /// Says which documents have rows; nil for all.
    package let filter: IndexFilter?
    /// Makes one value of many; nil for an index that is only looked up.
    package let reduce: ReducerKind?
    /// How strings are ordered, in keys and in the filter's comparisons.
    package let collation: Collator.Strings
    /// What paths and filter call the identifier.
    package let identifier: IdentifierName

    /// A declaration.
    ///
    /// - Precondition: There is a path, and every path has a name.
    package init(
        keys: [[String]], value: [String]? = nil, filter: IndexFilter? = nil,
        reduce: ReducerKind? = nil, collation: Collator.Strings = .unicode,
        identifier: IdentifierName = .own
    ) {
        precondition(
            !keys.isEmpty && keys.allSatisfy { !$0.isEmpty } && value?.isEmpty != true,
            "A declared index has at least one key path, and a path at least one name.")
        self.keys = keys
        self.value = value
        self.filter = filter?.calling(identifier)
        self.reduce = reduce
        self.collation = collation
        self.identifier = identifier
    }

    /// The names that members may have in JSON.
    package static let memberNames: Set = [
        "keys", "value", "filter", "reduce", "collation", "identifier",
    ]

    /// A declaration from JSON.
    ///
    /// - Throws: ``IndexDeclarationError`` that names the member and says what is expected.
    package init(json: JSONValue) throws(IndexDeclarationError) {
        guard case .object(let members) = json else {
            throw IndexDeclarationError(
                at: [], "is an object with the member 'keys', not \(json.kindInWords)")
        }
        if let unknown = members.keys.filter({ !Self.memberNames.contains($0) }).min() {
            let known = Self.memberNames.sorted().map { "'\($0)'" }.joined(separator: ", ")
            throw IndexDeclarationError(
                at: [unknown], "is not known; the members are \(known)")
        }
        keys = try Self.paths(members["keys"])
        value = try members["value"].present.map { json throws(IndexDeclarationError) in
            try Self.path(json, at: ["value"])
        }
        let identifier =
            try members["identifier"].present.map { json throws(IndexDeclarationError) in
                try Self.identifier(json)
            } ?? .own
        self.identifier = identifier
        filter = try members["filter"].present.map { json throws(IndexDeclarationError) in
            try Self.filter(json).calling(identifier)
        }
        reduce = try members["reduce"].present.map { json throws(IndexDeclarationError) in
            try Self.reduce(json)
        }
        collation =
            try members["collation"].present.map { json throws(IndexDeclarationError) in
                try Self.collation(json)
            } ?? .unicode
    }

    private static func paths(_ json: JSONValue?) throws(IndexDeclarationError) -> [[String]] {
        guard case .array(let elements)? = json, !elements.isEmpty else {
            throw IndexDeclarationError(
                at: ["keys"],
                "is a list of at least one path, such as [[\"type\"],[\"address\",\"city\"]], "
                    + (json.map { "not \($0.kindInWords)" } ?? "and is missing"))
        }
        var paths: [[String]] = []
        for (index, element) in elements.enumerated() {
            paths.append(try path(element, at: ["keys", String(index)]))
        }
        return paths
    }

    private static func path(
        _ json: JSONValue, at place: [String]
    ) throws(IndexDeclarationError) -> [String] {
        let names = json.arrayValue?.map(\.stringValue)
        guard let names, !names.isEmpty, !names.contains(nil) else {
            throw IndexDeclarationError(
                at: place,
                "is a path, a list of at least one member name such as [\"address\",\"city\"], "
                    + "not \(json.kindInWords)")
        }
        return names.compactMap { $0 }
    }

    private static func filter(_ json: JSONValue) throws(IndexDeclarationError) -> IndexFilter {
        do {
            return try IndexFilter(json: json)
        } catch {
            throw IndexDeclarationError(at: ["filter"] + error.path, error.problem)
        }
    }

    private static func reduce(_ json: JSONValue) throws(IndexDeclarationError) -> ReducerKind {
        if case .string(let name) = json, let kind = ReducerKind(rawValue: name) { return kind }
        let known = ReducerKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw IndexDeclarationError(
            at: ["reduce"],
            "is one of \(known), not "
                + (json.stringValue.map { "'\($0)'" } ?? json.kindInWords))
    }

    private static func identifier(
        _ json: JSONValue
    ) throws(IndexDeclarationError) -> IdentifierName {
        if case .string(let text) = json, let name = IdentifierName(rawValue: text) { return name }
        throw IndexDeclarationError(
            at: ["identifier"],
            "is 'id' or '_id', not " + (json.stringValue.map { "'\($0)'" } ?? json.kindInWords))
    }

    private static func collation(
        _ json: JSONValue
    ) throws(IndexDeclarationError) -> Collator.Strings {
        switch json {
        case .string("unicode"): return .unicode
        case .string("raw"): return .raw
        default:
            throw IndexDeclarationError(
                at: ["collation"],
                "is 'unicode' or 'raw', not "
                    + (json.stringValue.map { "'\($0)'" } ?? json.kindInWords))
        }
    }

    /// The declaration in the one form that equal declarations share.
    ///
    /// What is absent is left out, and so is `identifier` when it is `id`; `collation` always stands
    /// there.
    package var json: JSONValue {
        func list(_ path: [String]) -> JSONValue { .array(path.map { .string($0) }) }
        var members: [String: JSONValue] = [
            "keys": .array(keys.map(list)),
            "collation": .string(collation == .raw ? "raw" : "unicode"),
        ]
        members["value"] = value.map(list)
        members["filter"] = filter?.json
        members["reduce"] = reduce.map { .string($0.rawValue) }
        if identifier != .own { members["identifier"] = .string(identifier.rawValue) }
        return .object(members)
    }

    /// What is compared to see whether an index must be rebuilt.
    ///
    /// - Parameter version: The version that the author gave.
    /// - Returns: The version, a space, and the canonical JSON.
    package func identity(version: String) -> String { "\(version) \(json.jsonText)" }
}

extension IndexDeclaration: Hashable {
    /// Whether both have the same canonical JSON.
    package static func == (left: IndexDeclaration, right: IndexDeclaration) -> Bool {
        left.json == right.json
    }

    /// Feeds the declaration to a hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }
}

extension Optional<JSONValue> {
    /// The value, unless it is absent or null.
    fileprivate var present: JSONValue? { self?.isNull == false ? self : nil }
}
