import Foundation

/// A folder for the files of a run, removed at its end.
struct ScratchFolder: Sendable {
    let url: URL

    /// Makes a folder with a new name in another, which decides the file system that is measured.
    init(in parent: URL) throws {
        url = parent.appendingPathComponent("benchmarks-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Hands a new folder to a closure and removes it afterwards.
    func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = url.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Removes the folder and all that is in it.
    func remove() throws {
        try FileManager.default.removeItem(at: url)
    }

    /// The bytes of all files in a folder.
    static func byteCount(of folder: URL) throws -> Int {
        let keys: [URLResourceKey] = [.fileSizeKey, .isRegularFileKey]
        guard
            let files = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: keys)
        else { throw BenchmarkError("The folder \(folder.path) cannot be read.") }
        var count = 0
        for case let file as URL in files {
            let values = try file.resourceValues(forKeys: Set(keys))
            if values.isRegularFile == true { count += values.fileSize ?? 0 }
        }
        return count
    }
}
