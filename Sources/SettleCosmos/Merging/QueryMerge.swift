import Foundation
import Settle
import SettleDocuments

extension Cosmos {
    /// A query over several ranges whose results are put together.
    struct QueryMerge: Sendable {
        let plan: QueryPlan
        private var cursors: [RangeCursor]
        private var skippedCount: Int
        private var leftCount: Int?
        private var seen: Set<String>
        /// The results of a query whose results depend on all ranges, and how many of them were given.
        private var collected: [JSONValue]?
        private var givenCount: Int

        /// How many results a page has unless the caller says so.
        private static let pageSize = 100
        /// How many ranges are asked at a time.
        private static let concurrentReadsMax = 8

        init(_ plan: QueryPlan, at position: MergePosition) {
            self.plan = plan
            cursors = position.parts.map { RangeCursor($0) }
            skippedCount = position.skippedCount
            leftCount = position.leftCount
            seen = position.seen
            givenCount = position.givenCount ?? 0
        }

        /// Where a query begins.
        static func beginning(_ plan: QueryPlan, _ rangeIds: [String]) -> MergePosition {
            var position = MergePosition(parts: rangeIds.map { MergePosition.Part(rangeId: $0) })
            position.skippedCount = plan.skippedCount
            position.leftCount = plan.resultCountMax
            return position
        }

        /// How much memory that takes which was read and not given, in bytes, about.
        var size: Int {
            cursors.reduce(0) { $0 + $1.size } + (collected?.count ?? 0) * Self.collectedSize
        }

        /// What a result takes that is made of many documents, about.
        private static let collectedSize = 256

        private var position: MergePosition {
            var position = MergePosition(parts: cursors.filter { !$0.isDone }.map(\.part))
            position.skippedCount = skippedCount
            position.leftCount = leftCount
            position.seen = seen
            return position
        }

        /// The next results.
        ///
        /// - Parameter reader: What asks the ranges.
        /// - Returns: The page, as the service would have answered.
        /// - Throws: ``ClientError`` as the service answers.
        mutating func page(by reader: RangeReader) async throws(ClientError) -> OperationResponse {
            let size = reader.operation.page.itemCountMax ?? Self.pageSize
            var costs = Costs()
            var response = OperationResponse(status: 200)
            var results: [PackedValue]
            var continuation: String?
            if plan.isCollected {
                (results, continuation) = try await collectedPage(size, reader, &costs)
            } else if plan.isDescending.isEmpty {
                results = try await plainPage(reader, &costs)
                if !cursors.allSatisfy(\.isDone), leftCount != 0 { continuation = position.text }
            } else {
                results = try await orderedPage(size, reader, &costs)
                if !cursors.allSatisfy(\.isDone), leftCount != 0 { continuation = position.text }
            }
            response.metadata = costs.metadata
            response.metadata.requestCharge = costs.charge
            response.metadata.itemCount = results.count
            response.metadata.continuation = continuation
            response.content = .feed(results, resourceId: costs.collectionId)
            return response
        }

        /// What the requests for a page cost.
        private struct Costs {
            var charge = 0.0
            var metadata = ResponseMetadata()
            var collectionId = ""

            mutating func add(_ read: RangeReader.Read) {
                charge += read.charge
                if !read.collectionId.isEmpty {
                    metadata = read.metadata
                    collectionId = read.collectionId
                }
            }
        }

        // MARK: Results that come as they are

        /// What the next range with results has read: its results are not parted, since they have no order to go on by.
        private mutating func plainPage(
            _ reader: RangeReader, _ costs: inout Costs
        ) async throws(ClientError) -> [PackedValue] {
            while leftCount != 0, let index = cursors.firstIndex(where: { !$0.isDone }) {
                if cursors[index].mustRead {
                    let read = try await reader.read(cursors[index])
                    costs.add(read)
                    cursors.replaceSubrange(index...index, with: read.cursors)
                }
                guard let place = cursors.firstIndex(where: { !$0.isDone }) else { break }
                var results: [PackedValue] = []
                for row in cursors[place].takeAll() { give(row.payload, to: &results) }
                if !results.isEmpty { return results }
            }
            return []
        }

