/// Inside a target folders use each other as planned, and not in a circle.
enum FolderRule {
    /// What is wrong with a plan itself: a folder that stands twice, or uses one that stands behind it.
    static func faults(of folders: [FolderPlan.Folder]) -> [String] {
        var known: Set<String> = []
        var faults: [String] = []
        for folder in folders {
            for path in folder.uses.subtracting(known).sorted() {
                faults.append("\(folder.path) may use \(path), which does not stand before it.")
            }
            if !known.insert(folder.path).inserted { faults.append("\(folder.path) stands twice.") }
        }
        return faults
    }

    /// The source targets whose Swift files are in several folders, or in one and beside it, and that have no
    /// plan.
    static func unplanned(_ paths: [String], planned: Set<String>) -> [String] {
        var folders: [String: Set<String>] = [:]
        for path in paths where path.hasPrefix("Sources/") && path.hasSuffix(".swift") {
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count > 2 else { continue }
            folders[parts[1], default: []].insert(parts[2..<parts.count - 1].joined(separator: "/"))
        }
        return folders.filter { $0.value.count > 1 && !planned.contains($0.key) }.keys.sorted().map
        {
            "\($0) has folders, and no plan says which of them may use which."
        }
    }

    /// What files name that they should not, and what the plan allows in vain.
    ///
    /// - Parameters:
    ///   - index: What the compiler noted.
    ///   - target: The target.
    ///   - folders: The plan of it.
    ///   - paths: The source files of the target that there are.
    /// - Returns: A sentence for each.
    static func violations(
        in index: CodeIndex, target: String, folders: [FolderPlan.Folder], paths: [String]
    ) -> [String] {
        let prefix = "Sources/\(target)/"
        let known = Dictionary(uniqueKeysWithValues: folders.map { ($0.path, $0.isWhole) })
        var faults = paths.filter { !index.files.contains($0) }.map {
            "\($0): the compiler has noted nothing of it. Build the package again, with an index store."
        }
        let there = Set(paths)
        for path in paths where folder(of: path, below: prefix, among: known) == nil {
            faults.append("\(path): its folder is not in the plan of \(target).")
        }
        let allowed = Dictionary(uniqueKeysWithValues: folders.map { ($0.path, $0.uses) })
        var needed: [String: Set<String>] = [:]
        var seen: Set<[String]> = []
        for use in index.uses where there.contains(use.file) && there.contains(use.definer) {
            guard let user = folder(of: use.file, below: prefix, among: known),
                let used = folder(of: use.definer, below: prefix, among: known), user != used
            else { continue }
            needed[user, default: []].insert(used)
            guard allowed[user]?.contains(used) != true,
                seen.insert([use.file, use.definer]).inserted
            else { continue }
            faults.append(
                "\(use.file):\(use.line): \(use.name) is in \(used), which \(user) may not use.")
        }
        for folder in folders {
            for path in folder.uses.subtracting(needed[folder.path] ?? []).sorted() {
                faults.append("\(target): \(folder.path) may use \(path) and does not.")
            }
        }
        return faults
    }

    /// The folder of the plan that a file is in: its own, or a whole one that leads to it.
    private static func folder(
        of path: String, below prefix: String, among known: [String: Bool]
    ) -> String? {
        var parts = path.dropFirst(prefix.count).split(separator: "/").dropLast()
        let own = parts.isEmpty ? "." : parts.joined(separator: "/")
        if known[own] != nil { return own }
        while !parts.isEmpty {
            parts.removeLast()
            let folder = parts.joined(separator: "/")
            if let isWhole = known[folder] { return isWhole ? folder : nil }
        }
        return nil
    }
}
