import ArgumentParser
import Foundation
import Settle

/// A database named by a path: `./shop` is the database `shop` in the folder `.`.
///
/// On the disk that is a folder `shop.settle`; a path that ends so, or in a slash, or with one of
/// the files in it, names the same database, because that is what a shell completes.
struct DatabasePath: Sendable {
    /// The folder that holds the database.
    let location: URL
    /// Its name.
    let name: String

    private static let suffix = ".settle"

    /// Whether databases may be opened for writing; false in a shell that only looks.
    @TaskLocal static var allowsWriting = true

    /// A path that names it wherever the tool is started.
    var absolute: String {
        location.appendingPathComponent(name.replacing("/", with: ":") + Self.suffix).path
    }

    /// Reads a path from the command line.
    ///
    /// - Throws: `ValidationError` when no name can be made of it.
    init(parsing text: String) throws {
        guard !text.contains("://") else {
            throw ValidationError(
                "It is an address and no path. Give a folder and a name, for example ./shop")
        }
        var url = URL(fileURLWithPath: text).standardizedFileURL
        if ["data.mdb", "lock.mdb", "log.mdb"].contains(url.lastPathComponent),
            url.deletingLastPathComponent().lastPathComponent.hasSuffix(Self.suffix)
        {
            url.deleteLastPathComponent()
        }
        var name = url.lastPathComponent
        if name.hasSuffix(Self.suffix) {
            // In the name of a folder a colon stands for the slash of a database's name.
            name = String(name.dropLast(Self.suffix.count)).replacing(":", with: "/")
        }
        // "./" is a folder as "." is, and so is what leads to the one above.
        let last = text.split(separator: "/").last ?? "."
        guard !name.isEmpty, name != "/", ![".", ".."].contains(last) else {
            throw ValidationError(
                "It names no database. Give a folder and a name, for example ./shop")
        }
        self.name = name
        location = url.deletingLastPathComponent()
    }

    /// The database of a name in a folder.
    init(name: String, location: URL) {
        self.name = name
        self.location = location
    }

    /// Whether there is such a database.
    var isThere: Bool {
        (try? Database.allDatabaseNames(underLocation: location))?.contains(name) ?? false
    }

    /// The configuration that opens it; nothing is called back on the main queue.
    var configuration: Database.OpenDatabaseConfiguration { configuration(isReadOnly: false) }

    private func configuration(isReadOnly: Bool) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(
            name: name, fileLocation: location,
            completionQueue: DispatchQueue(label: "settle.\(name)"), isReadOnly: isReadOnly)
    }

    /// Runs `body` with the database open and closes it afterwards, thrown or not.
    ///
    /// A database that was made for a `body` that failed before it stored anything is removed.
    ///
    /// - Parameters:
    ///   - create: Whether to make the database when there is none.
    ///   - isReadOnly: Whether to leave everything in it alone: nothing expires, no index is built.
    ///   - body: What to do with it.
    /// - Returns: What `body` returns.
    /// - Throws: ``CommandFailure`` when there is none, or it may only be looked at; what opening and `body` throw.
    func withDatabase<Value>(
        create: Bool = false, isReadOnly: Bool = false,
        _ body: (Database) async throws -> Value
    ) async throws -> Value {
        guard isReadOnly || Self.allowsWriting else {
            throw CommandFailure(
                "The shell is read only, and this would change the database. 'settle shell --write' may."
            )
        }
        try refuseFile()
        let found = try await open(isReadOnly: isReadOnly)
        let made =
            found == nil && create
            ? try await Database.open(with: configuration, create: true) : nil
        guard let database = found ?? made else { throw CommandFailure(missing()) }
        do {
            let value = try await body(database)
            await database.close()
            return value
        } catch {
            // One that was made for nothing would look like one that is meant.
            if made != nil, (try? database.lastSequence) == 0 {
                try? await database.delete()
            } else {
                await database.close()
            }
            throw error
        }
    }

    /// Opens the database; first puts one in order whose process was killed, where reading alone cannot.
    ///
    /// - Returns: The database; nil when there is none.
    /// - Throws: `DatabaseError` with `readOnly` when it can be neither put in order nor read as it is; what opening
    ///   throws.
    private func open(isReadOnly: Bool) async throws -> Database? {
        do {
            return try await Database.open(with: configuration(isReadOnly: isReadOnly))
        } catch let error as DatabaseError where isReadOnly && error.code == .readOnly {
            let writing = Database.OpenDatabaseConfiguration(configuration, commitLog: .none)
            guard let database = try? await Database.open(with: writing) else { throw error }
            await database.close()
            return try await Database.open(with: configuration(isReadOnly: true))
        }
    }

    /// Refuses the name of another file, which is hardly meant as the name of a database.
    private func refuseFile() throws {
        let url = location.appendingPathComponent(name)
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular, !isThere else { return }
        throw CommandFailure(
            "'\(url.path)' is a file and no database. A database is named by a folder and a name, "
                + "for example ./shop; 'settle ls' lists those of a folder.")
    }

    private func missing() -> String {
        let sentence = "There is no database '\(name)' in \(location.path)."
        let names = (try? Database.allDatabaseNames(underLocation: location)) ?? []
        guard !names.isEmpty else {
            return sentence + " 'settle import' makes one."
        }
        return sentence + " There is: \(names.joined(separator: ", "))."
    }
}

/// The database argument that most commands begin with.
struct DatabaseArgument: ParsableArguments {
    /// The database.
    @Argument(
        help: ArgumentHelp(
            "The database: a folder and a name, for example ./shop.",
            discussion: "The name is in lower case. On the disk it is the folder shop.settle.",
            valueName: "database"),
        completion: .directory,
        transform: DatabasePath.init(parsing:))
    var path: DatabasePath
}
