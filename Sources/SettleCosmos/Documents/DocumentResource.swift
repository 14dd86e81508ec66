extension Cosmos {
    /// A resource whose content is of a type of the app's.
    protocol ContentHolder {
        /// The name of the type, by which resolvers of conflicts are found; it outlasts the process.
        static var contentName: String { get }
        /// The key of its logical partition, as far as it is known.
        var knownPartitionKey: PartitionKey? { get set }
        /// What a replace writes.
        func bodyToWrite() throws(ClientError) -> ResourceBody
    }

    /// A document as the service has it: what it is for the app, and where and in which version the service keeps it.
    ///
    /// ```swift
    /// var person = try await cosmos.get(
    ///     documentWithId: "17", as: Person.self, inCollection: "people",
    ///     withPartitionKey: "London", inDatabase: "crm"
    /// ).resource
    /// person.name = "Ada Lovelace"
    /// person = try await cosmos.replace(person).resource
    /// ```
    @dynamicMemberLookup
    public struct DocumentResource<Content: DocumentContent>: Resource {
        /// A document's type.
        public static var resourceType: ResourceType { .document }
        /// The document as the service sent it, with what ``content`` has no name for.
        public var body: ResourceBody
        /// The key that it was read or written with.
        var knownPartitionKey: PartitionKey?
        /// What the document is for the app.
        public var content: Content
        /// A document as the service sent it.
        ///
        /// - Throws: ``ClientError`` with `invalidDocument` when it cannot be decoded.
        public init(body: ResourceBody) throws(ClientError) {
            self.body = body
            content = try Self.content(of: body)
        }

        /// The id of the content.
        public var id: String { content.id }

        /// The self link of its attachments; nil before the service has it.
        public var attachmentsLink: String? { selfLink.map { "\($0)attachments/" } }

        /// A member of the content.
        public subscript<Member>(dynamicMember path: WritableKeyPath<Content, Member>) -> Member {
            get { content[keyPath: path] }
            set { content[keyPath: path] = newValue }
        }

        /// A member of the content.
        public subscript<Member>(dynamicMember path: KeyPath<Content, Member>) -> Member {
            content[keyPath: path]
        }

        static func content(of body: ResourceBody) throws(ClientError) -> Content {
            do {
                return try Content(documentBody: body)
            } catch {
                throw ClientError(
                    .invalidDocument,
                    "The document '\(body.id)' cannot be decoded as \(Content.self).", cause: error)
            }
        }

        static func body(of content: Content) throws(ClientError) -> ResourceBody {
            do {
                return try content.documentBody()
            } catch let error as ClientError {
                throw error
            } catch {
                throw ClientError(
                    .invalidDocument,
                    "The document '\(content.id)' cannot be written as JSON.", cause: error)
            }
        }
    }
}

extension Cosmos.DocumentResource: Cosmos.ContentHolder {
    static var contentName: String {
        let name = String(reflecting: Content.self)
        guard name.contains("(unknown context") else { return name }
        // The name of a private type holds an address, which another build has otherwise.
        return name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }

    func bodyToWrite() throws(Cosmos.ClientError) -> Cosmos.ResourceBody {
        try Self.body(of: content)
    }
}
