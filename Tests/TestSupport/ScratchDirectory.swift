package import Foundation

/// A temporary directory of its own for one test, removed when the last reference goes.
///
/// Hold it for as long as anything in it is open: `let scratch = try ScratchDirectory()` at the top
/// of a test, and `withExtendedLifetime(scratch) { … }` where the optimiser could drop it early.
/// `withScratchDirectory` does that by itself.
package final class ScratchDirectory: Sendable {
    /// Where the directory is, with symbolic links resolved.
    package let url: URL

    /// The directory as a path without a trailing slash.
    package var path: String { url.path }

    /// Makes a new empty directory in the system's place for temporary files.
    ///
    /// - Parameter name: A word that helps to recognise the directory if a crash leaves it behind.
    /// - Throws: What Foundation throws when the directory cannot be made.
    package init(_ name: String = "test") throws {
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        url = place.appendingPathComponent("settle-\(name)-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A directory that is gone already is what was wanted.
        try? FileManager.default.removeItem(at: url)
    }

    /// The address of a file or folder in this directory; nothing is made.
    package func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    /// Makes a folder in this directory.
    ///
    /// - Throws: What Foundation throws when the folder cannot be made.
    package func folder(_ name: String) throws -> URL {
        let folder = url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Writes a file into this directory, as UTF-8.
    ///
    /// - Throws: What Foundation throws when the file cannot be written.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> URL {
        let url = file(name)
        try Data(text.utf8).write(to: url)
        return url
    }
}

/// Runs `body` with a new temporary directory and removes it afterwards, thrown or not.
///
/// - Throws: What `body` throws, or Foundation when the directory cannot be made.
package func withScratchDirectory<R>(
    _ name: String = "test", _ body: (ScratchDirectory) throws -> R
) throws -> R {
    let scratch = try ScratchDirectory(name)
    defer { withExtendedLifetime(scratch) {} }
    return try body(scratch)
}

/// Runs `body` with a new temporary directory and removes it afterwards, thrown or not.
///
/// - Throws: What `body` throws, or Foundation when the directory cannot be made.
package func withScratchDirectory<R>(
    _ name: String = "test",
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ScratchDirectory) async throws -> R
) async throws -> R {
    let scratch = try ScratchDirectory(name)
    defer { withExtendedLifetime(scratch) {} }
    return try await body(scratch)
}
