/// What went wrong in the store below, where, and what to do about it.
///
/// Never holds a key or a value: only names of tables, sizes and paths.
package struct LMDBError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure a caller may tell apart.
    package enum Code: Sendable, Equatable {
        /// The map has reached `EnvironmentOptions.mapSizeMax`; nothing was written.
        case mapFull
        /// Another process has made the map larger; handled inside, never seen by callers.
        case mapResized
        /// A key is empty or longer than 511 bytes.
        case keyTooLong
        /// A value is longer than `EnvironmentOptions.valueSizeMax`.
        case valueTooLarge
        /// `append` was given a key that is not greater than the table's last.
        case keyOutOfOrder
        /// Every reader slot of the lock file is taken by a living reader.
        case readersFull
        /// Readers of this process did not end in time for a step that needs them gone.
        case readersBusy
        /// More tables than `EnvironmentOptions.tablesMax`.
        case tablesFull
        /// Another process has created a table during this transaction: begin it again.
        case tablesChanged
        /// The table, or the data file, does not exist.
        case notFound
        /// The file is truncated or its pages do not fit together.
        case corrupted
        /// The file was written by an engine whose format this one cannot read.
        case versionMismatch
        /// The file is not a data file at all: empty, garbage, or another program's.
        case invalid
        /// No room is left on the device; the transaction was rolled back.
        case diskFull
        /// The file system or the environment is read-only.
        case readOnly
        /// The directory does not exist and was not to be created.
        case noSuchDirectory
        /// The operating system denies access to the files.
        case permission
        /// The environment has been closed.
        case closed
        /// The environment was opened before this process was forked from its parent.
        case openedBeforeFork
        /// The directory is on a network or user-space file system.
        case networkFileSystem
        /// A process of another namespace of process numbers has the database open.
        case foreignProcessNamespace
        /// Another process has the database open, and the step needs it for us alone.
        case inUse
        /// The engine met a failure after which the environment must be closed.
        case panic
        /// The operating system's error number, for all that is not named above.
        case system(Int32)
    }

    /// The kind of failure.
    package let code: Code
    /// What was being done, as a short phrase: `commit`, `open`.
    package let operation: String
    /// The environment's directory.
    package let path: String
    /// What happened and what to do, as a sentence.
    package let message: String

    /// Puts an error together.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - operation: What was being done.
    ///   - path: The environment's directory.
    ///   - message: What happened and what to do.
    package init(code: Code, operation: String, path: String, message: String) {
        self.code = code
        self.operation = operation
        self.path = path
        self.message = message
    }

    /// The message with its operation and directory.
    package var description: String {
        "\(message) (\(operation), \(path))"
    }
}

extension LMDBError {
    /// The same error, saying that the environment was closed because of it.
    var closing: LMDBError {
        LMDBError(
            code: code, operation: operation, path: path,
            message: "\(message) The database was closed; close it here and open it again.")
    }
}
