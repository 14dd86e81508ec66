/// A type of another target that only one file of a target names, so that the rest of it can do without.
enum OwnerRule {
    /// Which file of which target names it.
    struct Owner {
        /// The target.
        let target: String
        /// The type.
        let type: String
        /// The file, by its path below the target.
        let file: String
    }

    /// The back-ends over HTTP know no database but where an app starts a replication with one.
    static let owners = [
        Owner(target: "SettleREST", type: "Database", file: "Database+TableReplication.swift")
    ]

    /// Where a file names what only another file of its target may name.
    static func violations(in file: PackageTree.TextFile, owners: [Owner] = owners) -> [String] {
        owners.filter {
            let target = "Sources/\($0.target)/"
            return file.path.hasPrefix(target) && file.path != target + $0.file
        }.flatMap { owner in
            SwiftWord.words(of: file.text).filter { $0.text == owner.type }.map {
                "\(file.path):\($0.line): only \(owner.file) of \(owner.target) names \(owner.type)."
            }
        }
    }
}
