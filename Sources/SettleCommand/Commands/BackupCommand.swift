import ArgumentParser
import Foundation
import Settle

/// `settle backup`: a copy of a database that may be in use.
struct BackupCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a database while it is in use.",
        discussion: """
            The copy is a database of its own, of one state of the other, indexes included and \
            without free space. Other processes may go on reading and writing. A database that is \
            there already is never written over. Where pages of the file are damaged nothing is \
            copied; damage inside a document is copied as it is, so run 'settle check' first when \
            the copy is to replace another.

            Examples:
              settle backup ./shop ./backups/shop
              settle backup ./shop ./backups/shop-monday
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(
        help: "The copy: a folder, which is made if it is not there, and a name.",
        completion: .directory, transform: BackupCommand.target(parsing:))
    var target: DatabasePath

    @Flag(help: "Print a JSON object with \"path\", the folder and name of the copy.")
    var json = false

    /// Reads where the copy goes.
    ///
    /// - Parameter text: A folder and a name.
    /// - Returns: The database to make.
    /// - Throws: `ValidationError` when the text names no database, or a folder to put one in.
    static func target(parsing text: String) throws -> DatabasePath {
        let path = try DatabasePath(parsing: text)
        guard
            !text.hasSuffix("/") || text.hasSuffix(".settle/")
                || !FileManager.default.isFolder(text)
        else {
            throw ValidationError(
                "It is a folder. Give the copy a name in it, for example \(text)\(path.name)")
        }
        return path
    }

    func perform() async throws {
        let begun = ContinuousClock.now
        let progress = Progress("Copying", counting: "bytes")
        try await database.path.withDatabase(isReadOnly: true) { source in
            let names = try Database.allDatabaseNames(underLocation: target.location)
            guard !names.contains(target.name) else {
                throw CommandFailure(
                    "There is a database '\(target.name)' in \(target.location.path) already. Give "
                        + "the copy another name, or another folder.")
            }
            defer { progress.end() }
            try await source.backup(to: target.location, name: target.name) {
                progress.update($0)
            }
        }
        let output = Output()
        let path = target.location.appendingPathComponent(target.name).path
        try output.line(
            json
                ? JSONRendering.compact(["path": .string(path)])
                : "Copied to \(path) in \(Quantity.time(begun.duration(to: .now))).")
        try output.flush()
    }
}
