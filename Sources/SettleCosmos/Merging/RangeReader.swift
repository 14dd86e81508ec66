import SettleDocuments

extension Cosmos {
    /// Asks one range after the other.
    struct RangeReader: Sendable {
        let service: any OperationHandler
        let operation: Operation
        let collection: Link
        let plan: QueryPlan

        /// What was read of a range, and what that cost.
        struct Read: Sendable {
            /// The range, or those that a split made of it.
            var cursors: [RangeCursor]
            var charge = 0.0
            var metadata = ResponseMetadata()
            var collectionId = ""
        }

        /// How many splits a read gets over.
        private static let splitCountMax = 100

        /// Reads the next results of a range, until there are some or it has no more.
        ///
        /// A range that was split is replaced by its children, which go on where it was.
        func read(_ cursor: RangeCursor) async throws(ClientError) -> Read {
            var read = Read(cursors: [cursor])
            var splitCount = 0
            var progress = PageProgress()
            while let index = read.cursors.firstIndex(where: \.mustRead) {
                var request = operation
                request.partition = .range(id: read.cursors[index].part.rangeId)
                request.page.continuation = read.cursors[index].continuation
                if let text = plan.rewrittenQuery { request.body = try rewritten(text) }
                let response: OperationResponse
                do throws(ClientError) {
                    response = try await service.perform(request)
                } catch {
                    splitCount += 1
                    guard error.isAboutRanges, splitCount <= Self.splitCountMax else {
                        throw error
                    }
                    try await split(&read.cursors, at: index, since: error)
                    continue
                }
                guard case .feed(let elements, let id) = response.content else {
                    throw ClientError(
                        .unreadableResponse, "The response of a range to a query is no list.")
                }
                read.metadata = response.metadata
                read.charge += response.metadata.requestCharge ?? 0
                read.collectionId = id
                let next = response.metadata.continuation
                if let next {
                    let place = "\(read.cursors[index].part.rangeId) \(next)"
                    let isSame = next == request.page.continuation
                    guard progress.goesOn(to: place, isEmpty: elements.isEmpty),
                        elements.isEmpty || !isSame
                    else {
                        throw ClientError(
                            .unreadableResponse,
                            "The results of a range do not come to an end: the service gives the same "
                                + "continuation again.", activityId: response.metadata.activityId)
                    }
                    // A page that took too long.
                    if isSame { continue }
                }
                try read.cursors[index].add(elements, next: next, plan)
            }
            return read
        }

        private func split(
            _ cursors: inout [RangeCursor], at index: Int, since error: ClientError
        ) async throws(ClientError) {
            let part = cursors[index].part
            let found = try await PartitionRanges.read(of: collection, by: service)
            let children = found.ranges.filter { $0.parents.contains(part.rangeId) }
            guard !children.isEmpty else { throw error }
            cursors.replaceSubrange(
                index...index,
                with: children.map { child in
                    // Where a range is in its different results does not say where its children are. They begin
                    // again, and what was given is known.
                    if plan.isDistinct { return RangeCursor(.init(rangeId: child.id)) }
                    var inherited = part
                    inherited.rangeId = child.id
                    return RangeCursor(inherited)
                })
        }

        /// The body of the query that the plan has for each range.
        private func rewritten(_ text: String) throws(ClientError) -> Operation.Body {
            guard case .json(let packed) = operation.body else { return operation.body }
            do {
                return .json(try packed.setting(["query": .string(text)]))
            } catch {
                throw ClientError(
                    .invalidDocument, "The query cannot be written as JSON.", cause: error)
            }
        }
    }
}
