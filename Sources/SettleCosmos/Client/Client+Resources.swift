public import Foundation
import SettleDocuments

// What is the same for all types of resources. The calls by ids and names in the other files come down to these.

extension Cosmos.Client {
    /// Makes a resource.
    ///
    /// - Parameters:
    ///   - body: Its JSON, with an id.
    ///   - type: Its type.
    ///   - parent: Where it is kept; nil for the account.
    ///   - options: What else the request asks for.
    /// - Returns: The resource as the service has it, with status 201.
    /// - Throws: ``Cosmos/ClientError`` with `invalidId` for an id that none may have; `conflict` when there is one.
    public func create<R: Cosmos.Resource>(
        _ body: Cosmos.ResourceBody, as type: R.Type, in parent: Cosmos.Link?,
        options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<R> {
        try Cosmos.IdentifierRule.check(body.id, of: R.resourceType)
        var operation = Cosmos.Operation(.create, R.resourceType, at: parent)
        operation.newId = body.id
        operation.body = .json(body.packed)
        operation.options = options
        return try Self.response(try await perform(operation), operation)
    }

    /// The resources of a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - parent: Where they are kept; nil for the account.
    ///   - maxPerPage: The most resources of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - continuation: Where a page before ended; nil to begin at the beginning.
    ///   - options: What else the requests ask for.
    /// - Returns: The pages; nothing is fetched yet.
    public func list<R: Cosmos.Resource>(
        _ type: R.Type, in parent: Cosmos.Link?, maxPerPage: Int? = nil,
        continuation: String? = nil,
        options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<R> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            var operation = Cosmos.Operation(.list, R.resourceType, at: parent)
            operation.options = options
            return operation
        }
    }

