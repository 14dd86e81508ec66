public import SettleDocuments

extension Cosmos {
    /// A query over the documents of a collection.
    ///
    /// ```swift
    /// let londoners = Cosmos.Query.select("id", "name").from("Person")
    ///     .where("name", isGreaterThan: "A")
    ///     .and("name", in: ["Ada", "Grace"])
    ///     .orderBy("name")
    /// ```
    ///
    /// Each step gives a new query. Conditions are put together from left to right: what is added with `or` stands beside
    /// all that was before it.
    public struct Query: Sendable, Hashable {
        /// A value that the text of a query refers to by a name.
        public struct Parameter: Sendable, Hashable {
            /// The name, which begins with `@`.
            public let name: String
            /// The value.
            public let value: JSONValue

            /// A parameter.
            public init(_ name: String, _ value: any QueryValue) {
                self.name = name
                self.value = value.queryValue
            }
        }

        /// The order of a result by a member.
        struct Order: Sendable, Hashable {
            var path: String
            var isDescending: Bool
        }

        private var raw: (text: String, parameters: [Parameter])?
        private var selected: [String] = []
        private var root = "Document"
        private var condition: Condition?
        private var orders: [Order] = []
        private var usesParameters = false

        /// A query for all members of all documents.
        public init() {}

        /// A query that is written already.
        ///
        /// - Parameters:
        ///   - text: The text, which is sent as it is. Never put what users wrote into it: that is for parameters.
        ///   - parameters: The values that it refers to.
        public init(_ text: String, parameters: [Parameter] = []) {
            raw = (text, parameters)
        }

        /// A query that is written already; see ``init(_:parameters:)``.
        public static func createFrom(queryString text: String, parameters: [Parameter] = [])
            -> Query
        {
            Query(text, parameters: parameters)
        }

        /// A query for some members of the documents; for all when none is named.
        public static func select(_ paths: String...) -> Query {
            var query = Query()
            query.selected = paths
            return query
        }

        /// The query with a name for the documents, which only shows in its text.
        ///
        /// - Precondition: It is a name in the language: letters, digits and underscores.
        public func from(_ name: String) -> Query {
            precondition(
                QueryWriter.isIdentifier(name)
                    && !QueryWriter.keywords.contains(name.lowercased()),
                "A name in FROM has letters, digits and underscores, and is no word of the language."
            )
            var query = self
            query.root = name
            return query
        }

        /// The query with its result ordered by a member, after what it is ordered by already.
        ///
        /// Several orders take a composite index of the collection.
        public func orderBy(_ path: String, descending: Bool = false) -> Query {
            var query = self
            query.orders.append(Order(path: path, isDescending: descending))
            return query
        }

        /// The query with its values as parameters instead of in its text.
        public func withParameters() -> Query {
            var query = self
            query.usesParameters = true
            return query
        }

        /// The query with a condition.
        ///
        /// - Precondition: It has none yet.
        public func `where`(_ condition: Condition) -> Query {
            precondition(self.condition == nil, "A query has one where; add to it with and, or.")
            return with(condition)
        }

        /// The query with one more condition that must hold.
        public func and(_ condition: Condition) -> Query {
            with(self.condition.map { $0 && condition } ?? condition)
        }

        /// The query with a condition that may hold in place of those before.
        public func or(_ condition: Condition) -> Query {
            with(self.condition.map { $0 || condition } ?? condition)
        }

        private func with(_ condition: Condition) -> Query {
            precondition(raw == nil, "A query that was written already gets no conditions.")
            var query = self
            query.condition = condition
            return query
        }

        /// The text as it is sent.
        public var text: String { written.text }

        /// The values that the text refers to.
        public var parameters: [Parameter] { written.parameters }

        private var written: (text: String, parameters: [Parameter]) {
            if let raw { return raw }
            var writer = QueryWriter(root: root, usesParameters: usesParameters)
            let members =
                selected.isEmpty ? "*" : selected.map { writer.path($0) }.joined(separator: ", ")
            var text = "SELECT \(members) FROM \(root)"
            if let condition { text += " WHERE \(writer.text(of: condition))" }
            if !orders.isEmpty {
                let list = orders.map { writer.path($0.path) + ($0.isDescending ? " DESC" : "") }
                text += " ORDER BY \(list.joined(separator: ", "))"
            }
            return (text, writer.parameters)
        }

        /// The body of the request.
        var json: JSONValue {
            let (text, parameters) = written
            return [
                "query": .string(text),
                "parameters": .array(
                    parameters.map { ["name": .string($0.name), "value": $0.value] }),
            ]
        }

        /// Two queries are equal when the same is sent for them.
        public static func == (left: Query, right: Query) -> Bool {
            left.text == right.text && left.parameters == right.parameters
        }

        /// Feeds what is sent to a hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(text)
            hasher.combine(parameters)
        }
    }
}
