import Foundation
import Settle
import SettleDocuments
import SettleOutbox
import SettlePrimitives
import Synchronization

extension Cosmos {
    /// The database in which this process keeps the resources and queued writes of one account.
    ///
    /// All clients of the account with the same folder share it.
    final class OfflineStore: Sendable {
        let database: Settle.Database
        let outbox: Outbox
        let usage = CacheUsage()
        let marks = WriteMarks()
        let lists = ListChains()
        let queueState = QueueState()
        /// Only one client sends queued writes at a time.
        let sending = TaskGate()
        /// By which members the documents of collections are spread, as far as that was asked for.
        let definitions = Lock<[Link: KnownDefinition]>([:])
        private let lock: FolderLock
        /// How often the key changed, or may have.
        private let keyChanges = Lock<UInt64>(0)

        private static let databaseName = "cosmos"
        private static let stateTable = "cosmos.state"
        private static let layoutKey = Array("layout".utf8)
        private static let layout: [UInt8] = [1]
        private static let checkKey = Array("check".utf8)
        private static let checkText = Data("SettleCosmos".utf8)

        init(_ database: Settle.Database, _ outbox: Outbox, _ lock: FolderLock) {
            self.database = database
            self.outbox = outbox
            self.lock = lock
        }

        /// How often the key changed, or may have: a client checks its own again when this is another.
        var keyChangeCount: UInt64 { keyChanges.withLock { $0 } }

        /// Whether there may be a store in a folder.
        static func exists(in folder: URL) -> Bool {
            FileManager.default.fileExists(atPath: folder.path)
        }

        /// Opens the store in a folder, which is made when there is none.
        static func open(in folder: URL) async throws -> OfflineStore {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            let lock = try FolderLock(folder)
            do {
                let database = try await Settle.Database.openOrCreate(
                    Settle.Database.OpenDatabaseConfiguration(
                        name: databaseName, fileLocation: folder))
                return try await open(database, lock)
            } catch {
                lock.release()
                throw error
            }
        }

        private static func open(
            _ database: Settle.Database, _ lock: FolderLock
        ) async throws -> OfflineStore {
            do {
                // Operations wait in it; they are sent in groups, which no pipeline does, and none need look.
                let outbox = try await database.openOutbox(
                    OutboxConfiguration(
                        operations: [QueuedWrite.self],
                        pipelines: [PipelineConfiguration(delegate: nil)], suspendCount: 1))
                let store = OfflineStore(database, outbox, lock)
                try await store.checkLayout()
                return store
            } catch {
                await database.close()
                throw error
            }
        }

        /// Begins to count how large what is kept is, for a limit.
        func countSizes() throws(ClientError) {
            guard usage.begin() else { return }
            try read { snapshot in
                try snapshot.forEachDocument { document in
                    usage.note(document.id, size: try document.packed().bytes.count)
                    return true
                }
            }
        }

        /// Notes the layout of a new store, and refuses one that a newer version has written.
        private func checkLayout() async throws(ClientError) {
            let layout = try read { try $0.table(Self.stateTable)?.value(for: Self.layoutKey) }
            if let layout {
                guard Array(layout) == Self.layout else {
                    throw ClientError(
                        .configureError,
                        "A newer version of Settle has written what this device keeps of the account. Nothing "
                            + "was changed. Use that version, or another folder.")
                }
                return
            }
            try await write { transaction in
                try transaction.sideTable(named: Self.stateTable)
                    .set(Self.layout, for: Self.layoutKey)
            }
        }

        /// Checks that an encryptor is the one that the store was written with, and writes what is not encrypted yet
        /// with it.
        func adopt(_ sealer: Sealer) async throws(ClientError) {
            let check = try read { try $0.table(Self.stateTable)?.value(for: Self.checkKey) }
            guard let check else {
                if sealer.encryptor != nil { try await encrypt(sealer) }
                return
            }
            guard let encryptor = sealer.encryptor else { throw Sealer.noKey }
            do {
                guard try encryptor.decrypt(Data(check)) == Self.checkText else {
                    throw Sealer.wrongKey(nil)
                }
            } catch let error as ClientError {
                throw error
            } catch {
                throw Sealer.wrongKey(error)
            }
        }

