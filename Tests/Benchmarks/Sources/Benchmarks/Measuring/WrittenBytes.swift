import Foundation

/// What this process has written to files: a figure that no other load disturbs.
enum WrittenBytes {
    /// The bytes that were handed to the system so far, whether or not they are on the disk yet.
    ///
    /// - Throws: ``BenchmarkError`` where the system does not tell.
    static func count() throws(BenchmarkError) -> Int {
        let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        guard let count = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw BenchmarkError("This system has no /proc/self/io to read what was written from.")
        }
        return count
    }
}
