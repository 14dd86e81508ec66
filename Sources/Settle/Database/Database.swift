public import Dispatch
import Foundation
package import SettleIndexing
import SettleStorage

/// Documents on this device, with indexes, observed queries, and a feed of changes.
///
/// Open one with ``open(with:create:)``. All methods may be called from any task or thread.
/// Reading does not wait for writing, but for the moment in which the file grows: then the writer
/// waits for the reads that are under way, and new ones wait for it. Writes are stored one after
/// the other, and callers that arrive together share one flush to the disk.
///
/// What guards the state: `store` and `indexEngine` guard themselves; `indexes`, `observers`, `participants`,
/// `scopedObjects`, `expirations`, and `hub` each guard their own with a lock; only that of `scopedObjects` is held
/// while something else is called, the closure that makes a database-scoped object.
///
/// ```swift
/// let configuration = Database.OpenDatabaseConfiguration(
///     name: "orchard", fileLocation: folder, indexes: [byColour])
/// let database = try await Database.openOrCreate(configuration)
///
/// var stored = try await database.add(apple)
/// stored["price"] = 4
/// try await database.update(stored)
/// ```
public final class Database: Sendable {
    /// The name and location it was opened with.
    public let configuration: OpenDatabaseConfiguration
    let store: Store
    let hub: CommitHub
    let indexes = IndexRegistry()
    package let indexEngine: IndexEngine
    let observers: ObservationCenter
    let participants = ParticipantRegistry()
    let expirations: ExpirationTimer
    private let scopedObjects = ScopedObjectRegistry()

    init(_ configuration: OpenDatabaseConfiguration, create: Bool) throws {
        let hub = CommitHub(configuration)
        let now = configuration.now
        let observers = ObservationCenter(hub.signal)
        self.configuration = configuration
        self.hub = hub
        self.observers = observers
        expirations = ExpirationTimer(clock: configuration.clock)
        store = try DatabaseError.translating {
            try Store(
                directory: configuration.key.directory.path,
                options: configuration.storeOptions,
                create: create, clock: { Timestamp(now()) },
                follow: { try observers.follower.follow($0) }, publish: { hub.publish($0) })
        }
        indexEngine = IndexEngine(store, directory: configuration.key.directory.path)
        observers.attach(self)
        hub.attach(self)
        if !configuration.isReadOnly { expirations.attach(self) }
    }

    /// The name of the database.
    public var name: String { configuration.name }

    /// The queue that handlers and delegates are called on.
    public var completionQueue: DispatchQueue { configuration.completionQueue }

    /// True when the database is read without locks, because its file `lock.mdb` may not be written.
    ///
    /// Only with ``OpenDatabaseConfiguration/isReadOnly``: on read-only media, and in a directory of
    /// another user. Until it is closed no process can open the database for writing.
    public var isReadWithoutLocks: Bool { store.isWithoutLocks }

    /// The number of documents that are not deleted.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    public var totalDocumentCount: Int {
        get throws { try read { $0.documentCount } }
    }

    /// The sequence of the last change; 0 in a new database.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    public var lastSequence: UInt64 {
        get throws { try read { $0.sequence } }
    }

    /// Notified of every commit of this process that changed documents, on the completion queue.
    ///
    /// Held weakly.
    public var databaseChangeDelegate: (any DatabaseChangeDelegate)? {
        get { hub.delegate }
        set { hub.delegate = newValue }
    }

    /// The object of a type that is kept beside this database; made at the first call.
    ///
    /// For what is built on top of a database and must be there once for each, a replicator for
    /// example. It lives as long as the database.
    ///
    /// - Parameter make: Makes the object. It must not call `scopedObject`, of any type.
    /// - Returns: The same object at every call with the same type.
    public func scopedObject<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
        scopedObjects.object(make)
    }

    /// Breaks off the work on the indexes and returns when it has ended, before ``shutDown()``.
    func endIndexJobs() async {
        expirations.stop()
        await indexEngine.stop()
    }

    /// Ends everything that goes on in the database and closes its files.
    ///
    /// - Precondition: ``endIndexJobs()`` has returned.
    func shutDown() {
        observers.close()
        store.close()
        indexEngine.close()
        hub.finish()
    }
}
