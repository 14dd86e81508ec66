import Foundation

/// Copies the tables of one store into another: from a directory to PostgreSQL, or back.
///
/// Items keep their times and versions, deleted items and what tells readers that something left
/// their channels come along, and so do attachments: to clients the copy is the same server. A copy that
/// was broken off, or made while the source was still written to, is made again: it passes over what is
/// there already.
public struct StoreCopy: Sendable {
    /// What a copy did.
    public struct Summary: Sendable, Hashable {
        /// Tables of the source.
        public internal(set) var tableCount = 0
        /// Items that were stored.
        public internal(set) var copiedCount = 0
        /// Items that were there already.
        public internal(set) var equalCount = 0
        /// Contents of attachments that were stored.
        public internal(set) var contentCount = 0
    }

    private let source: ServerStore
    private let destination: ServerStore
    private let rules: AccessRules?

    /// A copy.
    ///
    /// - Parameters:
    ///   - source: Where the tables are; it is only read.
    ///   - destination: Where they go.
    ///   - rules: The rules of the server, for the indexes that they name; nil to leave the indexes of
    ///     the destination as they are.
    public init(from source: ServerStore, to destination: ServerStore, rules: AccessRules? = nil) {
        self.source = source
        self.destination = destination
        self.rules = rules
    }

    /// Makes the copy.
    ///
    /// - Parameter report: Called from time to time with the name of a table and how many of its items
    ///   were copied so far.
    /// - Returns: What was done.
    /// - Throws: ``ServerError`` with `directoryUnusable` for a directory that cannot be used, with
    ///   `directoryInUse` for a destination that a server is at work in, with `storeUnusable` for a
    ///   store that cannot be reached, with `copyConflict` when the destination has
    ///   changes of its own; `DatabaseError` when a store cannot be read or written;
    ///   `CancellationError` when the task is cancelled.
    public func run(
        _ report: @Sendable (_ table: String, _ itemCount: Int) -> Void = { _, _ in }
    ) async throws -> Summary {
        var indexes: (@Sendable (TableName) -> [[String]])?
        if let rules { indexes = { Access(rules: rules).indexes(of: $0) } }
        // As many tables as there are.
        let from = try await source.open(
            ServerStore.Settings(tableCountMax: .max, isReadOnly: true))
        do {
            let to = try await destination.open(
                ServerStore.Settings(tableCountMax: .max, indexes: indexes))
            do {
                let summary = try await copy(from, to, report)
                await to.close()
                await from.close()
                return summary
            } catch {
                await to.close()
                throw error
            }
        } catch {
            await from.close()
            // Stores speak to clients; this caller is none.
            guard let problem = error as? Problem else { throw error }
            throw ServerError(.storeUnusable, problem.message, cause: problem)
        }
    }

    private func copy(
        _ from: any TableStore, _ to: any TableStore,
        _ report: @Sendable (String, Int) -> Void
    ) async throws -> Summary {
        var summary = Summary()
        for name in try await from.tableNames() {
            guard let source = try await from.table(name, isCreated: false),
                let destination = try await to.table(name, isCreated: true)
            else { continue }
            let copier = TableCopier(source: source, destination: destination, now: { Date() })
            let part = try await copier.copy { report(name.text, $0) }
            summary.tableCount += part.tableCount
            summary.copiedCount += part.copiedCount
            summary.equalCount += part.equalCount
            summary.contentCount += part.contentCount
        }
        return summary
    }
}
