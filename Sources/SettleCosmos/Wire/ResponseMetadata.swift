public import Foundation
import HTTPTypes
import SettleREST
import SettleTableProtocol

extension Cosmos {
    /// What a response says about itself, beside the resource.
    ///
    /// Everything is nil that the service did not send.
    public struct ResponseMetadata: Sendable, Hashable {
        /// The service's own name for the request.
        public internal(set) var activityId: String?
        /// The path of the resource, or of the one around it, by ids.
        public internal(set) var alternateContentPath: String?
        /// The type of the content.
        public internal(set) var contentType: String?
        /// Where the next page begins; nil after the last.
        public internal(set) var continuation: String?
        /// When the service responded, by its own clock.
        public internal(set) var date: Date?
        /// The version of the resource, or of the change feed.
        public internal(set) var etag: String?
        /// How many resources there are in the page.
        public internal(set) var itemCount: Int?
        /// The request units that the request cost.
        public internal(set) var requestCharge: Double?
        /// How many resources the account or collection may have.
        public internal(set) var resourceQuota: Metrics?
        /// How many it has.
        public internal(set) var resourceUsage: Metrics?
        /// How long to wait before the next request.
        public internal(set) var retryAfter: Duration?
        /// The version of the resource's schema.
        public internal(set) var schemaVersion: String?
        /// The version of the service.
        public internal(set) var serviceVersion: String?
        /// What reads hand in to see what this request wrote.
        public internal(set) var sessionToken: String?
        /// The finer reason beside the status.
        public internal(set) var subStatus: Int?

        /// The metadata of a response that comes from no service.
        init() {}

        /// The metadata that is in the headers of a response.
        init(_ fields: HTTPFields) {
            activityId = fields[.activityId]
            alternateContentPath = fields[.alternateContentPath].map {
                PercentEncoding.decoded($0[...]) ?? $0
            }
            contentType = fields[.contentType]
            continuation = fields[.continuation].flatMap { $0.isEmpty ? nil : $0 }
            date = fields[.date].flatMap { HTTPDate.second(of: $0) }
                .map { Date(timeIntervalSince1970: Double($0)) }
            etag = fields[.eTag]
            itemCount = fields[.itemCount].flatMap { Int($0) }
            requestCharge = fields[.requestCharge].flatMap { Double($0) }
            resourceQuota = fields[.resourceQuota].map { Metrics($0) }
            resourceUsage = fields[.resourceUsage].map { Metrics($0) }
            retryAfter = fields[.retryAfterMilliseconds].flatMap { Double($0) }.flatMap {
                $0.isFinite ? .milliseconds(min(max($0, 0), Self.retryAfterMillisecondsMax)) : nil
            }
            schemaVersion = fields[.schemaVersion]
            serviceVersion = fields[.serviceVersion]
            sessionToken = fields[.sessionToken]
            subStatus = fields[.subStatus].flatMap { Int($0) }
        }

        /// The longest pause that is believed: an hour.
        private static let retryAfterMillisecondsMax = 3_600_000.0
    }

    /// Numbers of resources by their kind, such as `documentsCount` or `collectionSize` (in KB).
    public struct Metrics: Sendable, Hashable {
        /// The numbers by their names.
        public let values: [String: Int64]

        /// Reads what stands in a header: `name=value` with semicolons in between.
        ///
        /// What is no number is left out.
        init(_ text: String) {
            var values: [String: Int64] = [:]
            for part in text.split(separator: ";") {
                let pair = part.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, let value = Int64(Self.trimmed(pair[1])) else { continue }
                values[Self.trimmed(pair[0])] = value
            }
            self.values = values
        }

        private static func trimmed(_ text: Substring) -> String {
            text.trimmingCharacters(in: .whitespaces)
        }

        /// The number of that name; nil when it was not sent.
        public subscript(name: String) -> Int64? { values[name] }
    }
}
