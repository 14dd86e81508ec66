/// Every fixture has an entry in Fixtures/Origins.md, and every entry its fixture.
enum FixtureRule {
    /// The paths that Origins.md has an entry for: its headings of the second level.
    static func entries(in origins: String) -> Set<String> {
        Set(
            origins.split(separator: "\n").filter { $0.hasPrefix("## ") }
                .map { String($0.dropFirst(3)) })
    }

    /// What is wrong, with paths as they are below `Fixtures`.
    ///
    /// An entry may name a folder by ending in `/`; it then stands for all files in it.
    static func violations(fixtures: [String], origins: String) -> [String] {
        let entries = entries(in: origins)
        let orphans = fixtures.filter { path in
            !entries.contains { path == $0 || ($0.hasSuffix("/") && path.hasPrefix($0)) }
        }
        let stale = entries.filter { entry in
            !fixtures.contains { $0 == entry || (entry.hasSuffix("/") && $0.hasPrefix(entry)) }
        }
        return orphans.map { "Fixtures/\($0) has no entry in Fixtures/Origins.md." }
            + stale.sorted().map { "Fixtures/Origins.md has an entry for \($0), which is gone." }
    }
}
