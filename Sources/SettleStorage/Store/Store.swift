package import SettleDocuments
import SettleLMDB

/// Documents as rows of one environment: snapshots for readers, one writer with a group commit.
package final class Store: Sendable {
    let environment: Environment
    private let tables: StoreTables
    private let writer: Writer

    /// Opens the store in a directory.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory that holds the file.
    ///   - options: How it is opened.
    ///   - create: True to make the store when there is none.
    ///   - clock: Where the dates of the documents come from.
    ///   - follow: Called on the writer's thread at the end of each transaction that changes a
    ///     document, to bring tables of its own up to date in the same commit. It may be called
    ///     more than once for one commit. When it throws, everything is rolled back and done again;
    ///     so it must give up what keeps failing.
    ///   - publish: Called on the writer's thread after each commit that changed a document, or
    ///     the date at which one is purged, in the order of the commits, before the callers learn of it. It must return quickly.
    /// - Throws: ``StorageError/engine(_:message:)`` when the file cannot be opened,
    ///   ``StorageError/newerFormat(format:)``, ``StorageError/olderFormat(format:)``, ``StorageError/foreignEngine(recorded:running:)``,
    ///   ``StorageError/notASettleStore``.
    package init(
        directory: String, options: StoreOptions, create: Bool,
        clock: @escaping @Sendable () -> Timestamp,
        follow: @escaping @Sendable (StoreTransaction) throws -> Void = { _ in },
        publish: @escaping @Sendable (StoreCommit) -> Void
    ) throws {
        let environment = try StorageError.translating {
            try Environment.open(at: directory, options: options.environment, create: create)
        }
        do {
            tables = try StorageError.translating {
                let tables = try Self.openTables(of: environment, options, create: create)
                if options.usesCommitLog, !options.isReadOnly {
                    try Self.startCommitLog(of: environment, tables)
                }
                return tables
            }
        } catch {
            environment.close()
            throw error
        }
        self.environment = environment
        writer = Writer(
            environment: environment, tables: tables, clock: clock, follow: follow,
            publish: publish)
    }

    /// Whether the file is read without locks, which keeps every process from writing it.
    package var isWithoutLocks: Bool { environment.isWithoutLocks }

    /// Hands a consistent state to a closure, on the calling thread, without waiting for writers.
    ///
    /// - Parameters:
    ///   - name: What the reader is for, shown when it lasts too long.
    ///   - body: Must not keep the snapshot; it may not be used after the closure ends.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``StorageError`` when the store is closed or cannot be read.
    package func read<Value>(
        _ name: String, _ body: (StoreSnapshot) throws -> Value
    ) throws -> Value {
        // The environment may be shared with another store, and then stays open.
        guard !writer.isClosed else { throw StorageError.closed }
        return try StorageError.translating {
            try environment.read(name) { reader in
                try body(StoreSnapshot(reader: reader, tables: tables))
            }
        }
    }

    /// Runs a closure on the writer's thread and returns when its commit is on disk.
    ///
    /// The closure may run more than once (the file had to grow, or another caller's closure in
    /// the same commit failed), so it must do nothing but use its transaction.
    ///
    /// - Parameter body: What to do; all of it is committed or nothing.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: What `body` throws; ``StorageError/closed``; ``StorageError/engine(_:message:)`` when the
    ///   commit fails.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            write(body) { continuation.resume(with: $0) }
        }
    }

    /// Queues a closure for the writer's thread, in the order of the calls.
    ///
    /// - Parameters:
    ///   - body: What to do; see ``write(_:)``.
    ///   - completion: Called once, on the writer's thread (or at once when the store is closed),
    ///     with what ``write(_:)`` would return or throw.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        writer.submit(WriteJob(body, completion: completion))
    }

    /// Finishes the queued writes and closes the file.
    ///
    /// Blocks until it is done; later calls do nothing.
    package func close() {
        if writer.close() { environment.close() }
    }

    private static func openTables(
        of environment: Environment, _ options: StoreOptions, create: Bool
    ) throws -> StoreTables {
        let found = try environment.read("open") { reader -> (StoreTables, format: UInt32)? in
            guard try !reader.tableNames().isEmpty else { return nil }
            let format = try StoreHeader.check(try StoreTables.meta(in: reader), in: reader)
            return (try StoreTables(findingIn: reader), format)
        }
        if let (tables, format) = found {
            if format < StoreHeader.format, !options.isReadOnly {
                try StoreUpgrade.run(in: environment)
                return try environment.read("open") { try StoreTables(findingIn: $0) }
            }
            return tables
        }
        guard create else { throw StorageError.notASettleStore }
        return try makeTables(in: environment)
    }

    private static func startCommitLog(
        of environment: Environment, _ tables: StoreTables
    ) throws {
        let format = try environment.read("open") {
            try StoreHeader.check(tables.meta, in: $0)
        }
        if format < StoreHeader.extendedFormat {
            try environment.write { transaction in
                try StoreHeader.raiseFormat(
                    to: StoreHeader.extendedFormat, in: tables.meta, of: transaction)
            }
            // On the medium before the log says anything.
            try environment.sync()
        }
        environment.useCommitLog()
    }

    private static func makeTables(in environment: Environment) throws -> StoreTables {
        try environment.write { transaction in
            let tables = try StoreTables(creatingIn: transaction)
            try StoreHeader.write(to: tables.meta, in: transaction)
            return tables
        }
    }
}
