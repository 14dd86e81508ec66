import SettleDocuments

extension Cosmos {
    /// Several operations on documents of one logical partition, all of which are carried out, or none.
    ///
    /// ```swift
    /// var batch = Cosmos.Batch()
    /// try batch.createOrReplace(Person(id: "18", city: "London", name: "Grace"))
    /// batch.patch(documentWithId: "17", changes)
    /// batch.delete(documentWithId: "16")
    /// ```
    public struct Batch: Sendable {
        /// The most operations of a batch.
        public static var countMax: Int { 100 }

        /// One operation.
        struct Step: Sendable, Hashable {
            var type: String
            var id: String?
            var etag: String?
            var body: JSONValue?

            var json: JSONValue {
                var json: JSONValue = ["operationType": .string(type)]
                json["id"] = id.map { .string($0) }
                json["ifMatch"] = etag.map { .string($0) }
                json["resourceBody"] = body
                return json
            }
        }

        private(set) var steps: [Step] = []
        /// Why the batch cannot be sent; nil when it can.
        private var fault: ClientError?

        /// A batch of nothing.
        public init() {}

        /// How many operations there are.
        public var count: Int { steps.count }

        /// Makes a document.
        ///
        /// - Throws: ``ClientError`` with `invalidId` or `invalidDocument` when it cannot be made.
        public mutating func create(_ document: some DocumentContent) throws(ClientError) {
            try add("Create", document)
        }

        /// Makes a document, or replaces the one with its id.
        ///
        /// - Throws: As ``create(_:)``.
        public mutating func createOrReplace(_ document: some DocumentContent) throws(ClientError) {
            try add("Upsert", document)
        }

        /// Replaces a document.
        ///
        /// - Parameters:
        ///   - document: The document.
        ///   - etag: The version that it must have; nil for any.
        /// - Throws: ``ClientError`` with `invalidDocument` when it cannot be encoded.
        public mutating func replace(
            _ document: some DocumentContent, ifMatch etag: String? = nil
        ) throws(ClientError) {
            steps.append(
                Step(type: "Replace", id: document.id, etag: etag, body: try Self.json(document)))
        }

        /// Changes members of a document.
        ///
        /// - Parameters:
        ///   - id: Its id.
        ///   - operations: The changes, 1 to 10.
        ///   - etag: The version that it must have; nil for any.
        public mutating func patch(
            documentWithId id: String, _ operations: [PatchOperation], ifMatch etag: String? = nil
        ) {
            do throws(ClientError) {
                let body = try PatchOperation.body(of: operations, where: nil)
                steps.append(Step(type: "Patch", id: id, etag: etag, body: body))
            } catch {
                fault = fault ?? error
            }
        }

        /// Removes a document.
        ///
        /// - Parameters:
        ///   - id: Its id.
        ///   - etag: The version that it must have; nil for any.
        public mutating func delete(documentWithId id: String, ifMatch etag: String? = nil) {
            steps.append(Step(type: "Delete", id: id, etag: etag))
        }

        /// Reads a document, as the operations before it leave it.
        public mutating func get(documentWithId id: String) {
            steps.append(Step(type: "Read", id: id))
        }

        private mutating func add(
            _ type: String, _ document: some DocumentContent
        ) throws(ClientError) {
            try IdentifierRule.check(document.id, of: .document)
            steps.append(Step(type: type, body: try Self.json(document)))
        }

        private static func json<Content: DocumentContent>(
            _ document: Content
        ) throws(ClientError) -> JSONValue {
            .object(try DocumentResource<Content>.body(of: document).json)
        }

        /// The body of the request.
        ///
        /// - Throws: ``ClientError`` with `resourceRequestError` for none, and for more than 100.
        func body() throws(ClientError) -> JSONValue {
            if let fault { throw fault }
            guard (1...Self.countMax).contains(steps.count) else {
                throw ClientError(
                    .resourceRequestError,
                    "Nothing was sent: a batch has 1 to \(Self.countMax) operations, and this one has "
                        + "\(steps.count).")
            }
            return .array(steps.map(\.json))
        }
    }
}

extension Cosmos.BatchResult {
    /// The document as a type.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: ``Cosmos/ClientError`` with `invalidDocument` when it cannot be decoded.
    public func document<Content: Cosmos.DocumentContent>(
        as type: Content.Type
    ) throws(Cosmos.ClientError) -> Cosmos.DocumentResource<Content>? {
        guard let resource else { return nil }
        return try Cosmos.DocumentResource<Content>(body: resource)
    }
}
