import Foundation

/// A file that holds one line nobody else should see.
package enum SecretFile {
    /// The text of a file without white space around it.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the file cannot be read or holds no text.
    package static func read(_ path: String) throws(ServerError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ServerError(
                .invalidConfiguration, "The file '\(path)' cannot be read. Is it there?")
        }
        let text = String(data: data, encoding: .utf8)?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, !text.isEmpty else {
            throw ServerError(.invalidConfiguration, "The file '\(path)' holds no text.")
        }
        return text
    }
}