        private func encrypt(_ sealer: Sealer) async throws(ClientError) {
            guard let encryptor = sealer.encryptor else { return }
            try await write { transaction in
                var ids: [String] = []
                try transaction.forEachDocument { document in
                    ids.append(document.id)
                    return true
                }
                for id in ids {
                    guard let document = try transaction.document(id) else { continue }
                    let packed = try document.packed()
                    var sealed = try sealer.sealed(try sealer.opened(packed))
                    if let etag = try packed.member("local") {
                        sealed = try sealed.setting(["local": etag])
                    }
                    try transaction.save(Settle.Document(id: id, packed: sealed))
                }
                let queue = try transaction.outbox
                for id in try queue.storedIds() {
                    guard let operation = try queue.operation(id),
                        var write = try operation.operation(as: QueuedWrite.self)
                    else { continue }
                    write.content = try write.content.map {
                        StoredValue(try sealer.sealed(sealer.opened($0.packed)))
                    }
                    try queue.modify(operation.id) { try $0.set(write) }
                }
                try transaction.sideTable(named: Self.stateTable)
                    .set([UInt8](encryptor.encrypt(Self.checkText)), for: Self.checkKey)
            }
            keyChanges.withLock { $0 += 1 }
        }

        /// Throws away everything.
        ///
        /// - Throws: ``ClientError`` with `internalError` when it cannot be written.
        func purge() async throws(ClientError) {
            try await write { [self] transaction in
                let queue = try transaction.outbox
                for id in try queue.storedIds() { try queue.skip(id) }
                try clear(transaction)
                marks.notePurge()
            }
            keyChanges.withLock { $0 += 1 }
            usage.forgetAll()
            lists.removeAll()
            forgetDefinitions(within: nil)
        }

        /// Keeps by which members the documents of a collection are spread that was read.
        func keepDefinition(of collection: ResourceBody, at link: Link) {
            definitions.withLock { $0[link] = KnownDefinition(collection) }
        }

        /// Forgets by which members the documents at or below a link are spread, or of all.
        func forgetDefinitions(within link: Link?) {
            definitions.withLock { known in
                known = known.filter { definition in
                    link.map { !definition.key.isWithin($0) } ?? false
                }
            }
        }

        /// Removes everything but the queue.
        private func clear(_ transaction: Transaction) throws {
            var ids: [String] = []
            try transaction.forEachDocument { document in
                ids.append(document.id)
                return true
            }
            try transaction.purge(documentsWithIds: ids)
            try NameTable(writingIn: transaction).removeAll()
            try transaction.sideTable(named: Self.stateTable).remove(Self.checkKey)
        }

        /// Changes what is kept, in one commit.
        func write<Value: Sendable>(
            _ body: @escaping @Sendable (Transaction) throws -> Value
        ) async throws(ClientError) -> Value {
            do {
                return try await database.write(body)
            } catch {
                throw Self.error(error)
            }
        }

        /// Reads one state of what is kept.
        func read<Value>(_ body: (Snapshot) throws -> Value) throws(ClientError) -> Value {
            do {
                return try database.read(named: "cosmos", body)
            } catch {
                throw Self.error(error)
            }
        }

        static func error(_ error: any Swift.Error) -> ClientError {
            error as? ClientError
                ?? ClientError(
                    .internalError,
                    "What this device keeps of the account cannot be read or written.", cause: error
                )
        }

        func close() async {
            await outbox.close()
            await database.close()
            lock.release()
        }
    }

    /// The stores that are open in this process.
    actor OfflineStores {
        static let shared = OfflineStores()
        private var stores: [String: Task<OfflineStore, any Swift.Error>] = [:]

        /// The store in a folder.
        func store(in folder: URL) async throws(ClientError) -> OfflineStore {
            let path = folder.standardizedFileURL.path
            let task =
                stores[path] ?? Task { try await OfflineStore.open(in: folder) }
            stores[path] = task
            do {
                return try await task.value
            } catch {
                stores[path] = nil
                if let error = error as? ClientError { throw error }
                throw ClientError(
                    .internalError,
                    "The cache of the account cannot be opened; check its folder, or configure the client "
                        + "without a cache.", cause: error)
            }
        }

        /// Closes the store in a folder; clients that use it open it again.
        func close(_ folder: URL) async {
            let path = folder.standardizedFileURL.path
            guard let task = stores.removeValue(forKey: path) else { return }
            await (try? task.value)?.close()
        }
    }

    /// Lets one task at a time through.
    actor TaskGate {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func enter() async {
            guard isTaken else {
                isTaken = true
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func leave() {
            if waiting.isEmpty {
                isTaken = false
            } else {
                waiting.removeFirst().resume()
            }
        }
    }
}

extension OutboxTransaction {
    /// The identifiers of the stored operations.
    fileprivate func storedIds() throws -> [UUID] {
        var ids: [UUID] = []
        try stored().forEachOperation { operation in
            ids.append(operation.id)
            return true
        }
        return ids
    }
}
