import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Knows by which members the documents of each collection are spread.
    ///
    /// The definition of a collection never changes, so it is read once; a collection that was made anew under an
    /// old name is found by its identifier.
    final class PartitionKeys: Sendable {
        private let known = Lock<[Link: PartitionKeyDefinition?]>([:])

        /// The key of a document's logical partition.
        ///
        /// - Parameters:
        ///   - body: The document.
        ///   - collection: Its collection.
        ///   - handler: What reads the collection, once.
        /// - Returns: nil when the collection has no such key.
        /// - Throws: ``ClientError`` as a get of the collection does; `invalidDocument` when the document has an
        ///   object or array where its key is.
        func key(
            of body: ResourceBody, in collection: Link, by handler: any OperationHandler
        ) async throws(ClientError) -> PartitionKey? {
            guard let definition = try await definition(of: collection, by: handler) else {
                return nil
            }
            guard let key = definition.key(of: body) else {
                throw ClientError(
                    .invalidDocument,
                    "The document '\(body.id)' has an object or an array at \(definition.paths), where its "
                        + "partition key has to be a text, a number, true, false or null.")
            }
            return key
        }

        /// The key of the document with an id, where the id is the key.
        ///
        /// - Returns: nil when the key is something else, or there is none.
        func key(
            ofId id: String, in collection: Link, by handler: any OperationHandler
        ) async throws(ClientError) -> PartitionKey? {
            let definition = try await definition(of: collection, by: handler)
            return definition?.paths == ["/id"] ? PartitionKey(id) : nil
        }

        /// By which members the documents of a collection are spread; nil for a collection without such a key.
        ///
        /// - Throws: ``ClientError`` as a get of the collection does.
        func definition(
            of collection: Link, by handler: any OperationHandler
        ) async throws(ClientError) -> PartitionKeyDefinition? {
            if let definition = known.withLock({ $0[collection] }) { return definition }
            let response = try await handler.perform(Operation(.get, .collection, at: collection))
            let definition = response.resource.flatMap { DocumentCollection(body: $0).partitionKey }
            known.withLock { $0[collection] = .some(definition) }
            return definition
        }

        /// Forgets a collection, or those of a database.
        func forget(_ link: Link) {
            known.withLock { known in
                known = known.filter { !$0.key.isWithin(link) }
            }
        }
    }
}
