import SettleDocuments

/// What the service knows of a collection besides its body.
struct CollectionState: Sendable {
    var definition: PartitionKeyDefinition
    /// The ranges, by their lower bounds.
    var ranges: [PartitionKeyRange]
    /// The number of the last write.
    var sequence: Int64 = 0
    /// How many ranges there have been.
    var rangeCount: Int
    /// How long documents live, in seconds; -1 for ever unless they say so; nil when none expires.
    var timeToLive: Int64?
    /// Paths whose values are unique in a logical partition.
    var uniqueKeys: [[[String]]] = []

    /// The range with an effective key.
    func range(of effectiveKey: String) -> PartitionKeyRange {
        ranges.last { $0.lower <= effectiveKey } ?? ranges[0]
    }

    /// The ranges that have something between two bounds.
    func ranges(from lower: String, to upper: String) -> [PartitionKeyRange] {
        ranges.filter { $0.lower < upper && lower < $0.upper }
    }

    /// Reads how long documents live and what is unique from the body of the collection.
    mutating func read(_ body: JSONValue) throws(ServiceFailure) {
        timeToLive = nil
        if let value = body["defaultTtl"], !value.isNull {
            guard let seconds = value.integerValue, seconds == -1 || seconds > 0 else {
                throw .badRequest("The defaultTtl of a collection is -1 or a number above 0.")
            }
            timeToLive = seconds
        }
        let policies = body["uniqueKeyPolicy"]?["uniqueKeys"]?.arrayValue ?? []
        uniqueKeys = policies.map { policy in
            (policy["paths"]?.arrayValue ?? []).compactMap(\.stringValue).map {
                $0.split(separator: "/").map(String.init)
            }
        }
    }
}
