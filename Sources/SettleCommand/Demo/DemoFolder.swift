import Foundation

/// The folder that the demo works in.
struct DemoFolder {
    /// Where it is.
    let url: URL
    /// Whether it is left behind.
    let isKept: Bool

    /// Makes a temporary folder, or the one that is to be kept.
    ///
    /// - Parameter kept: The path that `--keep` named.
    /// - Throws: ``CommandFailure`` when there is something in it already or it cannot be made.
    init(keptAt kept: String?) throws {
        let manager = FileManager.default
        if let kept {
            url = URL(fileURLWithPath: kept, isDirectory: true)
            let names = (try? manager.contentsOfDirectory(atPath: url.path)) ?? []
            guard names.isEmpty else {
                throw CommandFailure(
                    "The folder '\(kept)' is not empty; --keep takes a new or an empty one.")
            }
        } else {
            url = manager.temporaryDirectory.appendingPathComponent(
                "settle-demo-\(UUID().uuidString)", isDirectory: true)
        }
        isKept = kept != nil
        do {
            try manager.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(
                "The folder '\(url.path)' cannot be made: \(error.localizedDescription)")
        }
    }

    /// Removes the folder unless it is to be kept.
    func clean() {
        // What cannot be removed lies where the system keeps temporary files.
        if !isKept { try? FileManager.default.removeItem(at: url) }
    }
}
