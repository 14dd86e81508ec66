import SettleDocuments

extension Cosmos {
    /// What came of one operation of a batch.
    public struct BatchResult: Sendable, Hashable {
        /// The status: 200, 201 or 204.
        public let statusCode: Int
        /// The request units that it cost.
        public let requestCharge: Double?
        /// The version of the document now.
        public let etag: String?
        /// The document; nil after a deletion, and where the service did not send it.
        public let resource: ResourceBody?
        /// The finer reason beside the status; nil when there is none.
        let subStatus: Int?
        /// How long the service asks to wait before the batch is sent again.
        let retryAfter: Duration?

        /// Reads a result.
        init(_ packed: PackedValue) {
            func member(_ name: String) -> JSONValue? { try? packed.member(name) }
            statusCode = member("statusCode")?.integerValue.map { Int($0) } ?? 0
            requestCharge = member("requestCharge")?.doubleValue
            etag = member("eTag")?.stringValue
            let reason = member("subStatusCode")?.integerValue.map { Int($0) }
            subStatus = reason == 0 ? nil : reason
            retryAfter = member("retryAfterMilliseconds")?.doubleValue.flatMap {
                $0 >= 0 && $0 < Self.retryAfterMillisecondsMax ? .milliseconds($0) : nil
            }
            resource = (try? packed.packedMember("resourceBody")).flatMap { body in
                body.isObject ? ResourceBody(packed: body) : nil
            }
        }

        private static let retryAfterMillisecondsMax = 1e12

        /// Whether the operation was carried out.
        var isSuccess: Bool { (200..<300).contains(statusCode) }

        /// Whether it failed because another one of the batch did (424).
        var isDependent: Bool { statusCode == 424 }
    }
}
