/// Where a server keeps its tables.
///
/// A store offers primitives, in transactions; what tables mean (rights, versions, lists, what left
/// a reader's sight) stands above it, once for all stores. Two things are promised by every store:
///
/// - **Times.** `updatedAt` of the writes of a table increase strictly in the order in which their
///   transactions become visible, whoever writes, in this process or another. Who has read everything
///   up to a time never misses what comes later.
/// - **All or nothing.** What a write's closure did is stored, in one commit that survives a crash
///   before the call returns, or it threw and nothing is.
package protocol TableStore: Sendable {
    /// The table with a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - isCreated: True to make a table that is not there.
    /// - Returns: The table; nil when there is none and it shall not be made.
    /// - Throws: ``Problem`` 403 when there are too many tables, 503 when the store is closed; the
    ///   store's own error when it cannot be reached.
    func table(_ name: TableName, isCreated: Bool) async throws -> (any StoredTable)?

    /// The names of all tables, in the order of their bytes.
    ///
    /// - Throws: The store's own error when it cannot be reached.
    func tableNames() async throws -> [TableName]

    /// Returns when the store can be read just now.
    ///
    /// - Throws: The store's own error when it cannot be.
    func checkReadiness() async throws

    /// Lets go of everything; writes that are under way are finished.
    func close() async
}
