import Foundation
import SettleIndexing
import SettleStorage

/// What tells databases apart, and where the files of one lie.
///
/// A database `name` is the directory `name.settle` in its location; `/` in a name is written `:`,
/// so that all databases of a location lie side by side.
struct DatabaseKey: Hashable, Sendable {
    let name: String
    /// The path of the location, symbolic links resolved; the whole URL when that names no directory.
    let path: String
    /// The location, when it names no directory of this machine.
    private let unusableLocation: URL?

    private static let suffix = ".settle"
    private static let lengthMax = 200
    private static let letters = Set("abcdefghijklmnopqrstuvwxyz")
    private static let characters = letters.union("0123456789_$()+-/")

    /// The database of a name in a location, neither of which need be possible.
    init(name: String, location: URL) {
        self.name = name
        let isUsable = FileLocation.fault(of: location) == nil
        path = isUsable ? Self.resolved(location) : location.absoluteString
        unusableLocation = isUsable ? nil : location
    }

    /// The path of a directory with symbolic links resolved, also when its end does not exist yet.
    ///
    /// The location is that of a file.
    static func resolved(_ location: URL) -> String {
        var existing = location.standardizedFileURL
        var missing: [String] = []
        while existing.path != "/", !FileManager.default.fileExists(atPath: existing.path) {
            missing.insert(existing.lastPathComponent, at: 0)
            existing.deleteLastPathComponent()
        }
        return missing.reduce(existing.resolvingSymlinksInPath()) {
            $0.appendingPathComponent($1, isDirectory: true)
        }.path
    }

    /// The directory that holds the files.
    var directory: URL {
        URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent(
            name.replacing("/", with: ":") + Self.suffix, isDirectory: true)
    }

    /// The file that holds the data.
    var dataFile: URL { directory.appendingPathComponent("data.mdb") }

    /// True when the database is there.
    var exists: Bool { FileManager.default.fileExists(atPath: dataFile.path) }

    /// True when the database is there, or its directory may not be looked into: it may be there.
    var mayExist: Bool {
        if exists { return true }
        do {
            _ = try FileManager.default.attributesOfItem(atPath: dataFile.path)
            return false
        } catch {
            return (error as? CocoaError)?.code == .fileReadNoPermission
        }
    }

    /// The name of the database that a directory entry is; nil for other entries.
    static func name(ofEntry entry: String) -> String? {
        guard entry.hasSuffix(suffix) else { return nil }
        let name = String(entry.dropLast(suffix.count)).replacing(":", with: "/")
        return isValid(name) ? name : nil
    }

    /// Refuses a name that breaks the rules, and a location that is none.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDatabaseName` or `invalidFileLocation`.
    func check() throws(DatabaseError) {
        guard Self.isValid(name) else {
            throw DatabaseError(
                .invalidDatabaseName,
                "'\(name)' cannot be the name of a database: use 1 to \(Self.lengthMax) lower-case "
                    + "letters, digits, and _ $ ( ) + - /, starting with a letter.")
        }
        if let unusableLocation { try FileLocation.check(unusableLocation) }
    }

    private static func isValid(_ name: String) -> Bool {
        guard let first = name.first, name.count <= lengthMax else { return false }
        return letters.contains(first) && name.allSatisfy(characters.contains)
    }

    /// Makes the location, so that a database can be created in it.
    func makeLocation() throws(DatabaseError) {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        } catch {
            throw DatabaseError(
                .invalidFileLocation,
                "The directory '\(directory.path)' cannot be made: \(error.localizedDescription)",
                cause: error)
        }
    }

    /// Removes the directory of the database if nothing is in it.
    func removeEmptyDirectory() {
        Store.removeEmptyDirectory(directory.path)
    }

    /// Removes the files of the database and its directory.
    ///
    /// Files of others are left alone. To be called while this process does not have it open.
    ///
    /// - Throws: ``DatabaseError`` with `databaseInUse` when another process has it open, or `inputOutput`.
    func removeFiles() throws(DatabaseError) {
        do {
            try Store.remove(
                at: directory.path, with: IndexEngine.crashGuardFiles(in: directory.path))
        } catch StorageError.engine(.inUse, _) {
            throw DatabaseError(
                .databaseInUse,
                "Another process has the database in '\(directory.path)' open, so it was not "
                    + "removed. Close it there and delete it again.")
        } catch {
            throw DatabaseError(
                .inputOutput,
                "The database in '\(directory.path)' cannot be removed: \(error)", cause: error)
        }
    }
}
