import Testing

@Suite struct `Folders inside the source targets` {
    private static let folders = [
        FolderPlan.Folder("Values", isWhole: true),
        FolderPlan.Folder("Values/Inner", uses: ["Values"]),
        FolderPlan.Folder("Routes", uses: ["Values"]),
    ]

    /// An index of files that each define `thing` of their own and use that of others.
    private static func index(_ uses: [(String, String)]) -> CodeIndex {
        var lines: [Substring] = []
        for file in Set(uses.flatMap { [$0.0, $0.1] }) {
            lines.append("/p/Sources/T/\(file)\tsymbol \(file)\tthing\t1\t1\t1")
        }
        for (user, definer) in uses {
            lines.append("/p/Sources/T/\(user)\tsymbol \(definer)\tthing\t0\t7\t1")
        }
        return CodeIndex(lines, below: "/p/")
    }

    private static func violations(
        _ uses: [(String, String)], besides: [String] = []
    ) -> [String] {
        let index = index(uses)
        return FolderRule.violations(
            in: index, target: "T", folders: folders, paths: index.files.sorted() + besides)
    }

    private static let planned = [
        ("Values/Inner/A.swift", "Values/B.swift"), ("Routes/C.swift", "Values/B.swift"),
    ]

    @Test(arguments: FolderPlan.targets.keys.sorted())
    func `use each other as planned`(target: String) throws {
        let folders = try #require(FolderPlan.targets[target])
        #expect(FolderRule.faults(of: folders) == [])
        let paths = try PackageTree.house().paths.filter {
            $0.hasPrefix("Sources/\(target)/") && $0.hasSuffix(".swift")
        }
        let found = FolderRule.violations(
            in: try CodeIndex.house(of: target), target: target, folders: folders, paths: paths)
        #expect(found == [])
    }

    @Test func `may use what is planned, and what is in the folder itself`() {
        #expect(
            Self.violations(Self.planned + [("Values/B.swift", "Values/Deep/D.swift")]) == [])
    }

    @Test func `are refused where they use another that is not planned`() {
        #expect(
            Self.violations(Self.planned + [("Values/B.swift", "Routes/C.swift")]) == [
                "Sources/T/Values/B.swift:7: thing is in Routes, which Values may not use."
            ])
        #expect(
            Self.violations(Self.planned + [("Values/B.swift", "Values/Inner/A.swift")]).count == 1)
    }

    @Test func `are refused where they are not in the plan`() {
        #expect(
            Self.violations(Self.planned + [("Routes/C.swift", "New/E.swift")]) == [
                "Sources/T/New/E.swift: its folder is not in the plan of T."
            ])
        // Only a whole folder stands for those in it.
        #expect(
            Self.violations(Self.planned + [("Routes/C.swift", "Routes/New/E.swift")]) == [
                "Sources/T/Routes/New/E.swift: its folder is not in the plan of T."
            ])
    }

    @Test func `do not use a type by its name before a dot, or by an extension`() {
        func count(_ second: String, first: Int = 2) -> Int {
            let lines = [
                "A\tsymbol A\tOuter\t1\t1\t1", "B\tsymbol B\tInner\t1\t1\t1",
                "C\tsymbol A\tOuter\t\(first)\t7\t9", "C\tsymbol B\tInner\t\(second)",
            ]
            let index = CodeIndex(lines.map { "/p/Sources/T/\($0)" }, below: "/p/")
            return index.uses.filter { $0.name == "Outer" }.count
        }
        #expect(count("2\t7\t15") == 0)
        #expect(count("0\t7\t15") == 0)
        #expect(count("3\t7\t15") == 0)
        #expect(count("2\t7\t1", first: 3) == 0)
        #expect(count("2\t7\t15", first: 0) == 1)
        #expect(count("2\t7\t16") == 1)
        #expect(count("2\t8\t15") == 1)
    }

    @Test func `have a plan wherever there is more than one`() throws {
        let paths = try PackageTree.house().paths
        #expect(FolderRule.unplanned(paths, planned: Set(FolderPlan.targets.keys)) == [])
    }

    @Test func `without a plan are refused`() {
        let paths = [
            "Sources/One/A.swift", "Sources/Two/A/B.swift", "Sources/Two/C.swift",
            "Sources/Three/A/B.swift", "Sources/Three/D/E.swift", "Sources/Four/A.swift",
            "Sources/Four/include/B.h", "Tests/Five/A/B.swift", "Tests/Five/C.swift",
        ]
        #expect(
            FolderRule.unplanned(paths, planned: ["Three"]) == [
                "Two has folders, and no plan says which of them may use which."
            ])
    }

    @Test func `may not be allowed what they do not use`() {
        #expect(
            Self.violations(Array(Self.planned.prefix(1))) == [
                "T: Routes may use Values and does not."
            ])
    }

    @Test func `are refused when the compiler has noted nothing of a file`() {
        let found = Self.violations(Self.planned, besides: ["Sources/T/Values/F.swift"])
        #expect(found.count == 1 && found[0].hasPrefix("Sources/T/Values/F.swift: the compiler"))
    }

    @Test func `are planned without a circle`() {
        #expect(FolderRule.faults(of: Self.folders) == [])
        #expect(
            FolderRule.faults(of: [
                FolderPlan.Folder("A", uses: ["B"]), FolderPlan.Folder("B", uses: ["A"]),
                FolderPlan.Folder("B"),
            ]) == [
                "A may use B, which does not stand before it.", "B stands twice.",
            ])
    }
}
