import Foundation
import Settle

/// Where a store lies: the folder `name.settle` of its database.
struct StoreLocation {
    let name: String
    let folder: URL

    private static let suffix = ".settle"

    init(name: String, folder: URL) {
        self.name = name
        self.folder = folder
    }

    init(_ configuration: Database.Configuration) {
        self.init(name: configuration.name, folder: configuration.fileLocation)
    }

    /// The place that a URL names, whether there is a store or not.
    ///
    /// - Throws: ``DatastoreError`` with `storeNotFound` when no store can be there.
    init(checking url: URL) throws {
        let last = url.lastPathComponent
        guard url.isFileURL, last.hasSuffix(Self.suffix) else {
            throw DatastoreError(
                .storeNotFound,
                "No store can be at '\(url.path)': a store is a folder whose name ends with '\(Self.suffix)'."
            )
        }
        self.init(
            name: String(last.dropLast(Self.suffix.count)).replacing(":", with: "/"),
            folder: url.deletingLastPathComponent())
    }

    /// The store that is at a URL.
    ///
    /// - Throws: ``DatastoreError`` with `storeNotFound` when there is none.
    init(_ url: URL) throws {
        try self.init(checking: url)
        let file = self.url.appendingPathComponent("data.mdb")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw DatastoreError(.storeNotFound, "There is no store at '\(url.path)'.")
        }
    }

    var url: URL {
        folder.appendingPathComponent(
            name.replacing("/", with: ":") + Self.suffix, isDirectory: true)
    }

    var configuration: Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(name: name, fileLocation: folder)
    }
}
