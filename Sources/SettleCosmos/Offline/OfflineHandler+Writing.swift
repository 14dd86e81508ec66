import Foundation
import Settle
import SettleDocuments
import SettleOutbox

// Writes: by the service, or applied here and queued.

extension Cosmos.OfflineHandler {
    func write(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        guard let names = try queueableNames(operation, store) else {
            return try await writeByService(operation, store)
        }
        let count = store.marks.count
        // Also where nothing is kept any more: a write must not overtake those before it.
        if try mustWait(names, operation, store) {
            return try await queue(operation, names, since: count, store)
        }
        guard names.allSatisfy({ rules.keeps($0.link.type, at: $0.link) }) else {
            return try await writeByService(operation, store)
        }
        if isOffline {
            do throws(Failure) {
                return try await queue(operation, names, since: count, store)
            } catch {
                // It may be that there is a network again.
                guard error.kind == .unreachable, rules.hasNetwork else { throw error }
            }
        }
        do {
            return try await writeByService(operation, store)
        } catch {
            guard error.isOffline else { throw error }
            return try await queue(operation, names, since: count, store, after: error)
        }
    }

    /// Sends a write to the service and keeps what came of it.
    private func writeByService(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        let asked = try withServiceVersion(operation, store)
        let count = store.marks.count
        let response = try await ask(asked)
        do throws(Failure) {
            try await take(response, of: operation, since: count, store)
        } catch {
            // It is carried out: that this device cannot keep it must not look as if it were not.
            store.usage.forgetChecks()
        }
        return response
    }

    /// Keeps what came of a write.
    ///
    /// What another write of this device was about meanwhile is kept no more: which of them the service carried out
    /// last is not known.
    private func take(
        _ response: Response, of operation: Operation, since count: UInt64,
        _ store: Cosmos.OfflineStore
    ) async throws(Failure) {
        var written: [Name: Cosmos.ResourceBody?] = [:]
        if operation.action == .delete, response.resource == nil, let link = operation.link {
            let name = try store.read { snapshot in
                try Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
                    .name(of: link, operation.partition)
            }
            if let name { written[name] = .some(nil) }
        } else if operation.action == .batch, let link = try namedLink(operation.link, store) {
            for (name, body) in Self.changes(operation, response, in: link) { written[name] = body }
        } else if let body = response.resource, let name = name(of: body, operation, nil) {
            written[name] = body
        }
        // A copy that is not kept up to date is kept no more either.
        for name in written.keys
        where store.marks.isWritten(name, since: count)
            || (name.link.nearest(.document) != nil
                && !rules.keeps(name.link.type, at: name.link))
        {
            written[name] = .some(nil)
        }
        for name in written.keys { store.marks.note(name) }
        let marked = store.marks.count
        let kept = written.compactMap { name, body in body.map { (name, $0) } }
        try await keep(kept, since: marked, store, isWrite: true)
        for (name, body) in written where body == nil { try await remove(name, store) }
    }

    /// An operation that depends on the version of the service where it depends on the same one of this device.
    private func withServiceVersion(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Operation {
        if operation.action == .batch { return try withServiceVersions(operation, store) }
        guard let etag = operation.ifMatch, let link = operation.itemLink else { return operation }
        let sealer = sealer
        let known = try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            return try reader.name(of: link, operation.partition).flatMap {
                try reader.serviceEtag(of: $0, knownAs: etag)
            }
        }
        guard let known else { return operation }
        var operation = operation
        operation.ifMatch = known
        return operation
    }

    /// A batch whose steps depend on the versions of the service where they depend on the same ones of this device.
    private func withServiceVersions(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Operation {
        guard case .json(let packed) = operation.body,
            var steps = try? packed.value().arrayValue,
            steps.contains(where: { $0["ifMatch"] != nil }),
            let link = try namedLink(operation.link, store)
        else { return operation }
        let (key, sealer) = (operation.partition.keyText, sealer)
        let etags = try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            return try steps.map { step -> String? in
                guard let step = BatchStep(step), let etag = step.etag else { return nil }
                return try reader.serviceEtag(
                    of: Name(link.child(.document, step.id), partition: key), knownAs: etag)
            }
        }
        guard etags.contains(where: { $0 != nil }) else { return operation }
        for (index, etag) in etags.enumerated() {
            if let etag { steps[index]["ifMatch"] = .string(etag) }
        }
        var operation = operation
        operation.body = try .json(.array(steps))
        return operation
    }

