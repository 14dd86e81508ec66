extension Cosmos {
    /// What the service, or the cache in its place, answered.
    public struct Response<Value: Sendable>: Sendable {
        /// The resource, or the list of resources.
        public let resource: Value
        /// What the response says about itself.
        public let metadata: ResponseMetadata
        /// The status: 200, 201 or 204.
        public let statusCode: Int
        /// Whether it comes from what this device keeps, and not from the service.
        public let fromCache: Bool
        /// Fetches the page after this one; nil when there is none.
        let fetchNext: (@Sendable () async throws(ClientError) -> Response<Value>)?

        /// A response.
        init(
            _ resource: Value, _ response: OperationResponse,
            fetchNext: (@Sendable () async throws(ClientError) -> Response<Value>)? = nil
        ) {
            self.init(
                resource, response.metadata, response.status, fromCache: response.fromCache,
                fetchNext: fetchNext)
        }

        private init(
            _ resource: Value, _ metadata: ResponseMetadata, _ statusCode: Int, fromCache: Bool,
            fetchNext: (@Sendable () async throws(ClientError) -> Response<Value>)?
        ) {
            self.resource = resource
            self.metadata = metadata
            self.statusCode = statusCode
            self.fromCache = fromCache
            self.fetchNext = fetchNext
        }

        /// Whether the service made a resource, as ``Client/createOrReplace(_:inCollection:inDatabase:withPartitionKey:options:)``
        /// may.
        public var isCreated: Bool { statusCode == 201 }

        /// Whether there may be another page.
        public var hasMoreResults: Bool { fetchNext != nil }

        /// Fetches the page after this one.
        ///
        /// - Returns: The page; it is empty only where nothing more came.
        /// - Throws: ``ClientError`` with `noMoreResultsError` when this is the last one, and as the first page.
        public func next() async throws(ClientError) -> Response<Value> {
            guard let fetchNext else {
                throw ClientError(
                    .noMoreResultsError,
                    "There is no page after the last; ask hasMoreResults first.")
            }
            return try await fetchNext()
        }

        /// The response with something made of its resource.
        ///
        /// - Parameter transform: Makes it.
        /// - Returns: The response, with the same metadata.
        /// - Throws: What `transform` throws.
        public func map<Other: Sendable, Failure: Swift.Error>(
            _ transform: @Sendable (Value) throws(Failure) -> Other
        ) throws(Failure) -> Response<Other> {
            Response<Other>(
                try transform(resource), metadata, statusCode, fromCache: fromCache, fetchNext: nil)
        }
    }
}
