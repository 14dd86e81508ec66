import Foundation

/// A file that holds one line nobody else should see.
package enum SecretFile {
    /// The text of a file without white space around it.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the file cannot be read or holds no text.
    package static func read(_ path: String) throws(ServerError) -> String {
        // A handle reads pipes too.
        let file = FileHandle(forReadingAtPath: path)
        guard let file, let data = try? file.readToEnd() ?? Data() else {
            let advice =
                FileManager.default.fileExists(atPath: path)
                ? "It has to be a file that this user may read." : "Is it there?"
            throw ServerError(
                .invalidConfiguration, "The file '\(path)' cannot be read. \(advice)")
        }
        let text = String(data: data, encoding: .utf8)?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, !text.isEmpty else {
            throw ServerError(.invalidConfiguration, "The file '\(path)' holds no text.")
        }
        return text
    }
}
