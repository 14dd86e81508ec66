import HTTPTypes

extension HTTPField.Name {
    // Of requests and responses.
    static let cosmosVersion = cosmos("x-ms-version")
    static let cosmosDate = cosmos("x-ms-date")
    static let activityId = cosmos("x-ms-activity-id")
    static let sessionToken = cosmos("x-ms-session-token")
    static let continuation = cosmos("x-ms-continuation")

    // Of requests.
    static let partitionKey = cosmos("x-ms-documentdb-partitionkey")
    static let partitionKeyRangeId = cosmos("x-ms-documentdb-partitionkeyrangeid")
    static let isQuery = cosmos("x-ms-documentdb-isquery")
    static let isQueryPlan = cosmos("x-ms-cosmos-is-query-plan-request")
    static let supportedQueryFeatures = cosmos("x-ms-cosmos-supported-query-features")
    static let isUpsert = cosmos("x-ms-documentdb-is-upsert")
    static let enablesCrossPartition = cosmos("x-ms-documentdb-query-enablecrosspartition")
    static let maxItemCount = cosmos("x-ms-max-item-count")
    static let consistencyLevel = cosmos("x-ms-consistency-level")
    static let indexingDirective = cosmos("x-ms-indexing-directive")
    static let preTriggers = cosmos("x-ms-documentdb-pre-trigger-include")
    static let postTriggers = cosmos("x-ms-documentdb-post-trigger-include")
    static let offerThroughput = cosmos("x-ms-offer-throughput")
    static let isBatch = cosmos("x-ms-cosmos-is-batch-request")
    static let isBatchAtomic = cosmos("x-ms-cosmos-batch-atomic")
    static let batchContinuesOnError = cosmos("x-ms-cosmos-batch-continue-on-error")
    static let slug = cosmos("slug")
    static let instanceManipulation = cosmos("a-im")

    // Of responses.
    static let requestCharge = cosmos("x-ms-request-charge")
    static let retryAfterMilliseconds = cosmos("x-ms-retry-after-ms")
    static let subStatus = cosmos("x-ms-substatus")
    static let resourceQuota = cosmos("x-ms-resource-quota")
    static let resourceUsage = cosmos("x-ms-resource-usage")
    static let alternateContentPath = cosmos("x-ms-alt-content-path")
    static let contentPath = cosmos("x-ms-content-path")
    static let schemaVersion = cosmos("x-ms-schemaversion")
    static let serviceVersion = cosmos("x-ms-serviceversion")
    static let itemCount = cosmos("x-ms-item-count")

    private static func cosmos(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' is a name that a header may have.")
        }
        return name
    }
}

/// The words of the protocol that are no names of headers.
enum CosmosProtocol {
    /// The version of the protocol that requests ask for: the first with hierarchical partition keys.
    static let version = "2020-07-15"
    static let json = "application/json"
    static let query = "application/query+json"
    static let patch = "application/json_patch+json"
    static let incrementalFeed = "Incremental feed"
    /// What a client can put together of the results of several ranges.
    static let queryFeatures =
        "Aggregate,CompositeAggregate,Distinct,GroupBy,MultipleAggregates,MultipleOrderBy,"
        + "NonValueAggregate,OffsetAndLimit,OrderBy,Top"
    /// The type of an attachment's bytes, which are no resource.
    static let media = "media"
}
