import Foundation
import SettleStorage

/// The files in a database's directory in which processes note what their map functions work on.
///
/// A map function that ends the process is found by what is noted there: the next process maps the
/// document alone, and the one after that passes it over, and lists it as an error of the index. A
/// file stays until every suspect in it is cleared.
struct CrashGuardFolder: Sendable {
    private let directory: URL
    private static let suffix = ".marks"

    /// The file of a process that has died, and what is noted there.
    struct Left: Sendable {
        let name: String
        let suspects: [CrashSuspect]
    }

    /// The files in the directory with this path.
    init(_ directory: String) {
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
    }

    /// The paths of the files of all processes in the directory.
    var paths: [String] { Self.files(in: directory).map(\.path) }

    /// Makes the file of a process that has begun to work on indexes, and a name for it.
    ///
    /// - Throws: ``StorageError`` when the file cannot be made.
    func makeFile(slotCount: Int) throws -> (name: String, file: CrashGuard) {
        let name = UUID().uuidString.lowercased()
        return (name, try CrashGuard(path: path(of: name), slotCount: slotCount))
    }

    /// What processes left that have died; files in which nothing is noted are removed.
    func left() -> [Left] {
        Self.files(in: directory).compactMap { file in
            // A file that cannot be read says nothing about anybody.
            guard let suspects = try? CrashGuard.left(at: file.path) else { return nil }
            let name = file.deletingPathExtension().lastPathComponent
            guard !suspects.isEmpty else {
                remove(name)
                return nil
            }
            return Left(name: name, suspects: suspects)
        }
    }

    /// Removes the file of a process that has died.
    func remove(_ name: String) {
        // One that cannot be removed is found again by the next process.
        try? CrashGuard.remove(at: path(of: name))
    }

    /// Whether the process with this name is alive.
    func isAlive(_ name: String) -> Bool {
        guard UUID(uuidString: name) != nil else { return false }
        let path = path(of: name)
        guard FileManager.default.fileExists(atPath: path) else { return false }
        do {
            return try CrashGuard.left(at: path) == nil
        } catch {
            return false
        }
    }

    private func path(of name: String) -> String {
        directory.appendingPathComponent(name + Self.suffix).path
    }

    /// The crash guard files of all processes in a directory.
    private static func files(in directory: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { name in
            name.hasSuffix(suffix) && UUID(uuidString: String(name.dropLast(suffix.count))) != nil
        }.map { directory.appendingPathComponent($0) }
    }
}
