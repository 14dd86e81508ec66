import SettleTableProtocol

extension Cosmos {
    /// Where a resource is: its own name and those of the resources around it.
    ///
    /// There are two forms, and the service takes either: by the ids that apps choose
    /// (`dbs/shop/colls/orders/docs/17`, the *alt link*) and by the identifiers that the service gives
    /// (`dbs/1KtjAA==/colls/1KtjAImkcgw=`, the *self link*). A link is wholly of one form.
    public struct Link: Sendable, Hashable, CustomStringConvertible {
        /// One resource on the way.
        public struct Step: Sendable, Hashable {
            /// Its type.
            public let type: ResourceType
            /// Its id or resource identifier, as it is, without percent-encoding.
            public let name: String
        }

        /// The resources from the outermost to the one that the link leads to; never empty.
        public let steps: [Step]
        /// Whether the names are resource identifiers of the service.
        public let isByResourceIds: Bool

        private init(_ steps: [Step], isByResourceIds: Bool) {
            self.steps = steps
            self.isByResourceIds = isByResourceIds
        }

        /// A resource of the account itself: a database or an offer.
        ///
        /// - Precondition: Resources of that type have no parent.
        init(_ type: ResourceType, _ name: String, isByResourceIds: Bool = false) {
            precondition(type.parent == nil, "A \(type.noun) has a parent.")
            self.init([Step(type: type, name: name)], isByResourceIds: isByResourceIds)
        }

        /// A resource below another.
        ///
        /// - Precondition: Resources of that type are kept in those of this link's type.
        func child(_ type: ResourceType, _ name: String) -> Link {
            precondition(type.parent == self.type, "A \(self.type.noun) has no \(type.noun).")
            return Link(steps + [Step(type: type, name: name)], isByResourceIds: isByResourceIds)
        }

        /// Reads a link, with or without slashes around it; nil when types do not follow each other as they
        /// must, or a name is missing.
        ///
        /// - Parameters:
        ///   - text: Types and names in turn, such as `dbs/shop/colls/orders`.
        ///   - isByResourceIds: Whether the names are resource identifiers of the service.
        public init?(_ text: String, isByResourceIds: Bool) {
            var parts = text.split(separator: "/", omittingEmptySubsequences: false)[...]
            if parts.first == "" { parts.removeFirst() }
            if parts.last == "" { parts.removeLast() }
            guard !parts.isEmpty, parts.count.isMultiple(of: 2) else { return nil }
            var steps: [Step] = []
            while let word = parts.popFirst(), let name = parts.popFirst() {
                guard let type = ResourceType(rawValue: String(word)), !name.isEmpty,
                    type.parent == steps.last?.type
                else { return nil }
                steps.append(Step(type: type, name: String(name)))
            }
            self.init(steps, isByResourceIds: isByResourceIds)
        }

        /// A database by its id.
        public static func database(_ id: String) -> Link { Link(.database, id) }

        /// A collection by its id.
        public static func collection(_ id: String, inDatabase databaseId: String) -> Link {
            database(databaseId).child(.collection, id)
        }

        /// A document by its id.
        public static func document(
            _ id: String, inCollection collectionId: String, inDatabase databaseId: String
        ) -> Link {
            collection(collectionId, inDatabase: databaseId).child(.document, id)
        }

        /// A user by its id.
        public static func user(_ id: String, inDatabase databaseId: String) -> Link {
            database(databaseId).child(.user, id)
        }

        /// The type of the resource.
        public var type: ResourceType { last.type }

        /// The id or resource identifier of the resource.
        public var name: String { last.name }

        private var last: Step {
            guard let last = steps.last else { preconditionFailure("A link has a step.") }
            return last
        }

        /// Where the resource is kept; nil for one of the account itself.
        public var parent: Link? {
            guard steps.count > 1 else { return nil }
            return Link(Array(steps.dropLast()), isByResourceIds: isByResourceIds)
        }

        /// The resources around this one, the outermost first.
        public var ancestors: [Link] {
            parent.map { $0.ancestors + [$0] } ?? []
        }

        /// The nearest resource of that type: this one or one around it.
        public func nearest(_ type: ResourceType) -> Link? {
            guard let index = steps.lastIndex(where: { $0.type == type }) else { return nil }
            return Link(Array(steps[...index]), isByResourceIds: isByResourceIds)
        }

        /// Whether this is the other resource or one below it.
        public func isWithin(_ other: Link) -> Bool {
            isByResourceIds == other.isByResourceIds && steps.starts(with: other.steps)
        }

        /// Types and names in turn, without percent-encoding and without slashes around them.
        public var text: String {
            steps.map { "\($0.type.pathComponent)/\($0.name)" }.joined(separator: "/")
        }

        /// The path of a URL.
        var path: String {
            steps.map { "/\($0.type.pathComponent)/\(PercentEncoding.encoded($0.name))" }.joined()
        }

        /// The path of the list of resources of that type below this one, or of the account.
        static func path(of type: ResourceType, in parent: Link?) -> String {
            "\(parent?.path ?? "")/\(type.pathComponent)"
        }

        /// The link as it stands in the text that a request is signed by: names as they are, of
        /// resource identifiers only the last, in lower case.
        var signedText: String { isByResourceIds ? name.lowercased() : text }

        /// The link as text.
        public var description: String { text }
    }
}
