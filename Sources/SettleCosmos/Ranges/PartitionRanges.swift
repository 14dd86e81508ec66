extension Cosmos {
    /// The physical partitions of a collection, in the order of their keys.
    struct PartitionRanges: Sendable, Hashable {
        /// The identifier of the collection: another one for a collection made anew under an old name.
        var collectionId: String
        /// The ranges; never empty.
        var ranges: [PartitionRange]

        /// Reads the ranges there are now.
        ///
        /// - Parameters:
        ///   - collection: The collection.
        ///   - handler: What asks the service.
        /// - Returns: The ranges.
        /// - Throws: ``ClientError`` with `notFound` when there is no such collection; `noPartitionKeyRange` when the
        ///   ranges do not cover all keys; `unreadableResponse` when their list does not come to an end.
        static func read(
            of collection: Link, by handler: any OperationHandler
        ) async throws(ClientError) -> PartitionRanges {
            var operation = Operation(.list, .partitionKeyRange, at: collection)
            operation.needsService = true
            var ranges: [PartitionRange] = []
            var collectionId = ""
            var progress = PageProgress()
            var pageCount = 0
            var isEndless = false
            repeat {
                let response = try await handler.perform(operation)
                guard case .feed(let elements, let resourceId) = response.content else { break }
                ranges += elements.compactMap { PartitionRange($0) }
                collectionId = resourceId
                let next = response.metadata.continuation
                pageCount += 1
                if let next {
                    isEndless =
                        pageCount == Self.pageCountMax
                        || !progress.goesOn(to: next, isEmpty: elements.isEmpty)
                    if isEndless { break }
                }
                operation.page.continuation = next
            } while operation.page.continuation != nil
            let found = PartitionRanges(
                collectionId: collectionId, ranges: ranges.sorted { $0.lower < $1.lower })
            guard found.isWhole || !isEndless else {
                throw ClientError(
                    .unreadableResponse,
                    "The list of the partitions of '\(collection)' does not come to an end: the service gives "
                        + "continuations that it gave before, or too many.")
            }
            guard found.isWhole else {
                throw ClientError(
                    .noPartitionKeyRange,
                    "The partitions that the service lists for '\(collection)' have gaps. Try again."
                )
            }
            return found
        }

        /// The most pages of a list of partitions; one page usually has all of them.
        static let pageCountMax = 1_000

        /// Whether each key is in one range.
        private var isWhole: Bool {
            var end = ""
            for range in ranges {
                guard range.lower == end else { return false }
                end = range.upper
            }
            return end == "FF"
        }
    }
}

extension Cosmos.ClientError {
    /// Whether the ranges of the collection have to be read again: one was split or merged.
    var isAboutRanges: Bool { kind == .gone && subStatus != 1000 }
}
