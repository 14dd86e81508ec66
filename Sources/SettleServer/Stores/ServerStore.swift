import Settle

/// Which store a server keeps its tables in.
///
/// ``directory(_:durability:)`` needs nothing but a disk and is for one server process; the library
/// `SettlePostgreSQL` adds another for several processes over one PostgreSQL database.
///
/// ```swift
/// let server = try TableServer(configuration: ServerConfiguration(store: store))
/// ```
public struct ServerStore: Sendable {
    /// What a server tells its store.
    package struct Settings: Sendable {
        /// How many indexes a table may have.
        package static let indexCountMax = 64

        /// How many tables there may be.
        package var tableCountMax: Int
        /// The paths of a table that are to have an index; nil to leave the indexes as they are.
        package var indexes: (@Sendable (TableName) -> [[String]])?
        /// Whether nothing is written, so that a server may be at work in the store meanwhile.
        package var isReadOnly: Bool

        /// The turns in which long reads go on; a server shares them with other work of its own.
        package var turns: WorkTurns

        package init(
            tableCountMax: Int, indexes: (@Sendable (TableName) -> [[String]])? = nil,
            isReadOnly: Bool = false, turns: WorkTurns = WorkTurns()
        ) {
            self.tableCountMax = tableCountMax
            self.indexes = indexes
            self.isReadOnly = isReadOnly
            self.turns = turns
        }
    }

    /// Opens the store.
    ///
    /// Throws ``ServerError`` with `storeUnusable`, `directoryUnusable` or `directoryInUse`.
    package let open: @Sendable (Settings) async throws -> any TableStore
    /// Why the store cannot be used as it is described; nil when it can, as far as that is known
    /// before it is opened.
    let fault: String?

    /// A store that is opened by a closure; its `DatabaseError`s become ``ServerError``s.
    package init(
        fault: String? = nil,
        open: @escaping @Sendable (Settings) async throws -> any TableStore
    ) {
        self.fault = fault
        self.open = { settings in
            do {
                return try await open(settings)
            } catch let error as DatabaseError {
                throw ServerError(.storeUnusable, error.message, cause: error)
            }
        }
    }
}
