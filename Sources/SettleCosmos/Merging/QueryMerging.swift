import SettleDocuments
import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Answers queries over all partitions that the service does not put together itself: ordered ones, aggregates,
    /// groups, TOP, OFFSET and DISTINCT.
    ///
    /// The service is asked first. When it wants a plan to be carried out (400 with 1004), the plan is asked for, the
    /// ranges are asked one by one, and their results are put together.
    struct QueryMerging: OperationHandler {
        let service: any OperationHandler
        /// What pages have read and not given, so that the next page does not read it again.
        private let leftovers = MergeLeftovers()

        init(_ service: any OperationHandler) { self.service = service }

        /// The sub-status of 400 when the client has to put results together.
        private static let wantsPlan = 1004

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            guard operation.action == .query, operation.type == .document,
                operation.partition == .all, let collection = operation.link
            else { return try await service.perform(operation) }
            if let text = operation.page.continuation {
                guard MergePosition.isOne(text) else { return try await service.perform(operation) }
                var merge =
                    if let kept = leftovers.take(text, of: operation) {
                        kept
                    } else {
                        QueryMerge(
                            try await plan(of: operation), at: try MergePosition(text))
                    }
                return try await page(&merge, operation, collection)
            }
            do throws(ClientError) {
                return try await service.perform(operation)
            } catch {
                guard error.kind == .badRequest, error.subStatus == Self.wantsPlan else {
                    throw error
                }
            }
            let plan = try await plan(of: operation)
            let ranges = try await PartitionRanges.read(of: collection, by: service)
            var merge = QueryMerge(
                plan, at: QueryMerge.beginning(plan, ranges.ranges.map(\.id)))
            return try await page(&merge, operation, collection)
        }

        private func page(
            _ merge: inout QueryMerge, _ operation: Operation, _ collection: Link
        ) async throws(ClientError) -> OperationResponse {
            let reader = RangeReader(
                service: service, operation: operation, collection: collection, plan: merge.plan)
            let response = try await merge.page(by: reader)
            if let text = response.metadata.continuation {
                leftovers.keep(merge, for: text, of: operation)
            }
            return response
        }

        /// How the service wants a query to be carried out.
        private func plan(of operation: Operation) async throws(ClientError) -> QueryPlan {
            var request = operation
            request.asksForPlan = true
            request.page = Operation.Page()
            let response = try await service.perform(request)
            guard case .bytes(let bytes) = response.content,
                let json = try? JSONText.value(from: bytes, largeIntegers: .rounded)
            else {
                throw ClientError(
                    .unreadableResponse, "The service's plan of a query cannot be read.",
                    activityId: response.metadata.activityId)
            }
            return try QueryPlan(json)
        }
    }

    /// What pages of merged queries have read and not given.
    private final class MergeLeftovers: Sendable {
        /// Continuations do not say of which query they are: several may have the same one.
        private struct Kept {
            let text: String
            let collection: Link?
            let query: Operation.Body
            let merge: QueryMerge
        }

        private let kept = Lock<[Kept]>([])
        /// How many queries have something kept, and how many bytes of one are.
        private static let countMax = 8
        private static let sizeMax = 8 << 20

        /// Takes out what the page that ended so has left.
        func take(_ text: String, of operation: Operation) -> QueryMerge? {
            kept.withLock { kept in
                let index = kept.firstIndex {
                    $0.text == text && $0.collection == operation.link
                        && $0.query == operation.body
                }
                guard let index else { return nil }
                return kept.remove(at: index).merge
            }
        }

        /// Keeps what a page has left; the oldest of too many goes, and is read again.
        func keep(_ merge: QueryMerge, for text: String, of operation: Operation) {
            guard merge.size <= Self.sizeMax else { return }
            kept.withLock { kept in
                kept.append(
                    Kept(
                        text: text, collection: operation.link, query: operation.body,
                        merge: merge))
                if kept.count > Self.countMax { kept.removeFirst() }
            }
        }
    }
}
