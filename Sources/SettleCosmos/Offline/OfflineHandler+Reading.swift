import Foundation
import Settle
import SettleDocuments

// Gets: by the service, and by what this device keeps where there is no network.

extension Cosmos.OfflineHandler {
    typealias Operation = Cosmos.Operation
    typealias Response = Cosmos.OperationResponse
    typealias Failure = Cosmos.ClientError

    /// What this device knows of one resource.
    private struct Local {
        var name: Name?
        var record: Record?
        var isPending = false
    }

    private func local(
        _ link: Cosmos.Link, _ partition: Operation.Partition, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Local {
        let sealer = sealer
        return try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            guard let name = try reader.name(of: link, partition) else { return Local() }
            return Local(
                name: name, record: try reader.record(of: name),
                isPending: try Self.isPending(name, snapshot, store))
        }
    }

    func get(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        guard let link = operation.link, operation.ifModifiedSince == nil else {
            return try await ask(operation)
        }
        let local = try local(link, operation.partition, store)
        guard rules.keeps(operation.type, at: local.name?.link ?? link) else {
            return try await ask(operation)
        }
        if local.isPending, !operation.needsService {
            guard let record = local.record else { throw Self.deletedHere(operation) }
            return answer(record, store)
        }
        if let record = local.record, !operation.needsService,
            let lifetime = rules.lifetime(at: local.name?.link, operation.options),
            store.usage.isFresh(record.path, within: lifetime, at: now())
        {
            return answer(record, store)
        }
        let count = store.marks.count
        var asked = operation
        asked.ifNoneMatch = operation.ifNoneMatch ?? local.record?.body.etag
        do {
            let response = try await ask(asked)
            if response.status == 304 {
                guard operation.ifNoneMatch == nil, let record = local.record else {
                    return response
                }
                store.usage.check(record.path, at: now())
                return answer(record, store, response.metadata)
            }
            if let body = response.resource, let name = name(of: body, operation, local.name) {
                try await keep([(name, body)], since: count, store)
            }
            return response
        } catch {
            if error.kind == .notFound, error.subStatus != 1002, let name = local.name,
                !store.marks.isWritten(name, since: count)
            {
                try await remove(name, store)
            }
            guard error.isOffline, !operation.needsService, let record = local.record else {
                throw error
            }
            return answer(record, store)
        }
    }

    /// The name of a resource that the service has sent in response to an operation about it.
    func name(of body: Cosmos.ResourceBody, _ operation: Operation, _ known: Name?) -> Name? {
        if let known, known.link.name == body.id { return known }
        guard let link = body.altLink, !link.isByResourceIds else { return nil }
        return Name(link, partition: operation.partition.keyText)
    }

    private func answer(
        _ record: Record, _ store: Cosmos.OfflineStore, _ metadata: Cosmos.ResponseMetadata? = nil
    ) -> Response {
        store.usage.touch(record.path)
        var metadata = metadata ?? Cosmos.ResponseMetadata()
        metadata.etag = record.body.etag
        return Response(
            status: 200, metadata: metadata, content: .resource(record.body), fromCache: true)
    }

    private static func deletedHere(_ operation: Operation) -> Failure {
        Failure(
            .notFound,
            "It is not possible to \(operation.subject): it was deleted on this device, and the deletion is "
                + "not sent yet.")
    }

    func readMedia(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        guard let link = operation.link, rules.keeps(.attachment, at: link) else {
            return try await ask(operation)
        }
        let local = try local(link, operation.partition, store)
        let sealer = sealer
        func kept() throws(Failure) -> Response? {
            guard let path = local.record?.path else { return nil }
            let media = try store.read { snapshot in
                try Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
                    .media(ofAttachmentAt: path)
            }
            return media.map { Response(status: 200, content: .bytes($0), fromCache: true) }
        }
        if local.isPending, let response = try kept() { return response }
        let count = store.marks.count
        do {
            let response = try await ask(operation)
            if case .bytes(let bytes) = response.content, let path = local.record?.path,
                bytes.count <= Self.mediaSizeMax
            {
                try await store.write { transaction in
                    let writer = try Cosmos.CacheWriter(transaction, sealer)
                    guard !store.marks.isPurged(since: count),
                        try transaction.document(path) != nil
                    else { return }
                    try writer.put(media: bytes, ofAttachmentAt: path)
                }
                store.usage.note(Cosmos.CacheReader.mediaPath(path), size: bytes.count)
                try await makeRoom(store)
            }
            return response
        } catch {
            guard error.isOffline, let response = try kept() else { throw error }
            return response
        }
    }

    /// The most bytes of an attachment that are kept.
    static var mediaSizeMax: Int { 8 << 20 }

    /// The link by ids of one of either form.
    func namedLink(
        _ link: Cosmos.Link?, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Cosmos.Link? {
        guard let link, link.isByResourceIds else { return link }
        return try store.read {
            try Cosmos.CacheReader(snapshot: $0, sealer: sealer).namedLink(link)
        }
    }
}
