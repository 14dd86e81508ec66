import Foundation
import SettleDocuments
import SettlePrimitives
import SettleStorage

/// A database that an application brings along, to begin with.
struct PrebuiltDatabase {
    private let folder: URL

    /// The database in a folder, such as `cities.settle`.
    init(_ folder: URL) {
        self.folder = folder
    }

    /// Makes a database as a copy of this one, unless there is one.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when there is nothing to copy;
    ///   otherwise as opening a database. No copy is left then.
    /// - Complexity: Reads and writes every page in use once.
    func copy(to key: DatabaseKey) async throws {
        guard !key.exists else { return }
        try FileLocation.check(folder)
        let data = folder.appendingPathComponent("data.mdb")
        guard FileManager.default.fileExists(atPath: data.path) else {
            throw DatabaseError(
                .invalidFileLocation,
                "There is no prebuilt database in '\(folder.path)': name the folder that ends in "
                    + ".settle and holds data.mdb.")
        }
        try key.makeLocation()
        do {
            try await onOwnThread {
                try DatabaseError.translating {
                    let store = try Store(
                        directory: folder.path, options: StoreOptions(isReadOnly: true),
                        create: false, clock: { Timestamp(Date()) }, publish: { _ in })
                    defer { store.close() }
                    try store.copy(to: key.directory.path)
                }
            }
        } catch {
            // Another task or process may have been first.
            guard !key.exists else { return }
            key.removeEmptyDirectory()
            throw error
        }
    }
}