        /// The results of all ranges in their order.
        private mutating func orderedPage(
            _ size: Int, _ reader: RangeReader, _ costs: inout Costs
        ) async throws(ClientError) -> [PackedValue] {
            var results: [PackedValue] = []
            while results.count < size, leftCount != 0 {
                try await readAll(reader, &costs)
                var best: Int?
                for index in cursors.indices {
                    guard let row = cursors[index].first else { continue }
                    guard let known = best, let other = cursors[known].first else {
                        best = index
                        continue
                    }
                    let order = ResultOrder.compare(
                        row.keys, other.keys, isDescending: plan.isDescending)
                    if order < 0 { best = index }
                }
                guard let best, let row = cursors[best].take() else { break }
                give(row.payload, to: &results)
            }
            return results
        }

        /// Reads of each range that has nothing left, some at a time.
        private mutating func readAll(
            _ reader: RangeReader, _ costs: inout Costs
        ) async throws(ClientError) {
            let waiting = cursors.indices.filter { cursors[$0].mustRead }
            if waiting.isEmpty { return }
            var reads: [Int: RangeReader.Read] = [:]
            var failure: ClientError?
            await withTaskGroup(of: (Int, Result<RangeReader.Read, ClientError>).self) { group in
                var rest = waiting[...]
                func ask(_ index: Int) {
                    let cursor = cursors[index]
                    group.addTask {
                        do throws(ClientError) {
                            return (index, .success(try await reader.read(cursor)))
                        } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                for index in rest.prefix(Self.concurrentReadsMax) { ask(index) }
                rest = rest.dropFirst(Self.concurrentReadsMax)
                for await (index, result) in group {
                    switch result {
                    case .success(let read): reads[index] = read
                    case .failure(let error): failure = failure ?? error
                    }
                    if failure == nil, let next = rest.popFirst() { ask(next) }
                }
            }
            for index in waiting.reversed() {
                guard let read = reads[index] else { continue }
                costs.add(read)
                cursors.replaceSubrange(index...index, with: read.cursors)
            }
            if let failure { throw failure }
        }

        /// Adds a result to a page, unless it is passed over or was given before.
        private mutating func give(_ payload: PackedValue?, to results: inout [PackedValue]) {
            guard leftCount != 0, let payload else { return }
            if plan.isDistinct {
                let text = ResultOrder.canonicalText(of: try? payload.value())
                guard seen.insert(Self.digest(of: text)).inserted else { return }
            }
            if skippedCount > 0 {
                skippedCount -= 1
                return
            }
            leftCount = leftCount.map { $0 - 1 }
            results.append(payload)
        }

        /// Stands for a result in what was given: 128 bits of its digest.
        private static func digest(of text: String) -> String {
            Data(ContentDigest(of: Array(text.utf8)).bytes.prefix(16)).base64EncodedString()
        }

        // MARK: Results that depend on all ranges

        private mutating func collectedPage(
            _ size: Int, _ reader: RangeReader, _ costs: inout Costs
        ) async throws(ClientError) -> ([PackedValue], String?) {
            let start = position
            let all: [JSONValue]
            if let collected {
                all = collected
            } else {
                all = try await collect(reader, &costs)
            }
            collected = all
            let begin = min(max(givenCount, 0), all.count)
            let end = begin + min(size, all.count - begin)
            var results: [PackedValue] = []
            for value in all[begin..<end] {
                do {
                    results.append(try PackedValue(value))
                } catch {
                    throw ClientError(
                        .unreadableResponse, "A result cannot be written as JSON.", cause: error)
                }
            }
            givenCount = end
            guard end < all.count else { return (results, nil) }
            // Without what this page has left, all ranges are read again.
            var next = start
            next.givenCount = end
            return (results, next.text)
        }

        /// Reads all ranges to their ends.
        private func collect(
            _ reader: RangeReader, _ costs: inout Costs
        ) async throws(ClientError) -> [JSONValue] {
            var aggregation = ResultAggregation(plan)
            var waiting = cursors
            while let index = waiting.firstIndex(where: { !$0.isDone }) {
                let read = try await reader.read(waiting[index])
                costs.add(read)
                waiting.replaceSubrange(index...index, with: read.cursors)
                for place in waiting.indices {
                    for row in waiting[place].takeAll() {
                        guard let value = try? row.payload?.value() else {
                            throw ClientError(.unreadableResponse, "A result cannot be read.")
                        }
                        aggregation.add(value)
                    }
                }
            }
            var results = aggregation.results
            if plan.isDistinct {
                var known: Set<String> = []
                results = results.filter {
                    known.insert(ResultOrder.canonicalText(of: $0)).inserted
                }
            }
            let rest = results.dropFirst(plan.skippedCount)
            return Array(plan.resultCountMax.map { rest.prefix($0) } ?? rest)
        }
    }
}
