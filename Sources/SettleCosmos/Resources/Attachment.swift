import SettleDocuments

extension Cosmos {
    /// Content of any type that belongs to a document: bytes that the service keeps, or the address of some that
    /// are elsewhere.
    public struct Attachment: Resource, Hashable {
        /// An attachment's type.
        public static let resourceType = ResourceType.attachment
        /// Its JSON.
        public var body: ResourceBody

        /// An attachment as the service sent it.
        public init(body: ResourceBody) { self.body = body }

        /// The type of the content, such as `image/jpeg`.
        public var contentType: String? {
            get { body["contentType"]?.stringValue }
            set { body["contentType"] = newValue.map { .string($0) } }
        }

        /// Where the content is: an address of the app's, or `/media/…` for bytes that the service keeps.
        public var media: String? {
            get { body["media"]?.stringValue }
            set { body["media"] = newValue.map { .string($0) } }
        }

        /// The service's name for the bytes that it keeps; nil for content that is elsewhere.
        var mediaId: String? {
            guard let media else { return nil }
            let parts = media.split(separator: "/")
            guard parts.count == 2, parts[0] == CosmosProtocol.media else { return nil }
            return String(parts[1])
        }
    }
}
