extension Cosmos {
    /// Tries the write of a document once more whose partition key the service has refused (400 with 1001), when the
    /// key came of a definition that does not hold any more: the collection was deleted and made anew with another.
    ///
    /// Costs a read of the collection for each write that is refused so.
    struct KeyRenewal: OperationHandler {
        let handler: any OperationHandler
        let keys: PartitionKeys

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            do {
                return try await handler.perform(operation)
            } catch {
                guard error.kind == .badRequest, error.subStatus == 1001,
                    let renewed = await renewed(operation)
                else { throw error }
                var response = try await handler.perform(renewed)
                response.partition = renewed.partition
                return response
            }
        }

        /// The operation with the key that the collection wants now; nil when it had another than the old one wanted,
        /// or nothing has changed.
        private func renewed(_ operation: Operation) async -> Operation? {
            guard operation.type == .document,
                [.create, .upsert, .replace].contains(operation.action),
                let collection = operation.collection, case .json(let packed) = operation.body,
                let (old, new) = try? await keys.renew(collection, by: handler)
            else { return nil }
            let body = ResourceBody(packed: packed)
            guard let old, old.definition != new.definition,
                old.partition(of: body) == operation.partition,
                let partition = new.partition(of: body)
            else { return nil }
            var renewed = operation
            renewed.partition = partition
            return renewed
        }
    }
}

extension Cosmos.KnownDefinition {
    /// Where the document with a body belongs; nil when it has an object or an array where its key is.
    fileprivate func partition(of body: Cosmos.ResourceBody) -> Cosmos.Operation.Partition? {
        guard let definition else { return .unspecified }
        return definition.key(of: body).map { .key($0) }
    }
}