    /// Reads a resource.
    ///
    /// - Parameters:
    ///   - type: Its type.
    ///   - link: Where it is.
    ///   - options: What else the request asks for.
    /// - Returns: The resource.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when there is none.
    public func get<R: Cosmos.Resource>(
        _ type: R.Type, at link: Cosmos.Link, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<R> {
        var operation = Cosmos.Operation(.get, R.resourceType, at: link)
        operation.options = options
        operation.partition = try await partition(ofItemAt: link)
        return try Self.response(try await perform(operation), operation)
    }

    /// Reads a resource when it was changed since.
    ///
    /// - Parameters:
    ///   - type: Its type.
    ///   - link: Where it is.
    ///   - date: The time, to the second.
    ///   - key: The partition key of a document; nil to find it.
    ///   - options: What else the request asks for.
    /// - Returns: The resource; nil when it was not changed (status 304).
    /// - Throws: As ``get(_:at:options:)``.
    public func get<R: Cosmos.Resource>(
        _ type: R.Type, at link: Cosmos.Link, ifModifiedSince date: Date,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<R?> {
        var operation = Cosmos.Operation(.get, R.resourceType, at: link)
        operation.options = options
        operation.ifModifiedSince = date
        operation.needsService = true
        operation.partition = try await partition(ofItemAt: link, key)
        let response = try await perform(operation)
        if response.status == 304 { return Cosmos.Response(nil, response) }
        return try (Self.response(response, operation) as Cosmos.Response<R>).map { $0 }
    }

    /// Reads a resource again; when it is as it was, nothing but that is sent.
    ///
    /// How long copies answer gets does not matter; without a network the copy of this device is given.
    ///
    /// - Parameters:
    ///   - resource: The resource as it was read.
    ///   - options: What else the request asks for.
    /// - Returns: The resource as it is now; with status 304 the one that was handed in.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when it is gone; `incompleteIds` when it was never read.
    public func refresh<R: Cosmos.Resource>(
        _ resource: R, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<R> {
        let link = try resource.link()
        var operation = Cosmos.Operation(.get, R.resourceType, at: link)
        operation.options = options
        operation.options.cacheLifetime = .zero
        operation.ifNoneMatch = resource.etag
        operation.partition = try await partition(of: resource, at: link)
        let response = try await perform(operation)
        if response.status == 304 { return Cosmos.Response(resource, response) }
        return try Self.response(response, operation)
    }

    /// Puts a changed resource in place of the one that the service has.
    ///
    /// Depends on the version that was read, unless there is none or the options say otherwise; see
    /// ``conflictStrategies``.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - options: What else the request asks for.
    /// - Returns: The resource as the service has it now.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when it is gone, `preconditionFailed` when the service has
    ///   another version and the strategy leaves it to the caller.
    @discardableResult
    public func replace<R: Cosmos.Resource>(
        _ resource: R, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<R> {
        let link = try resource.link()
        let body = try (resource as? any Cosmos.ContentHolder)?.bodyToWrite() ?? resource.body
        return try await replace(
            R.self, with: body, at: link, matching: resource.etag,
            partition: try await partition(of: resource, at: link), options: options)
    }

    /// Removes a resource and all that is in it.
    ///
    /// Depends on the version that was read, unless there is none or the options say otherwise; see
    /// ``conflictStrategies``.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - options: What else the request asks for.
    /// - Returns: Status 204; 200 when the strategy is `latestWins` and the service keeps its other version.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when it is gone, `preconditionFailed` as
    ///   ``replace(_:options:)``.
    @discardableResult
    public func delete<R: Cosmos.Resource>(
        _ resource: R, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        let link = try resource.link()
        return try await delete(
            R.resourceType, at: link, matching: resource.etag, options: options,
            partition: try await partition(of: resource, at: link))
    }

    /// Removes what is at a link, whatever its version, and all that is in it.
    ///
    /// - Parameters:
    ///   - link: Where it is.
    ///   - key: The partition key of a document; nil to find it, which takes that its id is the key.
    ///   - options: What else the request asks for.
    /// - Returns: Status 204.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when there is nothing.
    @discardableResult
    public func delete(
        at link: Cosmos.Link, withPartitionKey key: Cosmos.PartitionKey? = nil,
        options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            link.type, at: link, matching: nil, options: options,
            partition: try await partition(ofItemAt: link, key))
    }
}

extension Cosmos.Client {
    /// Replaces what is at a link.
    func replace<R: Cosmos.Resource>(
        _ type: R.Type, with body: Cosmos.ResourceBody, at link: Cosmos.Link,
        matching etag: String?,
        partition: Cosmos.Operation.Partition, options: Cosmos.RequestOptions
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<R> {
        var operation = Cosmos.Operation(.replace, R.resourceType, at: link)
        operation.body = .json(body.packed)
        operation.options = options
        operation.partition = partition
        let content = (R.self as? any Cosmos.ContentHolder.Type)?.contentName
        operation.contentName = content
        let write = Cosmos.ConditionalWrite(
            operation: operation, local: body, etag: etag,
            strategy: conflicts.strategy(for: R.resourceType, readAs: content))
        return try Self.response(try await write.perform(by: try session().handler), operation)
    }

    /// Removes what is at a link.
    func delete(
        _ type: Cosmos.ResourceType, at link: Cosmos.Link, matching etag: String?,
        options: Cosmos.RequestOptions, partition: Cosmos.Operation.Partition
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        var operation = Cosmos.Operation(.delete, type, at: link)
        operation.options = options
        operation.partition = partition
        let session = try session()
        let write = Cosmos.ConditionalWrite(
            operation: operation, local: nil, etag: etag,
            strategy: conflicts.strategy(for: type, readAs: nil))
        let response = try await write.perform(by: session.handler)
        if type == .collection || type == .database { session.partitionKeys.forget(link) }
        return Cosmos.Response((), response)
    }

    /// Where in a collection a resource is that was read or handed in.
    func partition<R: Cosmos.Resource>(
        of resource: R, at link: Cosmos.Link
    ) async throws(Cosmos.ClientError) -> Cosmos.Operation.Partition {
        if let holder = resource as? any Cosmos.ContentHolder, let key = holder.knownPartitionKey {
            return .key(key)
        }
        guard R.resourceType == .document, let collection = link.parent else {
            return try await partition(ofItemAt: link)
        }
        let session = try session()
        let key = try await session.partitionKeys.key(
            of: resource.body, in: collection, by: session.handler)
        return key.map { .key($0) } ?? .unspecified
    }

    /// Where in a collection the resource at a link is, as far as that is known by its id.
    func partition(
        ofItemAt link: Cosmos.Link, _ key: Cosmos.PartitionKey? = nil
    ) async throws(Cosmos.ClientError) -> Cosmos.Operation.Partition {
        if let key { return .key(key) }
        guard let document = link.nearest(.document), let collection = document.parent else {
            return .unspecified
        }
        let session = try session()
        let found = try await session.partitionKeys.key(
            ofId: document.name, in: collection, by: session.handler)
        return found.map { .key($0) } ?? .unspecified
    }

    /// The pages of a list or result.
    func pages<R: Cosmos.Resource>(
        maxPerPage: Int?, continuation: String?,
        _ operation: @escaping @Sendable () async throws(Cosmos.ClientError) -> Cosmos.Operation
    ) -> Cosmos.Pages<R> {
        Cosmos.Pages(
            itemCountMax: maxPerPage, continuation: continuation,
            prepare: { [self] () async throws(Cosmos.ClientError) in
                (try session().handler, try await operation())
            },
            decode: { (packed, link) throws(Cosmos.ClientError) in
                try R(body: Cosmos.ResourceBody(packed: packed, altLink: link))
            })
    }

    /// The body of the resource that a response holds.
    static func body(
        of response: Cosmos.OperationResponse, _ operation: Cosmos.Operation
    ) throws(Cosmos.ClientError) -> Cosmos.ResourceBody {
        guard let body = response.resource else {
            throw Cosmos.ClientError(
                .unreadableResponse,
                "The response to the request to \(operation.subject) holds no resource.",
                statusCode: response.status, activityId: response.metadata.activityId)
        }
        return body
    }

    /// A response with the resource that it holds.
    static func response<R: Cosmos.Resource>(
        _ response: Cosmos.OperationResponse, _ operation: Cosmos.Operation
    ) throws(Cosmos.ClientError) -> Cosmos.Response<R> {
        var resource = try R(body: try body(of: response, operation))
        if case .key(let key) = response.partition ?? operation.partition,
            var holder = resource as? any Cosmos.ContentHolder
        {
            holder.knownPartitionKey = key
            if let holder = holder as? R { resource = holder }
        }
        return Cosmos.Response(resource, response)
    }
}
