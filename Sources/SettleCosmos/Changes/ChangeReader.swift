import Foundation
import SettleDocuments

extension Cosmos {
    /// Reads the change feed of a collection, part by part.
    struct ChangeReader: Sendable {
        let handler: any OperationHandler
        let collection: Link
        var options = RequestOptions()

        /// Changes that follow each other in one part.
        struct Read: Sendable {
            /// The documents as the service sent them, without what only the feed adds; empty at the end.
            var documents: [PackedValue]
            /// What the response said about itself.
            var metadata: ResponseMetadata
        }

        /// The member that the feed adds to each document: its number in the order of the range.
        private static let sequenceMember = "_lsn"

        /// A position before anything was read.
        ///
        /// - Parameters:
        ///   - place: Where each part begins.
        ///   - keys: The logical partitions that are wanted; empty for all.
        /// - Returns: The position.
        /// - Throws: ``ClientError`` as the service answers.
        func position(
            at place: ChangePosition.Place, keys: [PartitionKey]
        ) async throws(ClientError) -> ChangePosition {
            let found = try await PartitionRanges.read(of: collection, by: handler)
            let scopes: [ChangePosition.Scope] =
                keys.isEmpty ? found.ranges.map { .range($0.id) } : keys.map { .key($0) }
            return ChangePosition(
                collectionId: found.collectionId,
                parts: scopes.map { ChangePosition.Part(scope: $0, place: place) })
        }

        /// Begins a round: each part is asked for what is new.
        ///
        /// - Parameter position: Where the round before ended.
        /// - Throws: ``ClientError`` with `gone` when the collection is another one by now; and as the service answers.
        func begin(_ position: inout ChangePosition) async throws(ClientError) {
            try await follow(&position)
            position.begin()
        }

        /// Reads the next changes.
        ///
        /// A part is read until it has no more, in turns with the others, so that one with many writers does not hold
        /// up the rest. Parts without news cost a request each and give nothing; the more of them follow each other, the
        /// more are asked at a time.
        ///
        /// - Parameters:
        ///   - position: Where to go on; afterwards, where they end.
        ///   - itemCountMax: The most changes; nil for as many as the service sees fit.
        /// - Returns: The changes; none only when no part has more.
        /// - Throws: ``ClientError`` with `gone` when the collection is another one by now; and as the service answers.
        func read(
            _ position: inout ChangePosition, itemCountMax: Int?
        ) async throws(ClientError) -> Read {
            var read = Read(documents: [], metadata: ResponseMetadata())
            var charge = 0.0
            var splitCount = 0
            var width = 1
            while !position.isCaughtUp {
                let indexes = Array(
                    position.parts.indices.filter { position.parts[$0].isPending }.prefix(width))
                var failure: ClientError?
                var given: [Int] = []
                for (index, answer) in await answers(
                    of: indexes.map { position.parts[$0] }, itemCountMax
                )
                .enumerated() {
                    switch answer {
                    case .failure(let error): failure = failure ?? error
                    case .success(let changes):
                        read.metadata = changes.metadata
                        charge += changes.metadata.requestCharge ?? 0
                        // What does not fit is asked for again.
                        guard
                            read.documents.isEmpty
                                || read.documents.count + changes.documents.count
                                    <= itemCountMax ?? .max
                        else { continue }
                        position.parts[indexes[index]].place = .after(changes.end)
                        position.parts[indexes[index]].session = SessionTokens.newest(
                            position.parts[indexes[index]].session, changes.metadata.sessionToken)
                        if changes.documents.isEmpty {
                            position.parts[indexes[index]].isPending = false
                        } else {
                            given.append(indexes[index])
                            read.documents += changes.documents
                        }
                    }
                }
                position.moveBack(given)
                read.metadata.requestCharge = charge
                if !read.documents.isEmpty { return read }
                if let failure {
                    splitCount += 1
                    guard failure.isAboutRanges, splitCount <= Self.splitCountMax else {
                        throw failure
                    }
                    try await follow(&position, since: failure)
                }
                width = min(width * 2, Self.concurrentPartsMax)
            }
            return read
        }

        /// How many parts are asked at a time.
        private static let concurrentPartsMax = 8

        /// The changes of one part, and where they end.
        private struct PartChanges: Sendable {
            var documents: [PackedValue] = []
            var end: String
            var metadata: ResponseMetadata
        }

        /// Asks parts, all at the same time.
        private func answers(
            of parts: [ChangePosition.Part], _ itemCountMax: Int?
        ) async -> [Result<PartChanges, ClientError>] {
            await withTaskGroup(of: (Int, Result<PartChanges, ClientError>).self) { group in
                for (index, part) in parts.enumerated() {
                    group.addTask {
                        do throws(ClientError) {
                            return (index, .success(try await changes(of: part, itemCountMax)))
                        } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                var answers: [Int: Result<PartChanges, ClientError>] = [:]
                for await (index, answer) in group { answers[index] = answer }
                return parts.indices.compactMap { answers[$0] }
            }
        }

        private func changes(
            of part: ChangePosition.Part, _ itemCountMax: Int?
        ) async throws(ClientError) -> PartChanges {
            let response = try await handler.perform(operation(part, itemCountMax))
            guard let end = response.metadata.etag else {
                throw ClientError(
                    .unreadableResponse,
                    "The service did not say where the changes of '\(collection)' that it sent end.",
                    activityId: response.metadata.activityId)
            }
            var changes = PartChanges(end: end, metadata: response.metadata)
            guard case .feed(let elements, _) = response.content else { return changes }
            for element in elements {
                changes.documents.append(try Self.withoutSequence(element))
            }
            return changes
        }

        /// How many splits one read gets over.
        private static let splitCountMax = 100

        private func operation(
            _ part: ChangePosition.Part, _ itemCountMax: Int?
        ) -> Operation {
            var operation = Operation(.changes, .document, at: collection)
            operation.needsService = true
            operation.options = options
            operation.seenSession = part.session
            operation.page.itemCountMax = itemCountMax
            switch part.scope {
            case .range(let id): operation.partition = .range(id: id)
            case .key(let key): operation.partition = .key(key)
            }
            switch part.place {
            case .beginning: break
            case .now: operation.page.continuation = "*"
            case .since(let second):
                operation.ifModifiedSince = Date(timeIntervalSince1970: Double(second))
            case .after(let continuation): operation.page.continuation = continuation
            }
            return operation
        }

        /// Goes by the ranges there are now.
        private func follow(
            _ position: inout ChangePosition, since error: ClientError? = nil
        ) async throws(ClientError) {
            let found = try await PartitionRanges.read(of: collection, by: handler)
            guard found.collectionId == position.collectionId else {
                throw ClientError(
                    .gone,
                    "The collection '\(collection)' was replaced by another one of its name; read its "
                        + "changes from the beginning.", subStatus: Self.otherCollection)
            }
            let before = position
            position.follow(found.ranges)
            if let error, position == before { throw error }
        }

        /// The sub-status of 410 for a name that belongs to another collection by now.
        static let otherCollection = 1000

        private static func withoutSequence(
            _ document: PackedValue
        ) throws(ClientError) -> PackedValue {
            do {
                return try document.removing([sequenceMember])
            } catch {
                throw ClientError(
                    .unreadableResponse, "A document of a change feed cannot be read.", cause: error
                )
            }
        }
    }
}
