import Foundation
import Settle
import SettleDocuments

// Queries: by the service, and of the results that this device keeps where there is no network.

extension Cosmos.OfflineHandler {
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
        let count = store.marks.count
        do {
            let response = try await ask(operation)
            do throws(Failure) {
                try await keep(response, operation, link, since: count, store)
            } catch {
                // What cannot be kept, as a page that is too large, is an answer all the same.
            }
            return response
        } catch {
            guard error.isOffline, let response = try kept(operation, link, store) else {
                throw error
            }
            return response
        }
    }

    /// Where a page of a result is kept, how large it is, and what went for it.
    private typealias CachedPage = (path: String, size: Int, gone: [String])

    private func keep(
        _ response: Response, _ operation: Operation, _ link: Cosmos.Link, since count: UInt64,
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
        let results = Cosmos.CachedResults(operation, at: path)
        let kept = try await store.write { transaction -> CachedPage? in
            if store.marks.isPurged(since: count) { return nil }
            return try results.put(
                Cosmos.CachedResults.Page(
                    items: elements.map { try $0.value() }, next: response.metadata.continuation,
                    resourceId: resourceId), at: operation.page.continuation,
                Cosmos.CacheWriter(transaction, sealer))
        }
        guard let kept else { return }
        store.usage.forget(kept.gone)
        store.usage.note(kept.path, size: kept.size)
        try await makeRoom(store)
    }

    private func kept(
        _ operation: Operation, _ link: Cosmos.Link, _ store: Cosmos.OfflineStore
    ) throws(Failure) -> Response? {
        let sealer = sealer
        return try store.read { snapshot in
            let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: sealer)
            guard let path = try reader.path(of: Name(link, partition: "")),
                let page = try Cosmos.CachedResults(operation, at: path)
                    .slice(operation.page, reader, store.usage)
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
