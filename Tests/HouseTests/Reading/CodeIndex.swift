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
        guard let index = try targets.get()[target] else {
            throw Missing(description: "The compiler has noted nothing of \(target).")
        }
        return index
    }

    /// What was noted of each source target; the store is read once.
    private static let targets = Result { () throws -> [String: CodeIndex] in
        let library = try CodeIndex.library()
        let store = try CodeIndex.store()
        return try scratchFile { file in
            let prefix = Fixture.packageRoot.path + "/"
            let sources = "\(prefix)Sources/"
            let isWhole = index_store_write(library.path, store.path, sources, file.path)
            let text = try String(contentsOf: file, encoding: .utf8)
            guard isWhole else { throw Missing(description: "\(text) Build the package again.") }
            let lines = Dictionary(grouping: text.split(separator: "\n")) { line in
                String(line.dropFirst(sources.count).prefix { $0 != "/" })
            }
            return lines.mapValues { CodeIndex($0, below: prefix) }
        }
    }

    /// A place in a source text.
    private struct Place: Hashable {
        let file: Substring
        let line: Int
        let column: Int
    }

    /// A symbol that a file names.
    private struct Reference {
        let place: Place
        let symbol: Substring
        let name: Substring
        let isType: Bool
        /// Whether an extension is of it, which by itself uses nothing of it.
        let isExtended: Bool

        /// Where the symbol is named that this one qualifies, as `Outer` does in `Outer.Inner`.
        var qualified: Place {
            Place(
                file: place.file, line: place.line, column: place.column + name.utf8.count + 1)
        }
    }

    /// Reads the lines of an index.
    ///
    /// The name of a type before a dot is no use of it, nor is that of what an extension extends: it says
    /// where another name belongs, and that is the one that is used.
    ///
    /// - Parameters:
    ///   - lines: Lines of file, symbol, name, 1 for a definition, 2 for the name of a type, 3 for what an
    ///     extension extends or 0 for any other reference, line and column, with tabs between; without a symbol
    ///     for a file as such.
    ///   - prefix: The beginning of the package's paths.
    init(_ lines: [Substring], below prefix: String) {
        var definers: [Substring: Substring] = [:]
        var references: [Reference] = []
        var files: Set<String> = []
        for line in lines {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 6, fields[0].hasPrefix(prefix) else { continue }
            files.insert(String(fields[0].dropFirst(prefix.count)))
            if fields[1].isEmpty { continue }
            if fields[3] == "1" {
                definers[fields[1]] = fields[0]
            } else {
                let place = Place(
                    file: fields[0], line: Int(fields[4]) ?? 0, column: Int(fields[5]) ?? 0)
                references.append(
                    Reference(
                        place: place, symbol: fields[1], name: fields[2],
                        isType: fields[3] == "2", isExtended: fields[3] == "3"))
            }
        }
        self.files = files
        let places = Set(references.map(\.place))
        uses = references.compactMap { reference in
            let file = reference.place.file
            guard let definer = definers[reference.symbol], definer != file,
                !reference.isExtended, !(reference.isType && places.contains(reference.qualified))
            else { return nil }
            return Use(
                file: String(file.dropFirst(prefix.count)), line: reference.place.line,
                name: String(reference.name), definer: String(definer.dropFirst(prefix.count)))
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
