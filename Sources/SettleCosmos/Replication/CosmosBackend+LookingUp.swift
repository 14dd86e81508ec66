import SettleDocuments
public import SettleSync

extension CosmosBackend {
    /// Looks up the document with an id: in all partitions, where the id does not say which it is in.
    public func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome {
        let form = try await form()
        return try await found(id, form, in: nil).map { .found(form.item($0.packed)) } ?? .absent
    }

    /// The item with an id; nil when there is none.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - form: How documents are read.
    ///   - key: The partition where it probably is; nil when that is not known.
    /// - Returns: The item.
    /// - Throws: As ``lookUp(_:)``.
    func item(
        _ id: String, _ form: ItemForm, in key: Cosmos.PartitionKey?
    ) async throws(ReplicationError) -> RemoteItem? {
        try await found(id, form, in: key).map { form.item($0.packed) }
    }

    /// The document with an id; nil when there is none.
    func found(
        _ id: String, _ form: ItemForm, in key: Cosmos.PartitionKey?
    ) async throws(ReplicationError) -> Cosmos.ResourceBody? {
        do throws(Cosmos.ClientError) {
            if let key = form.isKeyedById ? Cosmos.PartitionKey(id) : key,
                !["", ".", ".."].contains(id)
            {
                var operation = Cosmos.Operation(
                    .get, .document, at: collection.child(.document, id))
                operation.partition = .key(key)
                do throws(Cosmos.ClientError) {
                    if let body = try await perform(operation).resource { return body }
                } catch {
                    guard error.isAbsence else { throw error }
                }
            }
            // Finds it in another partition, and tells a document that is not there from a collection that is not.
            return try await queried(id)
        } catch {
            throw failure(error, of: id)
        }
    }

    /// How often the service may give an empty page with the continuation that it had before.
    static let repeatsMax = 100

    private func queried(_ id: String) async throws(Cosmos.ClientError) -> Cosmos.ResourceBody? {
        var operation = Cosmos.Operation(.query, .document, at: collection)
        operation.partition = .all
        operation.body = try .json(
            Cosmos.Query(
                "SELECT * FROM c WHERE c.id = @id",
                parameters: [.init("@id", id)]
            ).json)
        var repeats = 0
        while true {
            let response = try await perform(operation)
            if case .feed(let elements, _) = response.content, let element = elements.first {
                return Cosmos.ResourceBody(packed: element)
            }
            let next = response.metadata.continuation
            guard let next else { return nil }
            repeats = next == operation.page.continuation ? repeats + 1 : 0
            guard repeats < Self.repeatsMax else {
                throw Cosmos.ClientError(
                    .unreadableResponse,
                    "The document '\(id)' cannot be looked up: the service gives the same continuation again.",
                    activityId: response.metadata.activityId)
            }
            operation.page.continuation = next
        }
    }
}
