import Foundation
public import Settle
public import SettleDocuments

extension Cosmos {
    /// What a document can be read as: a type of the app's (``Document``), Settle's `Document`, or
    /// ``DocumentProperties``.
    public protocol DocumentContent: Sendable {
        /// The document's id, which is unique in its logical partition.
        var id: String { get }
        /// The key of the document's logical partition; nil when the type does not know it, in which case the
        /// client finds it by the definition of the collection.
        var partitionKeyValue: PartitionKey? { get }
        /// Reads a document.
        ///
        /// - Throws: Anything, when it is none of this type.
        init(documentBody: ResourceBody) throws
        /// The document as JSON.
        ///
        /// - Throws: Anything, when it cannot be written.
        func documentBody() throws -> ResourceBody
    }

    /// A type of the app's that is stored as a document.
    ///
    /// ```swift
    /// struct Person: Cosmos.Document {
    ///     static var partitionKey: PartitionKey? { \.city }
    ///     var id = UUID().uuidString
    ///     var city: String
    ///     var born: Date?
    /// }
    /// ```
    ///
    /// Dates are written as ISO 8601 in UTC with six digits of the second's fraction, `Data` in Base64. A replace
    /// writes the members of the type and no others; where several programs write other members, use
    /// ``DocumentProperties`` or a patch.
    public protocol Document: DocumentContent, Codable {
        /// A path to the member that is the partition key.
        typealias PartitionKey = KeyPath<Self, String>
        /// The member that is the partition key; nil, as it is unless a type says otherwise, to find it by the
        /// definition of the collection.
        ///
        /// Where the key is no text or has several parts, give ``DocumentContent/partitionKeyValue``.
        static var partitionKey: PartitionKey? { get }
    }
}

extension Cosmos.Document {
    /// None.
    public static var partitionKey: PartitionKey? { nil }

    /// The value at the path of the type; nil without one.
    public var partitionKeyValue: Cosmos.PartitionKey? {
        Self.partitionKey.map { Cosmos.PartitionKey(self[keyPath: $0]) }
    }

    /// Decodes a document.
    ///
    /// - Throws: `DecodingError` with the path when a member is absent or of another type.
    public init(documentBody: Cosmos.ResourceBody) throws {
        self = try documentBody.packed.decode(Self.self, leaves: Cosmos.CodingLeaves())
    }

    /// Encodes the document.
    ///
    /// - Throws: `EncodingError` with the path when a number is not finite, for example; ``Cosmos/ClientError`` with
    ///   `invalidDocument` when the type does not encode as an object.
    public func documentBody() throws -> Cosmos.ResourceBody {
        let packed = try PackedValue(encoding: self, leaves: Cosmos.CodingLeaves())
        guard packed.isObject else {
            throw Cosmos.ClientError(
                .invalidDocument,
                "A document is a JSON object, and \(Self.self) encodes as something else.")
        }
        return Cosmos.ResourceBody(packed: packed)
    }
}

extension Cosmos {
    /// A document or a part of one, by names: for results of queries that are no whole documents, and for documents
    /// whose members are not known beforehand.
    @dynamicMemberLookup
    public struct DocumentProperties: DocumentContent, Hashable {
        /// The value that the service sent; of a document an object, of `SELECT VALUE` any value.
        public var value: JSONValue

        /// Properties of members.
        public init(_ members: [String: JSONValue]) { value = .object(members) }

        /// Properties that are any value.
        public init(value: JSONValue) { self.value = value }

        /// The id; empty when there is none.
        public var id: String { value["id"]?.stringValue ?? "" }

        /// Nil: the key is found by the definition of the collection.
        public var partitionKeyValue: PartitionKey? { nil }

        /// The member with a name; nil when there is none.
        ///
        /// Setting nil removes a member.
        ///
        /// - Precondition: Members are set of an object only.
        public subscript(name: String) -> JSONValue? {
            get { value[name] }
            set { value[name] = newValue }
        }

        /// The member with a name, as `properties.city`.
        public subscript(dynamicMember name: String) -> JSONValue? { value[name] }

        /// All members; none when the value is no object.
        public var members: [String: JSONValue] { value.objectValue ?? [:] }

        /// Reads a document.
        ///
        /// - Throws: When the JSON is damaged.
        public init(documentBody: ResourceBody) throws {
            value = try documentBody.packed.value()
        }

        /// The members.
        ///
        /// - Throws: ``ClientError`` with `invalidDocument` when the value is no object.
        public func documentBody() throws -> ResourceBody {
            guard let members = value.objectValue else {
                throw ClientError(
                    .invalidDocument, "A document is a JSON object, and this is something else.")
            }
            return try ResourceBody(members)
        }
    }
}

extension Cosmos.DocumentProperties: ExpressibleByDictionaryLiteral {
    /// Properties of members.
    ///
    /// - Precondition: No name is given twice.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(Dictionary(uniqueKeysWithValues: members))
    }
}

extension Document: Cosmos.DocumentContent {
    /// The members that the service gives to every document, which are no members of Settle's.
    private static let systemMembers = ["_attachments", "_etag", "_rid", "_self", "_ts"]

    /// Nil: the key is found by the definition of the collection.
    public var partitionKeyValue: Cosmos.PartitionKey? { nil }

    /// Reads a document: its members but those that the service gives to every one.
    ///
    /// - Throws: When the JSON is damaged.
    public init(documentBody: Cosmos.ResourceBody) throws {
        let packed = try documentBody.packed.removing(Self.systemMembers + ["id"])
        self.init(id: documentBody.id, packed: packed)
    }

    /// The members with the id.
    ///
    /// - Throws: ``/Settle/DatabaseError`` with `invalidDocument` when a member was set to something that JSON cannot express.
    public func documentBody() throws -> Cosmos.ResourceBody {
        Cosmos.ResourceBody(packed: try packed().setting(["id": .string(id)]))
    }
}
