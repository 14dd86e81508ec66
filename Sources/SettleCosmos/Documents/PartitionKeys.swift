import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Knows by which members the documents of each collection are spread.
    ///
    /// The definition of a collection never changes, so it is read once; that of one that was made anew under an old
    /// name is read again, as soon as a response shows another identifier.
    final class PartitionKeys: Sendable {
        private let known = Lock<[Link: KnownDefinition]>([:])
        private let identities: CollectionIdentities

        init(_ identities: CollectionIdentities) { self.identities = identities }

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
            let kept = known.withLock { $0[collection] }
            if let kept, kept.holds(for: identities.identity(of: collection)) {
                return kept.definition
            }
            if kept == nil {
                let found = try await read(collection, byServiceAlone: false, handler)
                if found.holds(for: identities.identity(of: collection)) { return found.definition }
            }
            return try await read(collection, byServiceAlone: true, handler).definition
        }

        /// Reads the definition of a collection again, since the service has refused a key.
        ///
        /// - Returns: The one that was known before, nil for none, and the one that holds now.
        /// - Throws: ``ClientError`` as a get of the collection does.
        func renew(
            _ collection: Link, by handler: any OperationHandler
        ) async throws(ClientError) -> (old: KnownDefinition?, new: KnownDefinition) {
            let old = known.withLock { $0[collection] }
            return (old, try await read(collection, byServiceAlone: true, handler))
        }

        private func read(
            _ collection: Link, byServiceAlone: Bool, _ handler: any OperationHandler
        ) async throws(ClientError) -> KnownDefinition {
            var read = Operation(.get, .collection, at: collection)
            read.needsService = byServiceAlone
            let found = KnownDefinition(try await handler.perform(read).resource)
            known.withLock { $0[collection] = found }
            return found
        }

        /// Forgets a collection, or those of a database.
        func forget(_ link: Link) {
            known.withLock { known in
                known = known.filter { !$0.key.isWithin(link) }
            }
        }
    }
}
