import SettleLMDB

extension Store {
    /// Replaces the file by one without free pages, while the store is in use.
    ///
    /// Writers wait until it is done; readers go on, but for the moment in which the files are
    /// exchanged. Blocks the calling thread.
    ///
    /// - Returns: The bytes of the file before and after.
    /// - Throws: ``StorageError/engine(_:message:)``: `inUse` when another process has the store open,
    ///   `full` when there is no room for the copy, `busy` when a reader does not end. The old file
    ///   is there then, as it was.
    @available(*, noasync, message: "It waits for writers and readers; use a thread of its own.")
    package func compact() throws -> (bytesBefore: Int, bytesAfter: Int) {
        try StorageError.translating {
            let result = try environment.compact()
            return (result.bytesBefore, result.bytesAfter)
        }
    }

    /// Copies the store into another directory while it is in use.
    ///
    /// The copy is of one state, without free pages, and on the disk when this returns. Blocks the
    /// calling thread.
    ///
    /// - Parameter directory: Where to; made if it is not there. It must hold no store.
    /// - Throws: ``StorageError/engine(_:message:)``; nothing is left then.
    @available(*, noasync, message: "It reads the whole store; use a thread of its own.")
    package func copy(to directory: String) throws {
        try StorageError.translating { try environment.copy(to: directory, compacting: true) }
    }

    /// Removes the files of a store, and its directory if nothing else is in it.
    ///
    /// Broken off at any moment it leaves the whole store, or none.
    ///
    /// - Parameters:
    ///   - directory: The directory, of which this process has no store open; it need not be there.
    ///   - others: Paths of further files that go with it.
    /// - Throws: ``StorageError/engine(_:message:)`` with `inUse` when another process has the store open; nothing is
    ///   removed then.
    @available(*, noasync, message: "It waits for other processes; use a thread of its own.")
    package static func remove(at directory: String, with others: [String]) throws {
        try StorageError.translating { try Environment.remove(at: directory, with: others) }
    }

    /// Removes a directory; one with something in it stays.
    package static func removeEmptyDirectory(_ directory: String) {
        Environment.removeEmptyDirectory(directory)
    }
}
