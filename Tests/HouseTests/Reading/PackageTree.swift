import Foundation
import TestSupport

/// The files of a package, without those whose name begins with a dot and what lies in such folders.
struct PackageTree {
    /// A file that was read as text.
    struct TextFile {
        /// Its path below the package, with `/` between the parts.
        let path: String
        /// What is in it.
        let text: String

        /// The parts of the path.
        var components: [String] { path.split(separator: "/").map(String.init) }

        /// The target whose folder it lies in, for `Sources/X/…` and `Tests/X/…`.
        var target: String? {
            let components = components
            guard components.count > 2, ["Sources", "Tests"].contains(components[0]) else {
                return nil
            }
            return components[1]
        }
    }

    /// The folder that was read.
    let root: URL
    /// The paths of all files below it, sorted.
    let paths: [String]

    /// The package that these tests stand in.
    static func house() throws -> PackageTree { try PackageTree(root: Fixture.packageRoot) }

    /// Lists a folder.
    init(root: URL) throws {
        self.root = root
        paths = try Self.files(in: root, prefix: "").sorted()
    }

    /// The names that stand directly in the folder.
    func topLevelNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The text of the files whose path begins and ends like this.
    func files(under prefix: String = "", ending suffix: String) throws -> [TextFile] {
        try paths.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.map { path in
            TextFile(path: path, text: try text(of: path))
        }
    }

    /// The text of one file.
    func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func files(in folder: URL, prefix: String) throws -> [String] {
        var found: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !name.hasPrefix(".") {
            let url = folder.appendingPathComponent(name)
            if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                found += try files(in: url, prefix: prefix + name + "/")
            } else {
                found.append(prefix + name)
            }
        }
        return found
    }
}
