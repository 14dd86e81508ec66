import SettleDocuments

/// How a collection divides its documents.
struct PartitionKeyDefinition: Sendable {
    enum Kind: String, Sendable {
        case hash = "Hash"
        case multiHash = "MultiHash"
    }

    /// The members' names on the way to each value.
    var paths: [[String]]
    var kind: Kind
    /// 1 hashes the first 100 characters, 2 all.
    var version: Int
    /// Whether the service has chosen it because the collection was created with none.
    var isSystem: Bool

    /// The most bytes of a string in a key.
    var stringLengthMax: Int { version == 1 ? 100 : 2_048 }

    /// The definition in the body of a collection.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is none.
    init(of body: JSONValue) throws(ServiceFailure) {
        guard let value = body["partitionKey"], !value.isNull else {
            paths = [["_partitionKey"]]
            kind = .hash
            version = 2
            isSystem = true
            return
        }
        let texts = (value["paths"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard !texts.isEmpty, texts.allSatisfy({ $0.hasPrefix("/") && $0.count > 1 }) else {
            throw .badRequest("A partition key needs paths such as '/city'.")
        }
        guard let kind = Kind(rawValue: value["kind"]?.stringValue ?? "Hash") else {
            throw .badRequest("The kind of a partition key is Hash or MultiHash.")
        }
        guard texts.count == 1 || (kind == .multiHash && texts.count <= 3) else {
            throw .badRequest("A key of the kind Hash has one path; MultiHash, at most three.")
        }
        paths = texts.map(Self.names)
        self.kind = kind
        version = Int(value["version"]?.integerValue ?? (kind == .multiHash ? 2 : 1))
        guard (1...2).contains(version), kind == .hash || version == 2 else {
            throw .badRequest("The version of a partition key is 1 or 2, of MultiHash 2.")
        }
        isSystem = value["systemKey"]?.boolValue ?? false
    }

    /// The definition as the service shows it.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "paths": .array(paths.map { .string("/" + $0.joined(separator: "/")) }),
            "kind": .string(kind.rawValue), "version": .integer(Int64(version)),
        ]
        if isSystem { members["systemKey"] = true }
        return .object(members)
    }

    /// The key of a document.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when a value is an object, an array or too long.
    func value(of document: JSONValue) throws(ServiceFailure) -> PartitionKeyValue {
        var components: [JSONValue?] = []
        for path in paths {
            var value: JSONValue? = document
            for name in path { value = value?[name] }
            switch value {
            case .object, .array:
                throw .badRequest("A partition key has strings, numbers, booleans and null.")
            case .string(let text) where text.utf8.count > stringLengthMax:
                throw .badRequest(
                    "A string in this partition key has at most \(stringLengthMax) bytes.")
            default: components.append(value)
            }
        }
        return PartitionKeyValue(components)
    }

    /// The key in a header of a request for one document.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is missing or has too few or too many values.
    func value(ofHeader header: String?) throws(ServiceFailure) -> PartitionKeyValue {
        guard let header else {
            if isSystem { return PartitionKeyValue([nil]) }
            throw .badRequest("The header x-ms-documentdb-partitionkey is missing.")
        }
        let value = try PartitionKeyValue(header: header)
        if value.isNone, value.components.count <= paths.count {
            return PartitionKeyValue(Array(repeating: nil, count: paths.count))
        }
        guard value.components.count == paths.count else {
            throw .badRequest(
                "The partition key has \(value.components.count) values instead of \(paths.count).",
                subStatus: 1001)
        }
        return value
    }

    /// The names in a path, some of which may be in quotes.
    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").map { $0.filter { $0 != "\"" } }
    }
}
