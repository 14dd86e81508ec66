import Foundation
import Settle
import SettleDocuments
import SettleOutbox

// Gets, lists and queries: by the service, and by what this device keeps where there is no network.

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
        if local.isPending {
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
            guard error.isOffline, let record = local.record else { throw error }
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
        do {
            let response = try await ask(operation)
            if case .bytes(let bytes) = response.content, let path = local.record?.path,
                bytes.count <= Self.mediaSizeMax
            {
                try await store.write { transaction in
                    let writer = try Cosmos.CacheWriter(transaction, sealer)
                    guard try transaction.document(path) != nil else { return }
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

    func list(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        let link = try namedLink(operation.link, store)
        guard rules.keeps(operation.type, at: link ?? operation.link) else {
            return try await ask(operation)
        }
        if Cosmos.OfflineContinuation(operation.page.continuation) != nil {
            guard let response = try listKept(operation, link, store) else {
                throw Self.noNetwork(operation)
            }
            return response
        }
        let count = store.marks.count
        do {
            let response = try await ask(operation)
            return try await keepList(response, operation, link, count, store)
        } catch {
            guard error.isOffline, operation.page.continuation == nil,
                let response = try listKept(operation, link, store)
            else { throw error }
            return response
        }
    }

    /// The link by ids of one of either form.
    func namedLink(
        _ link: Cosmos.Link?, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Cosmos.Link? {
        guard let link, link.isByResourceIds else { return link }
        return try store.read {
            try Cosmos.CacheReader(snapshot: $0, sealer: sealer).namedLink(link)
        }
    }

    private func keepList(
        _ response: Response, _ operation: Operation, _ link: Cosmos.Link?, _ count: UInt64,
        _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        guard case .feed(let elements, let resourceId) = response.content else { return response }
        var definition: Cosmos.PartitionKeyDefinition?
        if operation.type == .document, operation.partition.keyText.isEmpty, let link,
            !elements.isEmpty
        {
            guard let known = try await self.definition(of: link, store, asks: true) else {
                return response
            }
            definition = known
        }
        var named: [(Name, Cosmos.ResourceBody)] = []
        for element in elements {
            let body = Cosmos.ResourceBody(packed: element)
            let child = Cosmos.ResponseReader.altLink(
                of: body.id, operation.type, in: operation,
                alternateContentPath: response.metadata.alternateContentPath)
            guard let child else { continue }
            let key = definition?.key(of: body)?.headerText ?? operation.partition.keyText
            named.append((Name(child, partition: key), body))
        }
        try await keep(named, since: count, store)
        if named.count == elements.count, operation.page.continuation == nil,
            response.metadata.continuation == nil
        {
            try await removeUnlisted(named.map(\.0), operation, link, count, store)
        }
        return try overlaid(response, named, resourceId, store)
    }

    /// Puts our own writes that are not sent yet into a list of the service.
    private func overlaid(
        _ response: Response, _ named: [(Name, Cosmos.ResourceBody)], _ resourceId: String,
        _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Response {
        let sealer = sealer
        return try store.read { snapshot in
            guard store.queueState.mayWait else { return response }
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            var elements: [PackedValue] = []
            for (name, body) in named {
                if try Self.isPending(name, snapshot, store) {
                    if let record = try reader.record(of: name) {
                        elements.append(record.body.packed)
                    }
                } else {
                    elements.append(body.packed)
                }
            }
            var changed = response
            changed.content = .feed(elements, resourceId: resourceId)
            return changed
        }
    }

    /// Removes what a whole list does not have any more.
    private func removeUnlisted(
        _ listed: [Name], _ operation: Operation, _ link: Cosmos.Link?, _ count: UInt64,
        _ store: Cosmos.OfflineStore
    ) async throws(Failure) {
        let sealer = sealer
        let known = Set(listed)
        let key = operation.partition.keyText
        guard link != nil || operation.link == nil else { return }
        let gone: [Name] = try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            let parent = try link.flatMap { try reader.path(of: Name($0, partition: key)) }
            guard parent != nil || link == nil else { return [] }
            var gone: [Name] = []
            let names = try Cosmos.NameTable(in: snapshot)
            try reader.forEachPath(of: operation.type, below: parent) { document in
                guard let name = try names.name(ofPath: document.id), !known.contains(name),
                    key.isEmpty || name.partition == key,
                    !store.marks.isWritten(name, since: count)
                else { return true }
                gone.append(name)
                return true
            }
            return gone
        }
        for name in gone { try await remove(name, store) }
    }

    private func listKept(
        _ operation: Operation, _ link: Cosmos.Link?, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Response? {
        let sealer = sealer
        let key = operation.partition.keyText
        let countMax = operation.page.itemCountMax ?? 100
        let last = Cosmos.OfflineContinuation(operation.page.continuation)?.text
        if operation.link != nil, link == nil { return nil }
        return try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            let parent = try link.flatMap { try reader.path(of: Name($0, partition: key)) }
            if link != nil, parent == nil { return nil }
            var elements: [PackedValue] = []
            var metadata = Cosmos.ResponseMetadata()
            var lastPath = ""
            let names = try Cosmos.NameTable(in: snapshot)
            try reader.forEachPath(of: operation.type, below: parent, after: last) { document in
                if !key.isEmpty, operation.type == .document,
                    try names.name(ofPath: document.id)?.partition != key
                {
                    return true
                }
                if elements.count == countMax {
                    metadata.continuation = Cosmos.OfflineContinuation(text: lastPath).value
                    return false
                }
                elements.append(try Record(document, sealer).body.packed)
                lastPath = document.id
                return true
            }
            metadata.itemCount = elements.count
            let resourceId = parent.flatMap { Cosmos.Link($0, isByResourceIds: true)?.name } ?? ""
            return Response(
                status: 200, metadata: metadata, content: .feed(elements, resourceId: resourceId),
                fromCache: true)
        }
    }

    func query(
        _ operation: Operation, _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        guard let link = try namedLink(operation.link, store), rules.keeps(operation.type, at: link)
        else {
            return try await ask(operation)
        }
        if Cosmos.OfflineContinuation(operation.page.continuation) != nil {
            guard let response = try kept(operation, link, store) else {
                throw Self.noNetwork(operation)
            }
            return response
        }
        do {
            let response = try await ask(operation)
            try await keep(response, operation, link, store)
            return response
        } catch {
            guard error.isOffline, let response = try kept(operation, link, store) else {
                throw error
            }
            return response
        }
    }

    private func keep(
        _ response: Response, _ operation: Operation, _ link: Cosmos.Link,
        _ store: Cosmos.OfflineStore
    ) async throws(Failure) {
        guard case .feed(let elements, let resourceId) = response.content else { return }
        var path = try store.read { snapshot in
            try Cosmos.NameTable(in: snapshot).path(of: Name(link, partition: ""))
        }
        if path == nil {
            _ = try await definition(of: link, store, asks: true)
            path = try store.read { snapshot in
                try Cosmos.NameTable(in: snapshot).path(of: Name(link, partition: ""))
            }
        }
        guard let path else { return }
        let sealer = sealer
        try await store.write { transaction in
            let writer = try Cosmos.CacheWriter(transaction, sealer)
            try Cosmos.CachedResults(operation, at: path).put(
                Cosmos.CachedResults.Page(
                    items: elements.map { try $0.value() }, next: response.metadata.continuation,
                    resourceId: resourceId), at: operation.page.continuation, writer)
        }
    }

    private func kept(
        _ operation: Operation, _ link: Cosmos.Link, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Response? {
        let sealer = sealer
        return try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            guard let path = try reader.path(of: Name(link, partition: "")),
                let page = try Cosmos.CachedResults(operation, at: path)
                    .slice(operation.page, reader)
            else { return nil }
            var metadata = Cosmos.ResponseMetadata()
            metadata.continuation = page.next
            metadata.itemCount = page.items.count
            return Response(
                status: 200, metadata: metadata,
                content: .feed(
                    try page.items.map { try PackedValue($0) }, resourceId: page.resourceId),
                fromCache: true)
        }
    }
}
