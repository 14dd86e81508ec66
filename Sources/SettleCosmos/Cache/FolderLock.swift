import Foundation

extension Cosmos {
    /// The lock that says that a process keeps an account in a folder.
    ///
    /// It is flock(2) on a small file in the folder, and goes with the process, however that ends. What a store remembers
    /// in memory (what waits, what was written, what was thrown away) holds for one process only, so there is no second.
    final class FolderLock: Sendable {
        private static let fileName = "cosmos.lock"
        private let file: FileHandle

        /// Takes the lock.
        ///
        /// - Parameter folder: A folder that is there.
        /// - Throws: ``ClientError`` with `configureError` when another process has it, `internalError` when the file cannot
        ///   be made or locked.
        init(_ folder: URL) throws(ClientError) {
            let place = folder.appendingPathComponent(Self.fileName)
            do {
                if !FileManager.default.fileExists(atPath: place.path) {
                    // Another process may be as fast: then it is there.
                    try? Data().write(to: place, options: .withoutOverwriting)
                }
                file = try FileHandle(forUpdating: place)
            } catch {
                throw ClientError(
                    .internalError,
                    "The cache of the account cannot be opened: the file '\(place.path)' cannot be written.",
                    cause: error)
            }
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
                let failure = errno
                try? file.close()
                guard failure == EWOULDBLOCK else {
                    throw ClientError(
                        .internalError,
                        "The cache of the account cannot be opened: the file '\(place.path)' cannot be locked.",
                        cause: POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO))
                }
                throw ClientError(
                    .configureError,
                    "Another process keeps the account in the folder '\(folder.path)', or it is open under another "
                        + "name. Give each process a folder of its own.")
            }
        }

        /// Gives the lock up; the store must not be used any more.
        func release() {
            _ = flock(file.fileDescriptor, LOCK_UN)
            try? file.close()
        }
    }
}
