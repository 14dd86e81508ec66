import SettleDocuments

extension Cosmos {
    /// A database: a name for collections and users.
    public struct Database: Resource, Hashable {
        /// A database's type.
        public static let resourceType = ResourceType.database
        /// Its JSON.
        public var body: ResourceBody

        /// A database as the service sent it.
        public init(body: ResourceBody) { self.body = body }
    }

    /// A user of a database, who has permissions.
    public struct User: Resource, Hashable {
        /// A user's type.
        public static let resourceType = ResourceType.user
        /// Its JSON.
        public var body: ResourceBody

        /// A user as the service sent it.
        public init(body: ResourceBody) { self.body = body }
    }

    /// What a user may do with one resource and all below it, with a token that proves it.
    public struct Permission: Resource, Hashable, CustomStringConvertible, CustomReflectable {
        /// A permission's type.
        public static let resourceType = ResourceType.permission
        /// Its JSON, which holds the token.
        public var body: ResourceBody

        /// A permission as the service sent it.
        public init(body: ResourceBody) { self.body = body }

        /// A permission as a server of the app hands it on.
        ///
        /// - Parameters:
        ///   - id: Its id.
        ///   - mode: What it allows.
        ///   - resource: The link of the resource that it is for, such as `dbs/shop/colls/orders`.
        ///   - token: The token.
        public init(id: String, mode: PermissionMode, resource: String, token: String) {
            body = ResourceBody(writing: [
                "id": .string(id), "permissionMode": .string(mode.rawValue),
                "resource": .string(resource), "_token": .string(token),
            ])
        }

        /// What it allows; nil for something unknown.
        public var permissionMode: PermissionMode? {
            get { body["permissionMode"]?.stringValue.flatMap { PermissionMode(text: $0) } }
            set { body["permissionMode"] = newValue.map { .string($0.rawValue) } }
        }

        /// The link of the resource that it is for.
        public var resource: String? {
            get { body["resource"]?.stringValue }
            set { body["resource"] = newValue.map { .string($0) } }
        }

        /// The token, which is secret; nil when the service did not send it.
        public var token: String? { body["_token"]?.stringValue }

        /// The id and the mode, without the token.
        public var description: String {
            "permission '\(id)' (\(permissionMode?.rawValue ?? "unknown"))"
        }

        /// Shows nothing of the token.
        public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
    }

    /// The throughput of a database or collection.
    public struct Offer: Resource, Hashable {
        /// An offer's type.
        public static let resourceType = ResourceType.offer
        /// Its JSON.
        public var body: ResourceBody

        /// An offer as the service sent it.
        public init(body: ResourceBody) { self.body = body }

        /// The request units a second; nil when the offer names none, as one that scales by itself.
        public var throughput: Int? {
            get { body["content"]?["offerThroughput"]?.integerValue.map { Int($0) } }
            set {
                var content = body["content"] ?? .object([:])
                content["offerThroughput"] = newValue.map { .integer(Int64($0)) }
                body["content"] = content
            }
        }

        /// The identifier of the database or collection that has it.
        public var offerResourceId: String? { body["offerResourceId"]?.stringValue }

        /// The self link of the database or collection that has it.
        public var resource: String? { body["resource"]?.stringValue }

        /// The version of the offer, such as `V2`.
        public var offerVersion: String? { body["offerVersion"]?.stringValue }
    }

    /// A range of hashed partition keys, which one partition of a collection keeps.
    public struct PartitionKeyRange: Resource, Hashable {
        /// A range's type.
        public static let resourceType = ResourceType.partitionKeyRange
        /// Its JSON.
        public var body: ResourceBody

        /// A range as the service sent it.
        public init(body: ResourceBody) { self.body = body }

        /// Where it begins, in hexadecimal digits; empty at the beginning of all.
        public var minInclusive: String { body["minInclusive"]?.stringValue ?? "" }

        /// Where it ends, in hexadecimal digits; `FF` is the end of all.
        public var maxExclusive: String { body["maxExclusive"]?.stringValue ?? "FF" }

        /// The ids of the ranges that were split to make it.
        public var parents: [String] {
            body["parents"]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
    }
}

extension Cosmos.ResourceBody {
    /// An object of members that can be written.
    init(writing members: [String: JSONValue]) {
        do {
            self = try Cosmos.ResourceBody(members)
        } catch {
            preconditionFailure("Texts and finite numbers can be written: \(error)")
        }
    }
}
