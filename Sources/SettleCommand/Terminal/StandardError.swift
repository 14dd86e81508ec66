import Foundation

/// Sentences for people, beside what a command prints.
enum StandardError {
    /// Prints a line; when nobody can read it, nothing happens.
    static func line(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
