public import Foundation
import SettleDocuments

extension Cosmos {
    /// What the service keeps: a database, a collection, a document, and so on.
    ///
    /// A resource is a value: to change it, change the copy and replace it. Members that have no name here are
    /// in ``body``, and are sent back.
    public protocol Resource: Sendable {
        /// Its type.
        static var resourceType: ResourceType { get }
        /// Its JSON.
        var body: ResourceBody { get set }
        /// A resource as the service sent it.
        ///
        /// - Throws: ``ClientError`` with `invalidDocument` when a document cannot be decoded.
        init(body: ResourceBody) throws(ClientError)
    }

    /// Resources of a list, or items of a result.
    public struct Resources<Item: Sendable>: Sendable {
        /// The identifier of the resource that the list is of.
        public let resourceId: String
        /// The items, in the service's order.
        public let items: [Item]

        /// A list.
        init(resourceId: String, items: [Item]) {
            self.resourceId = resourceId
            self.items = items
        }

        /// How many there are in this page.
        public var count: Int { items.count }
    }
}

extension Cosmos.Resource {
    /// The id that the app gave it.
    public var id: String { body.id }

    /// The identifier that the service gave it (`_rid`); empty before it has one.
    public var resourceId: String { body.resourceId }

    /// Where it is by the service's identifiers (`_self`); nil before the service has it.
    public var selfLink: String? { body["_self"]?.stringValue }

    /// Where it is by ids, such as `dbs/shop/colls/orders`; nil before the service has it, and where it is not known.
    public var altLink: String? { body.altLink?.text }

    /// The version that the service has of it; nil before it has one.
    public var etag: String? { body.etag }

    /// When the service last wrote it, to the second (`_ts`); nil before it did.
    public var timestamp: Date? {
        body.timestampSeconds.map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Where it is: by ids when that is known, otherwise by the service's identifiers.
    ///
    /// - Throws: ``Cosmos/ClientError`` with `incompleteIds` when the service does not have it yet.
    public func link() throws(Cosmos.ClientError) -> Cosmos.Link {
        let link = body.altLink ?? body.selfLink
        if let link, link.type == Self.resourceType { return link }
        if Self.resourceType == .offer, !resourceId.isEmpty {
            return Cosmos.Link(.offer, resourceId, isByResourceIds: true)
        }
        throw Cosmos.ClientError(
            .incompleteIds,
            "The \(Self.resourceType.noun) '\(id)' does not say where it is: it was not read from the "
                + "service. Name it by its ids, or read it first.")
    }
}
