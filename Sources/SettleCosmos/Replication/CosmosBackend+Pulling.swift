import SettleDocuments
public import SettleSync

extension CosmosBackend {
    /// The most items of a page that the service gives.
    private static let pageSizeMax = 1_000

    /// Reads the next changes of a range or partition.
    ///
    /// The token says how far each was read; Docs/Formats/CosmosContinuations.md has its parts.
    public func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        let form = try await form()
        let keys = try Self.keys(of: query)
        do throws(Cosmos.ClientError) {
            let reader = Cosmos.ChangeReader(
                handler: try client.session().service, collection: collection)
            var position = try await position(token, keys, reader, isFirstPage: isFirstPage)
            let read = try await reader.read(
                &position, itemCountMax: min(itemCountMax, Self.pageSizeMax))
            if read.documents.isEmpty, isFirstPage, let token {
                // Nothing is new. The same token costs nothing to keep.
                return PullPage(items: [], token: token, isLast: true)
            }
            let documents = read.documents
            return PullPage(
                itemCount: documents.count, token: PullToken(position.text),
                isLast: documents.isEmpty
            ) { documents.map { form.item($0, isListed: true) } }
        } catch {
            throw failure(error)
        }
    }

    /// The logical partitions of a query, in a fixed order.
    private static func keys(of query: PullQuery) throws(ReplicationError) -> [Cosmos.PartitionKey]
    {
        var keys: [Cosmos.PartitionKey] = []
        for channel in query.channels.sorted() { keys.append(try key(ofChannel: channel)) }
        return keys
    }

    /// Where a pull goes on.
    private func position(
        _ token: PullToken?, _ keys: [Cosmos.PartitionKey], _ reader: Cosmos.ChangeReader,
        isFirstPage: Bool
    ) async throws(Cosmos.ClientError) -> Cosmos.ChangePosition {
        if let token, var position = Cosmos.ChangePosition(token.text) {
            guard isFirstPage else { return position }
            do throws(Cosmos.ClientError) {
                try await reader.begin(&position)
                return position
            } catch {
                // The collection was made anew: all that it has is news.
                guard error.kind == .gone else { throw error }
            }
        }
        return try await reader.position(at: .beginning, keys: keys)
    }

    /// Lists the live documents, range by range or partition by partition, in the order of their creation.
    public func list(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage? {
        let form = try await form()
        let keys = try Self.keys(of: query)
        do throws(Cosmos.ClientError) {
            let handler = try client.session().service
            var position: Cosmos.ChangePosition
            if let token {
                guard let known = Cosmos.ChangePosition(token.text) else {
                    throw Cosmos.ClientError(
                        .unreadableResponse,
                        "A listing was asked to go on at a place that no listing ended at.")
                }
                position = known
            } else {
                position = try await Cosmos.ChangeReader(handler: handler, collection: collection)
                    .position(at: .beginning, keys: keys)
            }
            let documents = try await documents(
                &position, itemCountMax: min(itemCountMax, Self.pageSizeMax), handler)
            let items = documents.map { form.item($0) }.filter { !$0.isDeleted }
            return PullPage(
                items: items, token: PullToken(position.text), isLast: position.isCaughtUp)
        } catch {
            throw failure(error)
        }
    }

    /// A page of documents as they are.
    private func documents(
        _ position: inout Cosmos.ChangePosition, itemCountMax: Int,
        _ handler: any Cosmos.OperationHandler
    ) async throws(Cosmos.ClientError) -> [PackedValue] {
        guard let index = position.parts.firstIndex(where: \.isPending) else { return [] }
        let part = position.parts[index]
        var operation = Cosmos.Operation(.list, .document, at: collection)
        operation.page.itemCountMax = itemCountMax
        switch part.scope {
        case .range(let id): operation.partition = .range(id: id)
        case .key(let key): operation.partition = .key(key)
        }
        if case .after(let continuation) = part.place {
            operation.page.continuation = continuation
        }
        var progress = Cosmos.PageProgress(at: operation.page.continuation)
        while true {
            let response: Cosmos.OperationResponse
            do throws(Cosmos.ClientError) {
                response = try await perform(operation)
            } catch {
                guard error.isAboutRanges else { throw error }
                return try await split(&position, handler, since: error)
            }
            guard case .feed(let elements, _) = response.content else { return [] }
            let next = response.metadata.continuation
            if let next, !progress.goesOn(to: next, isEmpty: elements.isEmpty) {
                throw Cosmos.ClientError(
                    .unreadableResponse,
                    "A list of documents does not come to an end: the service gives the same continuation "
                        + "again.", activityId: response.metadata.activityId)
            }
            guard let next else {
                position.parts[index].isPending = false
                return elements
            }
            position.parts[index].place = .after(next)
            if !elements.isEmpty { return elements }
            operation.page.continuation = next
        }
    }

    /// Begins again with the ranges that a split made.
    private func split(
        _ position: inout Cosmos.ChangePosition, _ handler: any Cosmos.OperationHandler,
        since error: Cosmos.ClientError
    ) async throws(Cosmos.ClientError) -> [PackedValue] {
        let found = try await Cosmos.PartitionRanges.read(of: collection, by: handler)
        let known = Set(position.parts.map(\.scope))
        position.follow(found.ranges)
        guard Set(position.parts.map(\.scope)) != known else { throw error }
        for index in position.parts.indices where !known.contains(position.parts[index].scope) {
            position.parts[index].place = .beginning
            position.parts[index].isPending = true
        }
        return []
    }
}
