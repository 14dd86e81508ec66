import SettleDocuments

extension ServiceState {
    /// The resource at the root of the account.
    func account(_ exchange: Exchange) -> JSONValue {
        let host = exchange.request.headers["host"] ?? "127.0.0.1"
        let location: JSONValue = [
            "name": "Loopback", "databaseAccountEndpoint": .string("http://\(host)/"),
        ]
        return [
            "_self": "", "id": .string(configuration.name), "_rid": .string(configuration.name),
            "media": "//media/", "addresses": "//addresses/", "_dbs": "//dbs/",
            "writableLocations": [location], "readableLocations": [location],
            "enableMultipleWriteLocations": false,
            "userReplicationPolicy": [
                "asyncReplication": false, "minReplicaSetSize": 1, "maxReplicasetSize": 4,
            ],
            "userConsistencyPolicy": [
                "defaultConsistencyLevel": .string(configuration.consistency)
            ],
            "systemReplicationPolicy": ["minReplicaSetSize": 1, "maxReplicasetSize": 4],
            "readPolicy": ["primaryReadCoefficient": 1, "secondaryReadCoefficient": 1],
            "queryEngineConfiguration": .string(Self.queryEngine),
        ]
    }

    /// What clients may know of the query engine, as JSON in a string.
    private static let queryEngine: String = {
        let limits: JSONValue = [
            "maxSqlQueryInputLength": 262_144, "maxJoinsPerSqlQuery": 5,
            "maxLogicalAndPerSqlQuery": 500, "maxLogicalOrPerSqlQuery": 500,
            "maxUdfRefPerSqlQuery": 10, "maxInExpressionItemsCount": 16_000,
            "queryMaxInMemorySortDocumentCount": 500, "maxQueryRequestTimeoutFraction": 0.9,
            "sqlAllowNonFiniteNumbers": false, "sqlAllowAggregateFunctions": true,
            "sqlAllowSubQuery": true, "sqlAllowScalarSubQuery": true, "allowNewKeywords": true,
            "sqlAllowLike": true, "sqlAllowGroupByClause": true, "maxSpatialQueryCells": 12,
            "spatialMaxGeometryPointCount": 256, "sqlDisableQueryILOptimization": false,
            "sqlDisableFilterPlanOptimization": false, "enableSpatialIndexing": true,
        ]
        return limits.jsonText
    }()
}
