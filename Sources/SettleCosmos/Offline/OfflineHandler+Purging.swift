import Settle
import SettleDocuments
import SettleOutbox

// Removes copies from this device, and tells the links that it knows.

extension Cosmos.OfflineHandler {
    /// Throws away everything, with what was not sent: also where the key is lost.
    func purgeEverything() async throws(Failure) {
        // No key is needed for that.
        try await Cosmos.OfflineStores.shared.store(in: folder).purge()
    }

    /// Throws away what is kept at a link and below, or all, but for what a write that waits needs.
    func purge(below link: Cosmos.Link?) async throws(Failure) {
        let store = try await store()
        let sealer = sealer
        let named = try namedLink(link, store)
        if link != nil, named == nil { return }
        let removed = try await store.write { transaction in
            let writer = try Cosmos.CacheWriter(transaction, sealer)
            let needed = try Self.neededPaths(transaction, writer.names)
            let paths = try Self.paths(within: named, writer)
            let removed = paths.filter { path in
                // The bytes of an attachment and results of queries are below what they belong to.
                !needed.contains(where: { path == $0 || path.hasPrefix("\($0)/media") })
            }
            for path in removed { try writer.names.remove(path: path) }
            try transaction.purge(documentsWithIds: removed)
            store.marks.notePurge()
            return removed
        }
        for path in removed { store.usage.forget(within: path) }
        store.forgetDefinitions(within: named)
    }

    /// The paths of the resources with writes that wait, and of those around them.
    private static func neededPaths(
        _ transaction: Transaction, _ names: Cosmos.NameTable
    ) throws -> Set<String> {
        var needed: Set<String> = []
        try OutboxSnapshot(in: transaction).forEachOperation { operation in
            for name in try Cosmos.QueuedWrite(headOf: operation)?.names ?? [] {
                var around: Name? = name
                while let name = around {
                    if let path = try names.path(of: name) { needed.insert(path) }
                    around = name.parent
                }
            }
            return true
        }
        return needed
    }

    private static func paths(
        within link: Cosmos.Link?, _ writer: Cosmos.CacheWriter
    ) throws -> [String] {
        guard let link else {
            var all: Set<String> = []
            try writer.transaction.forEachDocument { document in
                all.insert(document.id)
                return true
            }
            for path in try writer.names.allPaths() { all.insert(path) }
            return all.sorted()
        }
        // A document of that id may be in several partitions.
        var paths: Set<String> = []
        for path in try writer.names.allPaths()
        where try writer.names.name(ofPath: path)?.link.isWithin(link) == true {
            paths.insert(path)
            paths.formUnion(try writer.documentIds(within: path))
        }
        return paths.sorted()
    }

    /// The writes that wait, in their order.
    func queuedWrites() async throws(Failure) -> [Cosmos.OfflineWrite] {
        try await store().read { snapshot in
            var writes: [Cosmos.OfflineWrite] = []
            try OutboxSnapshot(in: snapshot).forEachOperation { operation in
                if let write = try Cosmos.QueuedWrite(headOf: operation),
                    let told = Cosmos.OfflineWrite(write)
                {
                    writes.append(told)
                }
                return true
            }
            return writes
        }
    }

    /// The link of the other form of a resource that this device has read; nil when it has not.
    func otherLink(
        of link: Cosmos.Link, _ partition: Cosmos.Operation.Partition
    ) async throws(Failure) -> Cosmos.Link? {
        let store = try await store()
        return try store.read { snapshot in
            let names = try Cosmos.NameTable(in: snapshot)
            if link.isByResourceIds { return try names.name(ofPath: link.text)?.link }
            let path = try names.path(of: Name(link, partition: partition.keyText))
            return path.flatMap { Cosmos.Link($0, isByResourceIds: true) }
        }
    }
}
