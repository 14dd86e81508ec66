import Foundation

/// The lock that says that a server is at work in a directory.
///
/// It is flock(2) on a small file in the directory, so it is the same through every link, it is met
/// within one process too, and it goes with the process, however that ends. The file stays; it holds
/// the number of the process that had the lock last.
final class ServedDirectory: Sendable {
    private static let fileName = "server.lock"

    private let file: FileHandle

    /// Takes the lock.
    ///
    /// - Parameter directory: A directory that is there.
    /// - Throws: ``ServerError`` with `directoryInUse` when a server has it, naming its process where
    ///   that is known; with `directoryUnusable` when the file cannot be made or locked.
    init(_ directory: URL) throws(ServerError) {
        let place = directory.appendingPathComponent(Self.fileName)
        do {
            if !FileManager.default.fileExists(atPath: place.path) {
                // Somebody else may be as fast: then it is there, and nothing in it is lost.
                try? Data().write(to: place, options: .withoutOverwriting)
            }
            file = try FileHandle(forUpdating: place)
        } catch {
            throw ServerError(
                .directoryUnusable,
                "The file '\(place.path)' cannot be opened; let this user write it, or choose "
                    + "another directory.", cause: error)
        }
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            defer { try? file.close() }
            guard failure == EWOULDBLOCK else {
                throw ServerError(
                    .directoryUnusable,
                    "The file '\(place.path)' cannot be locked, so nothing would keep a second "
                        + "server out; choose a directory on a local disk.",
                    cause: POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO))
            }
            throw Self.inUse(directory, by: Self.process(in: file))
        }
        // For people alone: whether the lock is held does not depend on it.
        try? file.truncate(atOffset: 0)
        try? file.write(contentsOf: Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8))
    }

    /// Gives the lock up; the directory must not be used any more.
    func release() {
        _ = flock(file.fileDescriptor, LOCK_UN)
        try? file.close()
    }

    private static func process(in file: FileHandle) -> Int? {
        guard let bytes = try? file.read(upToCount: 20) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    private static func inUse(_ directory: URL, by process: Int?) -> ServerError {
        let who =
            switch process {
            case nil: "A server"
            case Int(ProcessInfo.processInfo.processIdentifier)?: "Another server of this process"
            case let number?: "A server, process \(number),"
            }
        return ServerError(
            .directoryInUse,
            "\(who) is at work in the directory '\(directory.path)'; end it first, give this one a "
                + "directory of its own, or keep the tables in PostgreSQL, which several servers may "
                + "share.")
    }
}
