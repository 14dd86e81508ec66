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
            guard let place = form.place(of: id) else { return nil }
            if let key = place.key ?? key, !["", ".", ".."].contains(place.id) {
                var operation = Cosmos.Operation(
                    .get, .document, at: collection.child(.document, place.id))
                operation.partition = .key(key)
                do throws(Cosmos.ClientError) {
                    if let body = try await perform(operation).resource { return body }
                } catch {
                    guard error.isAbsence else { throw error }
                }
            }
            // Finds it in another partition, and tells a document that is not there from a collection that is not.
            return try await queried(place, form)
        } catch {
            throw failure(error, of: id)
        }
    }

    private func queried(
        _ place: ItemForm.Place, _ form: ItemForm
    ) async throws(Cosmos.ClientError) -> Cosmos.ResourceBody? {
        let id = place.id
        var operation = Cosmos.Operation(.query, .document, at: collection)
        operation.partition = form.namesPartition ? place.key.map { .key($0) } ?? .all : .all
        operation.body = try .json(
            Cosmos.Query(
                "SELECT * FROM c WHERE c.id = @id",
                parameters: [.init("@id", id)]
            ).json)
        var progress = Cosmos.PageProgress()
        var found: [Cosmos.ResourceBody] = []
        while true {
            let response = try await perform(operation)
            guard case .feed(let elements, _) = response.content else { return nil }
            found += elements.map { Cosmos.ResourceBody(packed: $0) }
            let next = response.metadata.continuation
            guard found.count < 2, let next else {
                guard found.count < 2 else { throw ambiguity(id, found, form) }
                return found.first
            }
            guard progress.goesOn(to: next, isEmpty: elements.isEmpty) else {
                throw Cosmos.ClientError(
                    .unreadableResponse,
                    "The document '\(id)' cannot be looked up: the service gives the same continuation again.",
                    activityId: response.metadata.activityId)
            }
            operation.page.continuation = next
        }
    }

    /// That an id alone does not say which document is meant.
    private func ambiguity(
        _ id: String, _ found: [Cosmos.ResourceBody], _ form: ItemForm
    ) -> Cosmos.ClientError {
        let keys = found.map { form.definition?.key(of: $0)?.headerText ?? "none" }.sorted()
        return Cosmos.ClientError(
            .badRequest,
            "Several documents of the collection have the id '\(id)', in the partitions "
                + "\(keys.joined(separator: " and ")): it does not say which is meant. Give one of them another id, or "
                + "make the back-end with identifiers of id and partition.",
            cause: AmbiguousId())
    }
}

/// Marks the failure to find a document whose id several have.
struct AmbiguousId: Error {}
