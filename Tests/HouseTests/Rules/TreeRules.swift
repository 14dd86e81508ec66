/// Where things stand and how long they are.
enum TreeRules {
    /// What stands at the top, and nothing else but names that begin with a dot.
    static let topLevelNames: Set<String> = [
        "Docs", "Fixtures", "LICENSE", "Package.swift", "README.md", "Sources", "Tests",
    ]
    /// Written by the package manager beside the manifest, and ignored by version control.
    static let generatedNames: Set<String> = ["Package.resolved"]

    /// Folder names that say nothing about what is inside.
    static let forbiddenFolders: Set<String> = [
        "Common", "Helper", "Helpers", "Misc", "New", "Old", "Shared", "Support", "Util",
        "Utilities", "Utils",
    ]

    /// The most lines a Swift file may have.
    static let lineCountMax = 500

    /// What is missing from the top, and what should not be there.
    static func topLevelViolations(_ names: [String]) -> [String] {
        let found = Set(names).subtracting(generatedNames)
        return topLevelNames.subtracting(found).sorted().map { "\($0) is missing at the top." }
            + found.subtracting(topLevelNames).sorted().map { "\($0) does not belong at the top." }
    }

    /// Paths of files that lie in a folder with a name that says nothing.
    static func folderViolations(_ paths: [String]) -> [String] {
        paths.compactMap { path in
            let folders = path.split(separator: "/").dropLast().map(String.init)
            guard let folder = folders.first(where: forbiddenFolders.contains) else { return nil }
            return "\(path): a folder called \(folder) may hold anything; name it for its contents."
        }
    }

    /// Folders inside a target of the sources that hold one file and nothing else.
    static func lonelyFolderViolations(_ paths: [String]) -> [String] {
        var contents: [String: Set<String>] = [:]
        for path in paths where path.hasPrefix("Sources/") {
            let parts = path.split(separator: "/").map(String.init)
            for depth in parts.indices.dropFirst(2) where depth > 2 {
                contents[parts[..<depth].joined(separator: "/"), default: []].insert(parts[depth])
            }
        }
        return contents.filter { $0.value.count == 1 }.keys.sorted().map {
            "\($0) holds one thing; put it beside its neighbours."
        }
    }

    /// Files that should be two.
    static func lengthViolations(_ file: PackageTree.TextFile) -> [String] {
        let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        guard count > lineCountMax else { return [] }
        return ["\(file.path): \(count) lines, at most \(lineCountMax) are allowed. Split it."]
    }
}
