import Foundation
import Settle
import SettleDocuments
import SettleOutbox

// Lists: by the service, and of what this device keeps where there is no network.

extension Cosmos.OfflineHandler {
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
            do throws(Failure) {
                return try await keepList(response, operation, link, count, store)
            } catch {
                // What cannot be kept is a list all the same.
                return response
            }
        } catch {
            guard error.isOffline, operation.page.continuation == nil,
                let response = try listKept(operation, link, store)
            else { throw error }
            return response
        }
    }

    private func keepList(
        _ response: Response, _ operation: Operation, _ link: Cosmos.Link?, _ count: UInt64,
        _ store: Cosmos.OfflineStore
    ) async throws(Failure) -> Response {
        guard case .feed(let elements, let resourceId) = response.content else { return response }
        var definition: Cosmos.PartitionKeyDefinition?
        // The key that is asked for may be the beginning of those of the documents.
        if operation.type == .document, let link, !elements.isEmpty {
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
        let listed = store.lists.add(
            named.map(\.0),
            of: "\(operation.type.rawValue) \(link?.text ?? "") \(operation.partition.keyText)",
            at: operation.page.continuation, next: response.metadata.continuation,
            writeCount: count)
        if let listed, named.count == elements.count {
            try await removeUnlisted(listed.names, operation, link, listed.writeCount, store)
        }
        return try overlaid(response, named, listed?.names, operation, link, resourceId, store)
    }

    /// Puts our own writes that are not sent yet into a list of the service.
    ///
    /// - Parameters:
    ///   - response: The page.
    ///   - named: The resources of the page.
    ///   - listed: Those of the whole list, when this is its last page.
    ///   - operation: The list that was asked for.
    ///   - link: What it is a list of.
    ///   - resourceId: The identifier of that.
    ///   - store: The store.
    /// - Returns: The page with them.
    /// - Throws: ``Cosmos/ClientError`` when they cannot be read.
    private func overlaid(
        _ response: Response, _ named: [(Name, Cosmos.ResourceBody)], _ listed: Cosmos.NameSet?,
        _ operation: Operation, _ link: Cosmos.Link?, _ resourceId: String,
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
            if let listed {
                elements += try Self.added(operation, link, besides: listed, reader)
            }
            var changed = response
            changed.content = .feed(elements, resourceId: resourceId)
            return changed
        }
    }

    /// What this device has made in a list and the service does not have yet.
    private static func added(
        _ operation: Operation, _ link: Cosmos.Link?, besides listed: Cosmos.NameSet,
        _ reader: Cosmos.CacheReader
    ) throws -> [PackedValue] {
        let key = operation.partition.keyText
        var names = listed
        var found: [PackedValue] = []
        try OutboxSnapshot(in: reader.snapshot).forEachOperation { queued in
            let write = try Cosmos.QueuedWrite(headOf: queued)
            for name in write?.names ?? []
            where name.link.type == operation.type && name.link.parent == link
                && name.isInPartition(key) && names.insert(name)
            {
                if let record = try reader.record(of: name) { found.append(record.body.packed) }
            }
            return true
        }
        return found
    }

    /// Removes what a whole list does not have any more.
    private func removeUnlisted(
        _ known: Cosmos.NameSet, _ operation: Operation, _ link: Cosmos.Link?, _ count: UInt64,
        _ store: Cosmos.OfflineStore
    ) async throws(Failure) {
        let sealer = sealer
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
                    name.isInPartition(key),
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
                    try names.name(ofPath: document.id)?.isInPartition(key) != true
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
}
