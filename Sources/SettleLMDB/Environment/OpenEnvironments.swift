import SettlePrimitives
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The environments open in this process, by the identity of their files.
///
/// Two opens of one file in a process would break it: closing the second drops the first one's
/// lock, because POSIX locks belong to the process. So one object is shared and counted.
final class OpenEnvironments: Sendable {
    static let shared = OpenEnvironments()

    private struct Entry {
        let environment: Environment
        var data: FileSystem.Identity
        let lock: FileSystem.Identity?
        /// Whether the last close waits for transactions; an open of the file waits for it.
        var isClosing = false
    }

    /// Held over a whole open, so that no second one of the same file runs beside it.
    private let entries = Monitor<[Entry]>([])
    private let serialLast = Atomic<UInt64>(0)

    /// A number never given before in this process.
    func nextSerial() -> UInt64 {
        serialLast.wrappingAdd(1, ordering: .relaxed).newValue
    }

    func open(
        _ directory: String, _ options: EnvironmentOptions, create: Bool
    ) throws(LMDBError) -> Environment {
        try entries.when { (entries) throws(LMDBError) -> Environment? in
            // A forked child inherits the list; the parent's environments are not ours. One that
            // had to close itself may be opened anew before its owners have closed it.
            entries.removeAll { entry in
                entry.environment.forkCount != ForkCount.current
                    || (!entry.isClosing && entry.environment.monitor.withLock { $0.isClosed })
            }
            let data = directory + "/data.mdb"
            let lock = directory + "/lock.mdb"
            let found = try FileSystem.status(directory) == nil ? nil : FileSystem.status(data)
            if let found, let entry = entries.first(where: { $0.data == found.identity }) {
                if entry.isClosing { return nil }
                return try Self.share(entry.environment, options)
            }
            if let lockIdentity = try? FileSystem.status(lock)?.identity,
                entries.contains(where: { $0.lock == lockIdentity })
            {
                throw LMDBError(
                    code: .invalid, operation: "open", path: directory,
                    message: "The data file was replaced while it was open in this process; "
                        + "close the database before its files are exchanged.")
            }
            let environment = try EnvironmentOpening(
                directory: directory, options: options, create: create
            ).run(dataFile: found)
            guard let made = try FileSystem.status(data) else {
                environment.holder.close()
                throw LMDBError(result: ENOENT, operation: "open", path: directory)
            }
            entries.append(
                Entry(
                    environment: environment, data: made.identity,
                    lock: (try? FileSystem.status(lock))?.identity))
            return environment
        }
    }

    private static func share(
        _ environment: Environment, _ options: EnvironmentOptions
    ) throws(LMDBError) -> Environment {
        guard options.isReadOnly || !environment.options.isReadOnly else {
            throw LMDBError(
                code: .readOnly, operation: "open", path: environment.path,
                message: "The database is open for reading only in this process; "
                    + "close it before it is opened for writing.")
        }
        environment.monitor.withLock { $0.openCount += 1 }
        return environment
    }

    /// Runs the body, which puts another file in the place of an environment's.
    ///
    /// Nobody in this process opens anything meanwhile. Afterwards the environment is known by the
    /// file that is at its path then; one that the body closed is known no more.
    func exchangeFile(
        of environment: Environment, _ body: () throws(LMDBError) -> Void
    ) throws(LMDBError) {
        try entries.withLock { (entries) throws(LMDBError) in
            defer {
                let identity = try? FileSystem.status(environment.path + "/data.mdb")?.identity
                if let identity, !environment.monitor.withLock({ $0.isClosed }) {
                    for index in entries.indices
                    where entries[index].environment === environment {
                        entries[index].data = identity
                    }
                } else {
                    entries.removeAll { $0.environment === environment }
                }
            }
            try body()
        }
    }

    func close(_ environment: Environment) {
        guard environment.forkCount == ForkCount.current else { return }
        let isLast = entries.withLock { entries in
            let count = environment.monitor.withLock { state in
                precondition(state.openCount > 0, "A database was closed more often than opened.")
                state.openCount -= 1
                return state.openCount
            }
            guard count == 0 else { return false }
            for index in entries.indices where entries[index].environment === environment {
                entries[index].isClosing = true
            }
            return true
        }
        guard isLast else { return }
        // Not under the lock: a transaction that is waited for may open another database.
        environment.endAll()
        entries.withLock { $0.removeAll { $0.environment === environment } }
    }
}
