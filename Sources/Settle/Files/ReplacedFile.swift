package import Foundation

/// A file that is written beside its place and takes it when it is whole and on the disk.
package struct ReplacedFile {
    private let target: URL
    private let part: URL
    private let handle: FileHandle

    /// Begins a file; one that is there stays as it is until ``finish()``.
    ///
    /// - Parameters:
    ///   - url: Its place.
    ///   - mode: Who may read and write it, as `chmod` has it, from before its first byte on; nil for
    ///     what the process gives to every file.
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when the URL is not that of a file, or
    ///   there is something that is no file, or no folder to put it in; `permissionDenied` and the
    ///   like.
    package init(_ url: URL, mode: Int? = nil) throws {
        try FileLocation.check(url)
        let target = url.resolvingSymlinksInPath()
        let manager = FileManager.default
        let attributes = try? manager.attributesOfItem(atPath: target.path)
        guard attributes == nil || attributes?[.type] as? FileAttributeType == .typeRegular else {
            throw DatabaseError(
                .invalidFileLocation,
                "'\(target.path)' is no file that can be replaced; choose another place.")
        }
        let folder = target.deletingLastPathComponent()
        let kind = try? manager.attributesOfItem(atPath: folder.path)[.type]
        guard kind as? FileAttributeType == .typeDirectory else {
            throw DatabaseError(
                .invalidFileLocation, "There is no folder '\(folder.path)' to write into.")
        }
        self.target = target
        part = target.appendingPathExtension("part-\(UUID().uuidString)")
        do {
            try Data().write(to: part, options: .withoutOverwriting)
            if let mode {
                try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: part.path)
            }
            handle = try FileHandle(forWritingTo: part)
        } catch {
            throw DatabaseError.ofFile("'\(target.path)' cannot be written", error)
        }
    }

    /// Writes the next bytes.
    ///
    /// - Throws: ``DatabaseError`` with `diskFull`, `inputOutput` and the like.
    package func write(_ bytes: [UInt8]) throws {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw DatabaseError.ofFile("'\(target.path)' cannot be written", error)
        }
    }

    /// Puts the file in its place once it is on the disk.
    ///
    /// - Throws: ``DatabaseError`` with `diskFull`, `inputOutput` and the like; what was there is left then.
    package func finish() throws {
        do {
            try handle.synchronize()
            try handle.close()
            // Foundation has no replacing in one step that works on Linux: `moveItem` refuses a
            // file that is there, and `replaceItemAt` fails after it has moved it away.
            guard unsafe rename(part.path, target.path) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            throw DatabaseError.ofFile("'\(target.path)' cannot be written", error)
        }
        // The name is on the disk once its folder is. Where a folder cannot be opened, as on some
        // network file systems, the system writes it soon enough.
        let folder = try? FileHandle(forReadingFrom: target.deletingLastPathComponent())
        try? folder?.synchronize()
        try? folder?.close()
    }

    /// Removes what was written; for a file that was not finished.
    package func abandon() {
        try? handle.close()
        try? FileManager.default.removeItem(at: part)
    }
}
