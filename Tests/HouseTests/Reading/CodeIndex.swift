import CIndexStore
import Foundation
import TestSupport

/// What the compiler noted of the sources when they were built: which file names what of which other.
struct CodeIndex {
    /// A place where one file names something of another.
    struct Use: Hashable {
        /// The file that names it, by its path below the package.
        let file: String
        /// The line.
        let line: Int
        /// What is named.
        let name: String
        /// The file that defines it.
        let definer: String
    }

    /// Why there is nothing to read, and what to do.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The files that the compiler saw, by their paths below the package.
    let files: Set<String>
    /// Where they name something of each other.
    let uses: [Use]

    /// What was noted of the sources of one target of this package in the build that these tests are of.
    ///
    /// - Parameter target: The name of the target.
    /// - Returns: Where its files name something of each other.
    /// - Throws: ``Missing`` when there is no index store, or no library to read it.
    static func house(of target: String) throws -> CodeIndex {
        let library = try library()
        let store = try store()
        return try scratchFile { file in
            let prefix = Fixture.packageRoot.path + "/"
            let isWhole = index_store_write(
                library.path, store.path, "\(prefix)Sources/\(target)/", file.path)
            let text = try String(contentsOf: file, encoding: .utf8)
            guard isWhole else { throw Missing(description: "\(text) Build the package again.") }
            return CodeIndex(text, below: prefix)
        }
    }

    /// Reads the lines of an index.
    ///
    /// - Parameters:
    ///   - text: Lines of file, symbol, name, 1 for a definition or 0 for a reference, and number of the line,
    ///     with tabs between; without a symbol for a file as such.
    ///   - prefix: What stands before the paths of the package.
    init(_ text: String, below prefix: String) {
        var definers: [Substring: Substring] = [:]
        var references: [[Substring]] = []
        var files: Set<String> = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 5, fields[0].hasPrefix(prefix) else { continue }
            files.insert(String(fields[0].dropFirst(prefix.count)))
            if fields[1].isEmpty { continue }
            if fields[3] == "1" {
                definers[fields[1]] = fields[0]
            } else {
                references.append(fields)
            }
        }
        self.files = files
        uses = references.compactMap { fields in
            guard let definer = definers[fields[1]], definer != fields[0] else { return nil }
            return Use(
                file: String(fields[0].dropFirst(prefix.count)), line: Int(fields[4]) ?? 0,
                name: String(fields[2]), definer: String(definer.dropFirst(prefix.count)))
        }
    }

    /// The index store that the build of these tests wrote.
    private static func store() throws -> URL {
        for program in [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])] {
            guard let folder = program?.resolvingSymlinksInPath().deletingLastPathComponent() else {
                continue
            }
            let store = folder.appendingPathComponent("index/store")
            if FileManager.default.fileExists(atPath: store.path) { return store }
        }
        throw Missing(
            description: "There is no index store beside the tests. Build them without "
                + "--disable-index-store, or with --enable-index-store.")
    }

    /// The library of the toolchain that reads index stores.
    private static func library() throws -> URL {
        let name = "libIndexStore"
        for folder in try folders() {
            for end in ["so", "dylib"] {
                let library = folder.appendingPathComponent("\(name).\(end)")
                if FileManager.default.fileExists(atPath: library.path) { return library }
            }
        }
        throw Missing(
            description: "The toolchain's \(name) was not found. Put the toolchain that built the "
                + "tests first in PATH.")
    }

    /// Where libraries of the toolchain may be: beside its runtime, and beside its programs.
    private static func folders() throws -> [URL] {
        var folders: [URL] = []
        let runtime = try scratchFile { file in
            index_store_write_runtime(file.path)
                ? try String(contentsOf: file, encoding: .utf8) : nil
        }
        if let runtime {
            // lib/swift/linux/libswiftCore.so
            folders.append(
                URL(fileURLWithPath: runtime).resolvingSymlinksInPath()
                    .deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent())
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for folder in path.split(separator: ":") {
            let program = URL(fileURLWithPath: String(folder)).appendingPathComponent("swift")
            guard FileManager.default.fileExists(atPath: program.path) else { continue }
            folders.append(
                program.resolvingSymlinksInPath().deletingLastPathComponent()
                    .deletingLastPathComponent().appendingPathComponent("lib"))
        }
        return folders
    }

    private static func scratchFile<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("settle-index-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file)
    }
}
