import Foundation
import Settle

/// Where an interchange is read from, as often as need be.
enum InterchangeSource: Sendable {
    case values([InterchangeValue])
    case text(Data)
    case file(URL)

    /// When the file was changed; nil for what is in memory.
    ///
    /// - Throws: ``DatastoreError`` with `fileUnreadable`.
    func fileDate() throws -> Date? {
        guard case .file(let url) = self else { return nil }
        let attributes = try Self.reading(url) {
            try FileManager.default.attributesOfItem(atPath: url.path)
        }
        return attributes[.modificationDate] as? Date
    }

    /// Runs a closure that reads a file.
    ///
    /// - Throws: ``DatastoreError`` with `fileUnreadable` in the place of what the closure throws.
    static func reading<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            let isThere = FileManager.default.fileExists(atPath: url.path)
            let isFolder =
                isThere && (try? FileManager.default.contentsOfDirectory(atPath: url.path)) != nil
            let reason =
                if !isThere { "there is none" } else if isFolder { "it is a folder" } else {
                    "the system does not allow it"
                }
            throw DatastoreError(
                .fileUnreadable, "The file '\(url.path)' cannot be read: \(reason).", cause: error)
        }
    }
}
