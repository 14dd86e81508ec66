public import SettleSync

extension CosmosBackend {
    /// The most bytes of a batch, as far as they are known before it is written; the service takes 2 MB.
    private static let batchSizeMax = 1 << 20
    /// How many requests of one call are under way at a time.
    private static let concurrentBatchesMax = 4

    /// As many as one transactional batch takes.
    public func batchCountMax() async throws(ReplicationError) -> Int { Cosmos.Batch.countMax }

    /// Carries out several operations: those of one logical partition in a transactional batch, and by themselves
    /// when the service refuses one of them.
    public func send(
        _ operations: [RemoteOperation]
    ) async throws(ReplicationError) -> [Result<RemoteOutcome, ReplicationError>] {
        let form = try await form()
        var results = [Result<RemoteOutcome, ReplicationError>?](
            repeating: nil, count: operations.count)
        await withTaskGroup(of: [(Int, Result<RemoteOutcome, ReplicationError>)].self) { group in
            var waiting = Self.groups(of: operations, form)[...]
            for batch in waiting.prefix(Self.concurrentBatchesMax) {
                group.addTask { await carryOut(batch, operations, form) }
            }
            waiting = waiting.dropFirst(Self.concurrentBatchesMax)
            for await outcomes in group {
                for (index, result) in outcomes { results[index] = result }
                guard let batch = waiting.popFirst() else { continue }
                group.addTask { await carryOut(batch, operations, form) }
            }
        }
        return results.map { result in
            result
                ?? .failure(ReplicationError(.cancelled, "The task was cancelled during a push."))
        }
    }

    /// Operations that go together.
    private struct BatchGroup: Sendable {
        /// The partition of all of them; nil for one that goes by itself.
        var key: Cosmos.PartitionKey?
        var steps: [Cosmos.Batch.Step] = []
        var indexes: [Int]
        var size = 0
    }

    /// The operations by partition, no group larger than a batch may be.
    private static func groups(
        of operations: [RemoteOperation], _ form: ItemForm
    ) -> [BatchGroup] {
        var groups: [BatchGroup] = []
        var open: [Cosmos.PartitionKey: Int] = [:]
        for (index, operation) in operations.enumerated() {
            guard let (step, key) = step(operation, form) else {
                groups.append(BatchGroup(indexes: [index]))
                continue
            }
            let size = 256 + (operation.form.packed?.bytes.count ?? 0)
            if let place = open[key], groups[place].size + size <= batchSizeMax,
                groups[place].steps.count < Cosmos.Batch.countMax
            {
                groups[place].steps.append(step)
                groups[place].indexes.append(index)
                groups[place].size += size
            } else {
                open[key] = groups.count
                groups.append(
                    BatchGroup(key: key, steps: [step], indexes: [index], size: size))
            }
        }
        return groups
    }

    /// An operation as a step of a batch; nil for one that has to go by itself.
    private static func step(
        _ operation: RemoteOperation, _ form: ItemForm
    ) -> (Cosmos.Batch.Step, Cosmos.PartitionKey)? {
        let base = operation.baseVersion.map { ItemVersion($0) }
        let known = base.flatMap { form.key(of: operation.id, $0) }
        switch operation.kind {
        case .undelete: return nil
        case .insert:
            guard case .success(let outgoing) = form.outgoing(operation), let key = outgoing.key
            else { return nil }
            return (.init(type: "Create", body: .object(outgoing.body.json)), key)
        case .update:
            guard let base, case .success(let outgoing) = form.outgoing(operation),
                let key = outgoing.key, key == known
            else { return nil }
            return (
                .init(
                    type: "Replace", id: outgoing.body.id, etag: base.etag,
                    body: .object(outgoing.body.json)), key
            )
        case .delete:
            guard let base, let known, let id = form.place(of: operation.id)?.id else { return nil }
            guard let marking = form.marking else {
                return (.init(type: "Delete", id: id, etag: base.etag), known)
            }
            guard let body = try? Cosmos.PatchOperation.body(of: marking, where: nil) else {
                return nil
            }
            return (
                .init(type: "Patch", id: id, etag: base.etag, body: body), known
            )
        }
    }

    /// Carries out what goes together.
    private func carryOut(
        _ batch: BatchGroup, _ operations: [RemoteOperation], _ form: ItemForm
    ) async -> [(Int, Result<RemoteOutcome, ReplicationError>)] {
        if let key = batch.key, batch.steps.count > 1 {
            do throws(Cosmos.ClientError) {
                if let outcomes = try await outcomes(of: batch, key, form) {
                    return zip(batch.indexes, outcomes).map { ($0, .success($1)) }
                }
            } catch {
                if rejection(error) == nil {
                    let failure = failure(error, isOfWrite: true)
                    return batch.indexes.map { ($0, .failure(failure)) }
                }
            }
        }
        var results: [(Int, Result<RemoteOutcome, ReplicationError>)] = []
        for index in batch.indexes {
            do throws(ReplicationError) {
                results.append((index, .success(try await send(operations[index]))))
            } catch {
                results.append((index, .failure(error)))
            }
        }
        return results
    }

    /// What came of a batch; nil when nothing of it was carried out.
    private func outcomes(
        of batch: BatchGroup, _ key: Cosmos.PartitionKey, _ form: ItemForm
    ) async throws(Cosmos.ClientError) -> [RemoteOutcome]? {
        var write = Cosmos.Operation(.batch, .document, at: collection)
        write.body = try .json(.array(batch.steps.map(\.json)))
        write.partition = .key(key)
        let response = try await perform(write)
        guard case .feed(let elements, _) = response.content else {
            throw Cosmos.ClientError(
                .unreadableResponse, "The response to a batch is no list of results.")
        }
        let results = elements.map { Cosmos.BatchResult($0) }
        guard response.status == 200, results.count == batch.steps.count,
            results.allSatisfy({ (200..<300).contains($0.statusCode) })
        else { return nil }
        return try zip(batch.steps, results).map { step, result throws(Cosmos.ClientError) in
            let item = result.resource.map { form.item($0.packed) }
            if step.type == "Patch" || step.type == "Delete" { return .deleted(item) }
            guard let item, item.version != nil else {
                throw Cosmos.ClientError(
                    .unreadableResponse,
                    "The service carried out a batch and did not say what it stored.")
            }
            return .stored(item)
        }
    }
}
