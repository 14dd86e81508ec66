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
        let known = Set(folders.map(\.path))
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

    /// The folder of the plan that a file is in: of those that lead to it, the one nearest to it.
    private static func folder(
        of path: String, below prefix: String, among known: Set<String>
    ) -> String? {
        var parts = path.dropFirst(prefix.count).split(separator: "/").dropLast()
        if parts.isEmpty { return known.contains(".") ? "." : nil }
        while !parts.isEmpty {
            let folder = parts.joined(separator: "/")
            if known.contains(folder) { return folder }
            parts.removeLast()
        }
        return nil
    }
}
