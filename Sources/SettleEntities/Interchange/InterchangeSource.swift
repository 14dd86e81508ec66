import Foundation
import Settle

/// Where an interchange is read from, as often as need be.
enum InterchangeSource: Sendable {
    case values([InterchangeValue])
    case text(Data)
    case file(URL)

    /// When the file was changed; nil for what is in memory.
    func fileDate() throws -> Date? {
        guard case .file(let url) = self else { return nil }
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return attributes[.modificationDate] as? Date
    }
}
