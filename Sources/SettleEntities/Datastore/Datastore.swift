public import Settle

/// Entities with properties that forget no value, in a database.
///
/// An entity has an identifier, a type, the date when it was first added, and any number of properties. Changing a
/// property adds an entry with value and datestamp; the latest is current, the others are the property's history.
/// Devices that change the same entity are merged property by property, without asking anybody; see
/// ``SettleSync/ConflictHandler/entities``.
///
/// ```swift
/// let datastore = try await Datastore.load(name: "people", url: folder)
/// let bob = Entity.named("Bob", createAs: "person")
/// let anna = Entity.named("Anna", createAs: "person", with: ["boss": bob, "born": Date()])
/// let found = try await datastore.get(entity: anna)
/// ```
///
/// All operations are asynchronous and may be called from any task. Each is one transaction: all of it is stored, and on the
/// disk as the database has it, when it returns, or nothing. Lists go in, and results come out in the same order.
///
/// A datastore is light: any number may be opened over one database, and all are the same.
public final class Datastore: Sendable {
    /// The database that the entities are in.
    ///
    /// Entities are documents there: indexes, observed queries, filters and exports see them. Do not change their documents
    /// but for members of your own, `channels` for example.
    public let database: Database
    /// The identifier of this device, which is kept with every entry that is made here.
    public let device: String
    let hub: EntityChangeHub

    init(_ database: Database, device: String, hub: EntityChangeHub) {
        self.database = database
        self.device = device
        self.hub = hub
    }

    /// Registers classes of references: operations return entities of their types as instances of them.
    ///
    /// For all datastores over this database in this process. A type without a class of its own has references of
    /// ``EntityReference``.
    ///
    /// - Parameter classes: The classes.
    /// - Precondition: Each type has one class.
    public func register(classes: [CustomReference.Type]) {
        hub.register(classes)
    }

    /// The microseconds that the database's clock says.
    var now: Int64 { Moment.clamped(database.configuration.now()) }
}
