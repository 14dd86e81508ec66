import SettleDocuments

extension Cosmos {
    /// JavaScript that runs in the service.
    public protocol ServerCode: Resource {}

    /// JavaScript that a client runs in one logical partition, all or nothing.
    public struct StoredProcedure: ServerCode, Hashable {
        /// A stored procedure's type.
        public static let resourceType = ResourceType.storedProcedure
        /// Its JSON.
        public var body: ResourceBody

        /// A stored procedure as the service sent it.
        public init(body: ResourceBody) { self.body = body }
    }

    /// JavaScript that queries can call.
    public struct UserDefinedFunction: ServerCode, Hashable {
        /// A user-defined function's type.
        public static let resourceType = ResourceType.userDefinedFunction
        /// Its JSON.
        public var body: ResourceBody

        /// A user-defined function as the service sent it.
        public init(body: ResourceBody) { self.body = body }
    }

    /// JavaScript that runs before or after a write that names it.
    public struct Trigger: ServerCode, Hashable {
        /// A trigger's type.
        public static let resourceType = ResourceType.trigger
        /// Its JSON.
        public var body: ResourceBody

        /// A trigger as the service sent it.
        public init(body: ResourceBody) { self.body = body }

        /// The writes that it is for.
        public enum Operation: String, Sendable, Hashable, CaseIterable {
            /// Every write.
            case all = "All"
            /// Creating a document.
            case create = "Create"
            /// Replacing a document.
            case replace = "Replace"
            /// Deleting a document.
            case delete = "Delete"
            /// Updating a document.
            case update = "Update"
        }

        /// When it runs.
        public enum Moment: String, Sendable, Hashable, CaseIterable {
            /// Before the write.
            case pre = "Pre"
            /// After the write.
            case post = "Post"
        }

        /// The writes that it is for; nil for something unknown.
        public var operation: Operation? {
            get { body["triggerOperation"]?.stringValue.flatMap { Operation(rawValue: $0) } }
            set { body["triggerOperation"] = newValue.map { .string($0.rawValue) } }
        }

        /// When it runs; nil for something unknown.
        public var moment: Moment? {
            get { body["triggerType"]?.stringValue.flatMap { Moment(rawValue: $0) } }
            set { body["triggerType"] = newValue.map { .string($0.rawValue) } }
        }
    }
}

extension Cosmos.ServerCode {
    /// The text of the JavaScript.
    public var code: String {
        get { body["body"]?.stringValue ?? "" }
        set { body["body"] = .string(newValue) }
    }
}
