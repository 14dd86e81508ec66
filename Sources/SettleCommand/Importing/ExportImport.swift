import Foundation
import Settle

/// Brings the documents of an export into a database.
struct ExportImport {
    /// The file.
    let url: URL
    /// What becomes of documents that are there in another version.
    let existing: ExistingDocuments
    /// The folder with the contents of attachments, when it is not beside the file.
    let contents: URL?
    /// How the file is called in messages, when it has a name that nobody gave it.
    let name: String?

    /// Checks the file, then stores what is in it, with a line of progress for each.
    ///
    /// - Throws: `DatabaseError` as the library does; ``Interrupted``.
    func perform(_ database: Database) async throws -> ImportSummary {
        let checking = Progress("Checking", counting: "documents")
        let storing = Progress("Importing", counting: "documents")
        defer {
            checking.end()
            storing.end()
        }
        do {
            return try await database.importDocuments(
                from: url, existing: existing, contents: contents
            ) { progress in
                // Each document counts twice: once looked at, once stored.
                let half = progress.total / 2
                if progress.completed < half {
                    checking.update(MaintenanceProgress(completed: progress.completed, total: half))
                } else {
                    checking.end()
                    storing.update(
                        MaintenanceProgress(completed: progress.completed - half, total: half))
                }
            }
        } catch let error as DatabaseError {
            guard let name else { throw error }
            throw CommandFailure(error.message.replacing("'\(url.path)'", with: name))
        } catch is CancellationError {
            throw Interrupted(
                "Interrupted. Documents that were stored by then stay; import again to go on.")
        }
    }
}