    /// The names of what a write concerns, when it is of a kind that may wait on this device; otherwise nil.
    private func queueableNames(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> [Name]? {
        guard mayWrite, operation.type == .document || operation.type == .attachment,
            let link = try namedLink(operation.link, store)
        else { return nil }
        let key = operation.partition.keyText
        if operation.action == .batch {
            guard case .json(let packed) = operation.body,
                let steps = try? packed.value().arrayValue
            else { return nil }
            return steps.compactMap { BatchStep($0) }.map {
                Name(link.child(.document, $0.id), partition: key)
            }
        }
        let isBelow = operation.action == .create || operation.action == .upsert
        guard isBelow else { return [Name(link, partition: key)] }
        guard let id = operation.newId, link.type == operation.type.parent else { return nil }
        return [Name(link.child(operation.type, id), partition: key)]
    }

    /// Whether writes wait that have to be sent before.
    private func mustWait(
        _ names: [Name], _ operation: Operation, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Bool {
        guard store.queueState.mayWait else { return false }
        return try store.read { snapshot in
            let queue = try OutboxSnapshot(in: snapshot)
            return try names.contains { name in
                var ids = [name.queueId]
                if let parent = name.parent, name.link.type == .attachment {
                    ids.append(parent.queueId)
                }
                if name.link.type == .document, operation.action == .delete {
                    ids.append(name.belowQueueId)
                }
                return try ids.contains { try queue.hasOperations(about: $0) }
            }
        }
    }

    /// Applies a write to the cache and queues it, in one commit.
    ///
    /// - Parameters:
    ///   - operation: The write.
    ///   - names: What it concerns.
    ///   - count: How many writes there were when it began.
    ///   - store: The store.
    ///   - failure: How it failed before, when it was tried.
    /// - Returns: What the service would answer, from the cache.
    /// - Throws: ``Cosmos/ClientError`` when it is refused, or cannot wait.
    private func queue(
        _ operation: Operation, _ names: [Name], since count: UInt64,
        _ store: Cosmos.OfflineStore, after failure: Failure? = nil
    ) async throws(Failure) -> Response {
        // While nothing is kept, the key was not checked yet.
        _ = try await self.store()
        try await check(operation, names, store)
        let (response, applied) = try await applied(operation, names, since: count, store, failure)
        for applied in applied { store.usage.note(applied) }
        kick(.queued)
        return response
    }

    private func applied(
        _ operation: Operation, _ names: [Name], since count: UInt64,
        _ store: Cosmos.OfflineStore, _ failure: Failure?
    ) async throws(Failure) -> (Response, [Cosmos.OfflineWriter.Applied]) {
        let sealer = sealer
        let date = now()
        store.queueState.beginQueueing()
        defer { store.queueState.endQueueing() }
        let isUncertain = failure.map { !$0.leavesNothing } ?? false
        let queued = try await store.write { transaction in
            if store.marks.isPurged(since: count) { throw failure ?? Self.purged(operation) }
            let writer = try Cosmos.OfflineWriter(transaction, sealer, now: date)
            if operation.action == .batch {
                return try Self.queueBatch(operation, names, isUncertain, writer)
            }
            guard let name = names.first else { return (Response(status: 204), []) }
            var change = Cosmos.OfflineWriter.Change(
                action: operation.action, name: name, subject: operation.subject)
            switch operation.body {
            case .none: break
            case .json(let packed): change.body = packed
            case .media(let bytes, let type): change.media = (bytes, type)
            }
            change.ifMatch = operation.ifMatch
            var applied = try writer.apply(change)
            applied.write.isUncertain = isUncertain
            applied.write.take(operation)
            try writer.enqueue(applied.write)
            return (Self.response(applied), [applied])
        }
        store.queueState.noteQueued()
        return queued
    }

    private static func purged(_ operation: Operation) -> Failure {
        Failure(
            .unreachable,
            "It is not possible to \(operation.subject) without a network: what this device keeps was thrown "
                + "away meanwhile, with the writes that waited.")
    }

    private static func response(_ applied: Cosmos.OfflineWriter.Applied) -> Response {
        var metadata = Cosmos.ResponseMetadata()
        metadata.etag = applied.record?.body.etag
        return Response(
            status: applied.status, metadata: metadata,
            content: applied.record.map { .resource($0.body) } ?? .none, fromCache: true)
    }

    /// Refuses what the service would refuse for good.
    private func check(
        _ operation: Operation, _ names: [Name], _ store: Cosmos.OfflineStore
    ) async throws(Failure) {
        // A write waits under the text of its link, which an odd id would make that of nothing, or of another.
        for name in names where Cosmos.Link(name.link.text, isByResourceIds: false) != name.link {
            throw Failure(
                .invalidId,
                "It is not possible to \(operation.subject) without a network: its id is empty or has a '/'."
            )
        }
        guard operation.type == .document else { return }
        var bodies: [Cosmos.ResourceBody] = []
        if case .json(let packed) = operation.body {
            switch operation.action {
            case .create, .upsert, .replace: bodies = [Cosmos.ResourceBody(packed: packed)]
            case .batch:
                guard operation.partition.keyText.isEmpty == false else { break }
                for step in (try? packed.value().arrayValue) ?? [] {
                    guard let step = BatchStep(step), step.action != .patch,
                        let members = step.body?.objectValue
                    else { continue }
                    bodies.append(try Cosmos.ResourceBody(members))
                }
            default: break
            }
        }
        guard let collection = names.first?.link.nearest(.collection),
            let known = try await definition(of: collection, store, asks: false),
            let definition = known
        else { return }
        guard case .key(let key) = operation.partition else {
            throw Failure(
                .badRequest,
                "It is not possible to \(operation.subject): it needs the partition key of the document.",
                statusCode: 400)
        }
        for body in bodies where definition.key(of: body)?.headerText != key.headerText {
            throw Failure(
                .badRequest,
                "It is not possible to \(operation.subject): the partition key is not that of the document.",
                statusCode: 400, subStatus: 1001)
        }
    }
}

extension Cosmos.CacheUsage {
    /// Notes what a write has changed.
    func note(_ applied: Cosmos.OfflineWriter.Applied) {
        if let record = applied.record {
            note(record.path, size: record.body.packed.bytes.count)
        }
        if let path = applied.removedPath { forget(within: path) }
    }
}

extension Cosmos.QueuedWrite {
    /// Takes over what an operation asks for beside its body.
    mutating func take(_ operation: Cosmos.Operation) {
        if case .matches = operation.options.condition { isStrict = true }
        indexingDirective = operation.options.indexingDirective?.rawValue
        if !operation.options.preTriggers.isEmpty { preTriggers = operation.options.preTriggers }
        if !operation.options.postTriggers.isEmpty {
            postTriggers = operation.options.postTriggers
        }
        contentName = operation.contentName
    }
}
