import SettleDocuments

extension Cosmos {
    /// A collection of documents, also called a container.
    ///
    /// ```swift
    /// let people = try await cosmos.create(
    ///     collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm"
    /// ).resource
    /// let everybody = cosmos.get(documentsAs: Person.self, in: people)
    /// ```
    public struct DocumentCollection: Resource, Hashable {
        /// A collection's type.
        public static let resourceType = ResourceType.collection
        /// Its JSON.
        public var body: ResourceBody

        /// A collection as the service sent it.
        public init(body: ResourceBody) { self.body = body }

        /// By which members its documents are spread; nil for a collection that has no such key.
        ///
        /// It cannot be changed later.
        public var partitionKey: PartitionKeyDefinition? {
            body["partitionKey"].flatMap { PartitionKeyDefinition($0) }
        }

        /// How its documents are indexed; nil when the service did not say.
        public var indexingPolicy: IndexingPolicy? {
            get { body["indexingPolicy"].flatMap { IndexingPolicy($0) } }
            set { body["indexingPolicy"] = newValue?.json }
        }

        /// After how many seconds without a write the service deletes a document that says nothing of its own by a
        /// member `ttl`; -1 for never, nil switches the deletion off altogether.
        public var defaultTimeToLive: Int? {
            get { body["defaultTtl"]?.integerValue.map { Int($0) } }
            set { body["defaultTtl"] = newValue.map { .integer(Int64($0)) } }
        }

        /// The self link of its documents, and so on; nil before the service has it.
        public var documentsLink: String? { link(of: .document) }
        /// The self link of its stored procedures.
        public var storedProceduresLink: String? { link(of: .storedProcedure) }
        /// The self link of its triggers.
        public var triggersLink: String? { link(of: .trigger) }
        /// The self link of its user-defined functions.
        public var userDefinedFunctionsLink: String? { link(of: .userDefinedFunction) }
        /// The self link of its conflicts between regions.
        public var conflictsLink: String? { selfLink.map { "\($0)conflicts/" } }

        private func link(of type: ResourceType) -> String? {
            selfLink.map { "\($0)\(type.pathComponent)/" }
        }
    }

    /// By which members the documents of a collection are spread.
    public struct PartitionKeyDefinition: Sendable, Hashable {
        /// The paths of the members, such as `/city`; of a hierarchical key up to three, the outermost first.
        public let paths: [String]
        /// 2 for keys of up to 2 KB, 1 for keys that differ in their first 100 bytes.
        public let version: Int

        /// A definition.
        ///
        /// - Parameters:
        ///   - paths: One path, or two or three for a hierarchical key; each begins with a slash.
        ///   - version: 2, or 1 for a collection as older SDKs make it.
        /// - Precondition: There are 1 to 3 paths.
        public init(paths: [String], version: Int = 2) {
            precondition((1...3).contains(paths.count), "A partition key has 1 to 3 paths.")
            self.paths = paths
            self.version = version
        }

        /// The definition in a collection's JSON.
        init?(_ json: JSONValue) {
            let paths = json["paths"]?.arrayValue?.compactMap(\.stringValue) ?? []
            guard !paths.isEmpty else { return nil }
            self.paths = paths
            version = json["version"]?.integerValue.map { Int($0) } ?? 1
        }

        var json: JSONValue {
            [
                "paths": .array(paths.map { .string($0) }),
                "kind": .string(paths.count > 1 ? "MultiHash" : "Hash"),
                "version": .integer(Int64(version)),
            ]
        }

        /// The key of a document.
        ///
        /// - Returns: nil when a member is an object or an array, which no key can be.
        func key(of document: ResourceBody) -> PartitionKey? {
            var components: [PartitionKey.Component] = []
            for path in paths {
                switch document.member(at: Self.names(in: path)) {
                case nil: components.append(.undefined)
                case .null?: components.append(.null)
                case .bool(let flag)?: components.append(.bool(flag))
                case .integer(let number)?: components.append(.number(Double(number)))
                case .double(let number)?: components.append(.number(number))
                case .string(let text)?: components.append(.string(text))
                case .array?, .object?: return nil
                }
            }
            return PartitionKey(components: components)
        }

        /// The names in a path, which may be quoted: `/a/"b/c"`.
        static func names(in path: String) -> [String] {
            var names: [String] = []
            var name = ""
            var isQuoted = false
            for character in path {
                switch character {
                case "\"": isQuoted.toggle()
                case "/" where !isQuoted:
                    if !name.isEmpty { names.append(name) }
                    name = ""
                default: name.append(character)
                }
            }
            if !name.isEmpty { names.append(name) }
            return names
        }
    }
}

extension Cosmos.PartitionKeyDefinition: ExpressibleByStringLiteral {
    /// The definition with one path.
    public init(stringLiteral path: String) { self.init(paths: [path]) }
}
