import Testing
import TestSupport

@Suite struct `House tree` {
    @Test func `has the top level that was agreed on`() throws {
        let names = try PackageTree.house().topLevelNames()
        #expect(TreeRules.topLevelViolations(names) == [])
    }

    @Test func `with something more or less at the top is refused`() {
        let agreed = Array(TreeRules.topLevelNames)
        #expect(TreeRules.topLevelViolations(agreed + ["Package.resolved"]) == [])
        #expect(
            TreeRules.topLevelViolations(agreed + ["Examples"]) == [
                "Examples does not belong at the top."
            ])
        #expect(
            TreeRules.topLevelViolations(agreed.filter { $0 != "LICENSE" }) == [
                "LICENSE is missing at the top."
            ])
    }

    @Test func `names folders for what is in them`() throws {
        let paths = try PackageTree.house().paths.filter {
            $0.hasPrefix("Sources/") || $0.hasPrefix("Tests/")
        }
        #expect(TreeRules.folderViolations(paths) == [])
    }

    @Test func `with a folder for anything is refused`() {
        #expect(TreeRules.folderViolations(["Sources/Settle/Utils/A.swift"]).count == 1)
        #expect(TreeRules.folderViolations(["Sources/Helpers/B/C.swift"]).count == 1)
        #expect(TreeRules.folderViolations(["Tests/TestSupport/Utils.swift"]) == [])
    }

    @Test func `has no folder for one file`() throws {
        #expect(TreeRules.lonelyFolderViolations(try PackageTree.house().paths) == [])
    }

    @Test func `with a folder for one file is refused`() {
        let paths = [
            "Sources/Settle/A.swift", "Sources/Settle/B/C.swift", "Sources/Settle/D/E.swift",
            "Sources/Settle/D/F/G.swift", "Sources/Settle/D/F/H.swift", "Tests/ATests/B/C.swift",
        ]
        #expect(
            TreeRules.lonelyFolderViolations(paths) == [
                "Sources/Settle/B holds one thing; put it beside its neighbours."
            ])
    }

    @Test func `keeps files short`() throws {
        let files = try PackageTree.house().files(ending: ".swift")
        #expect(files.flatMap(TreeRules.lengthViolations) == [])
    }

    @Test(arguments: [(500, true), (501, false)])
    func `counts the lines of a file`(count: Int, isAllowed: Bool) {
        let text = String(repeating: "let a = 1\n", count: count)
        let file = PackageTree.TextFile(path: "Sources/Settle/A.swift", text: text)
        #expect(TreeRules.lengthViolations(file).isEmpty == isAllowed)
    }

    @Test func `leaves out what begins with a dot`() throws {
        try withScratchDirectory { scratch in
            _ = try scratch.folder(".build-other")
            try scratch.write("c", to: ".build-other/C.swift")
            try scratch.write("a", to: ".hidden")
            _ = try scratch.folder("Sources")
            try scratch.write("b", to: "Sources/A.swift")
            let tree = try PackageTree(root: scratch.url)
            #expect(tree.paths == ["Sources/A.swift"])
            #expect(try tree.topLevelNames() == ["Sources"])
            #expect(try tree.files(ending: ".swift").map(\.text) == ["b"])
        }
    }
}
