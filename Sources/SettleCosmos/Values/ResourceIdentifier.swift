import Foundation

extension Cosmos {
    /// The identifier that the service gives to a resource (`_rid`).
    ///
    /// It holds those of the resources around it: 4 bytes for a database, 4 more for a collection or
    /// user, 8 more for what is in those, 4 more for an attachment; in Base64, with `-` for `/`.
    ///
    /// > Source: the resource identifiers of the public Azure Cosmos DB SDKs.
    public struct ResourceIdentifier: Sendable, Hashable, CustomStringConvertible {
        /// The bytes: 4, 8, 16 or 20.
        public let bytes: [UInt8]

        /// Reads an identifier.
        ///
        /// - Returns: nil when the text is no Base64 of 4, 8, 16 or 20 bytes. The identifiers of offers
        ///   are of another kind.
        public init?(_ text: String) {
            let base64 = text.replacing("-", with: "/")
            guard let data = Data(base64Encoded: base64), [4, 8, 16, 20].contains(data.count)
            else { return nil }
            bytes = [UInt8](data)
        }

        private init(bytes: some Sequence<UInt8>) {
            self.bytes = Array(bytes)
        }

        /// The type of the resource; nil for a kind that is not known here, such as a conflict.
        ///
        /// A collection has the highest bit of its own part set; what is in a collection has its type
        /// in the highest four bits of the last byte.
        public var type: ResourceType? {
            switch bytes.count {
            case 4: return .database
            case 8: return bytes[4] & 0x80 == 0 ? .user : .collection
            case 20: return .attachment
            default:
                guard bytes[4] & 0x80 != 0 else { return .permission }
                switch bytes[15] >> 4 {
                case 0: return .document
                case 5: return .partitionKeyRange
                case 6: return .userDefinedFunction
                case 7: return .trigger
                case 8: return .storedProcedure
                default: return nil
                }
            }
        }

        /// The identifier of the resource around it; nil for a database.
        public var parent: ResourceIdentifier? {
            switch bytes.count {
            case 8: ResourceIdentifier(bytes: bytes.prefix(4))
            case 16: ResourceIdentifier(bytes: bytes.prefix(8))
            case 20: ResourceIdentifier(bytes: bytes.prefix(16))
            default: nil
            }
        }

        /// The self link of the resource; nil for a kind that is not known here.
        public var selfLink: Link? {
            guard let type else { return nil }
            guard let parent else { return Link(type, text, isByResourceIds: true) }
            return parent.selfLink?.child(type, text)
        }

        /// The identifier as text.
        public var text: String {
            Data(bytes).base64EncodedString().replacing("/", with: "-")
        }

        /// The identifier as text.
        public var description: String { text }
    }
}
