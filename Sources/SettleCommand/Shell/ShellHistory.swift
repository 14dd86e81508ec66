import Foundation

/// The lines that were typed in earlier sessions: a file in UTF-8 with a line for each, for its owner alone.
///
/// What cannot be read or written is left: a history is no reason to refuse work.
struct ShellHistory: Sendable {
    private let url: URL?

    /// A longer file is cut when it is read.
    private static let lineCountMax = 1_000

    /// The history in `SETTLE_HISTORY`, else in `~/.settle_history`; none when the variable is empty.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let path = environment["SETTLE_HISTORY"] {
            url = path.isEmpty ? nil : URL(fileURLWithPath: path)
        } else {
            url = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
                ".settle_history")
        }
    }

    /// The lines, oldest first.
    func lines() -> [String] {
        guard let url, let data = try? Data(contentsOf: url) else { return [] }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count > Self.lineCountMax else { return lines }
        let rest = Array(lines.suffix(Self.lineCountMax / 2))
        try? Data(rest.map { $0 + "\n" }.joined().utf8).write(to: url, options: .atomic)
        protect(url)
        return rest
    }

    /// Adds a line at once, so that a session that is killed has left it.
    func append(_ line: String) {
        guard let url else { return }
        if !FileManager.default.fileExists(atPath: url.path) {
            _ = FileManager.default.createFile(atPath: url.path, contents: nil)
            protect(url)
        }
        guard let handle = try? FileHandle(forWritingTo: url) else { return }
        defer { try? handle.close() }
        guard (try? handle.seekToEnd()) != nil else { return }
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }

    private func protect(_ url: URL) {
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
}
