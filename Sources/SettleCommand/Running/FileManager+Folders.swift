import Foundation

extension FileManager {
    /// Whether there is a folder at a path, or a link to one.
    func isFolder(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        return (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
    }
}
