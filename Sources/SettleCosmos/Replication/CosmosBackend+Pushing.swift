public import SettleSync

extension CosmosBackend {
    /// Carries out one operation.
    ///
    /// An insert creates, an update replaces with `If-Match`, a deletion marks or deletes with `If-Match`, and an
    /// undeletion replaces the marked document by what it was. What the service cannot have (an id with a slash, another
    /// partition key, a member of the service's) is refused before anything is sent.
    public func send(
        _ operation: RemoteOperation
    ) async throws(ReplicationError) -> RemoteOutcome {
        let form = try await form()
        do throws(ReplicationError) {
            switch operation.kind {
            case .insert: return try await insert(operation, form)
            case .update: return try await update(operation, form)
            case .delete: return try await delete(operation, form)
            case .undelete: return try await undelete(operation, form)
            }
        } catch {
            guard error.cause is AmbiguousId else { throw error }
            return .rejected(reason: error.message)
        }
    }

    private func insert(
        _ operation: RemoteOperation, _ form: ItemForm
    ) async throws(ReplicationError) -> RemoteOutcome {
        let outgoing: ItemForm.Outgoing
        switch form.outgoing(operation) {
        case .failure(let problem): return .rejected(reason: problem.reason)
        case .success(let document): outgoing = document
        }
        var create = Cosmos.Operation(.create, .document, at: collection)
        create.newId = outgoing.body.id
        create.body = .json(outgoing.body.packed)
        create.partition = outgoing.partition
        do throws(Cosmos.ClientError) {
            return try stored(try await perform(create), operation.id, form)
        } catch {
            if let rejection = rejection(error) { return rejection }
            guard error.kind == .conflict else { throw failure(error, of: operation.id) }
            if let item = try await item(operation.id, form, in: outgoing.key) {
                return .conflict(item)
            }
            return .rejected(
                RemoteRejection(
                    reason: error.message
                        + " No document has its id, so another one probably has the same values at a unique key.",
                    statusCode: error.statusCode))
        }
    }

    private func update(
        _ operation: RemoteOperation, _ form: ItemForm
    ) async throws(ReplicationError) -> RemoteOutcome {
        let outgoing: ItemForm.Outgoing
        switch form.outgoing(operation) {
        case .failure(let problem): return .rejected(reason: problem.reason)
        case .success(let document): outgoing = document
        }
        let version: ItemVersion
        if let base = operation.baseVersion {
            version = ItemVersion(base)
        } else {
            // Nothing is written over what was not seen, and nothing that is deleted comes back.
            let found = try await item(operation.id, form, in: outgoing.key)
            guard let found, !found.isDeleted, let known = found.version else {
                return .conflict(found)
            }
            version = ItemVersion(known)
        }
        if let key = form.key(of: operation.id, version), key != outgoing.key {
            return .rejected(reason: ItemForm.Problem.move.reason)
        }
        return try await replace(
            with: outgoing, of: operation.id, matching: version.etag, form)
    }

    private func replace(
        with outgoing: ItemForm.Outgoing, of id: String, matching etag: String, _ form: ItemForm
    ) async throws(ReplicationError) -> RemoteOutcome {
        let serviceId = outgoing.body.id
        var replace = Cosmos.Operation(
            .replace, .document, at: collection.child(.document, serviceId))
        replace.body = .json(outgoing.body.packed)
        replace.partition = outgoing.partition
        replace.ifMatch = etag
        do throws(Cosmos.ClientError) {
            return try stored(try await perform(replace), id, form)
        } catch {
            if let rejection = rejection(error) { return rejection }
            guard error.isAbsence || error.kind == .preconditionFailed else {
                throw failure(error, of: id)
            }
            return .conflict(try await item(id, form, in: outgoing.key))
        }
    }

    private func delete(
        _ operation: RemoteOperation, _ form: ItemForm
    ) async throws(ReplicationError) -> RemoteOutcome {
        let id = operation.id
        // No document of the service's has such an identifier.
        guard let place = form.place(of: id),
            let (etag, key) = try await target(of: operation, form)
        else { return .deleted(nil) }
        var write = Cosmos.Operation(
            form.marking == nil ? .delete : .patch, .document,
            at: collection.child(.document, place.id))
        write.partition = key.map { .key($0) } ?? .unspecified
        write.ifMatch = etag
        do throws(Cosmos.ClientError) {
            if let marking = form.marking {
                write.body = try .json(Cosmos.PatchOperation.body(of: marking, where: nil))
            }
            let response = try await perform(write)
            return .deleted(response.resource.map { form.item($0.packed) })
        } catch {
            if let rejection = rejection(error) { return rejection }
            guard error.isAbsence || error.kind == .preconditionFailed else {
                throw failure(error, of: id)
            }
            let found = try await item(id, form, in: key)
            guard let found, !found.isDeleted else { return .deleted(found) }
            return .conflict(found)
        }
    }

    /// The version and the partition of what is to be deleted; nil when there is nothing.
    private func target(
        of operation: RemoteOperation, _ form: ItemForm
    ) async throws(ReplicationError) -> (etag: String, key: Cosmos.PartitionKey?)? {
        if let base = operation.baseVersion {
            let version = ItemVersion(base)
            let key = form.key(of: operation.id, version)
            if key != nil || form.definition == nil { return (version.etag, key) }
        }
        let found = try await item(operation.id, form, in: nil)
        guard let found, !found.isDeleted, let known = found.version else { return nil }
        let version = ItemVersion(known)
        let base = operation.baseVersion.map { ItemVersion($0) }
        return (base?.etag ?? version.etag, form.key(of: operation.id, version))
    }

    private func undelete(
        _ operation: RemoteOperation, _ form: ItemForm
    ) async throws(ReplicationError) -> RemoteOutcome {
        let id = operation.id
        let base = operation.baseVersion.map { ItemVersion($0) }
        let key = base.flatMap { form.key(of: id, $0) }
        guard let found = try await found(id, form, in: key) else { return .conflict(nil) }
        let item = form.item(found.packed)
        guard item.isDeleted, let etag = found.etag, base == nil || base?.etag == etag else {
            return .conflict(item)
        }
        let outgoing = ItemForm.Outgoing(
            body: form.unmarked(found), key: form.definition?.key(of: found))
        return try await replace(with: outgoing, of: id, matching: etag, form)
    }

    /// The outcome of a write that the service carried out.
    private func stored(
        _ response: Cosmos.OperationResponse, _ id: String, _ form: ItemForm
    ) throws(Cosmos.ClientError) -> RemoteOutcome {
        guard let body = response.resource, body.id == form.place(of: id)?.id, body.etag != nil
        else {
            throw Cosmos.ClientError(
                .unreadableResponse,
                "The service stored a document and answered with something else.",
                activityId: response.metadata.activityId)
        }
        return .stored(form.item(body.packed))
    }
}
