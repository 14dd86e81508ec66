import Testing

@Suite struct `Imports of the source targets` {
    private static let manifest = Manifest(
        text: """
            .systemLibrary(name: "CLMDB"),
            .target(name: "SettleLMDB", dependencies: ["CLMDB"]),
            .target(name: "SettleSync", dependencies: ["Settle"]),
            .target(
                name: "SettleServer",
                dependencies: ["Settle", .product(name: "JWTKit", package: "jwt-kit")]),
            """)

    private func violations(_ path: String, _ text: String) -> [String] {
        ImportRule.violations(
            in: PackageTree.TextFile(path: path, text: text), manifest: Self.manifest)
    }

    @Test func `follow the arrows of the plan`() throws {
        let tree = try PackageTree.house()
        let manifest = Manifest(text: try tree.text(of: "Package.swift"))
        let files = try tree.files(under: "Sources/", ending: ".swift")
        #expect(!files.isEmpty)
        #expect(files.flatMap { ImportRule.violations(in: $0, manifest: manifest) } == [])
    }

    @Test func `may use what is declared and drawn`() {
        #expect(violations("Sources/SettleLMDB/A.swift", "import CLMDB\nimport Glibc") == [])
        #expect(violations("Sources/SettleServer/A.swift", "public import JWTKit") == [])
        #expect(violations("Sources/SettleSync/A.swift", "import struct Settle.Document") == [])
    }

    @Test(arguments: [
        ("Sources/SettleStorage/A.swift", "import CLMDB"),
        ("Sources/SettleIndexing/A.swift", "import SettleLMDB"),
        ("Sources/SettleSync/Deep/A.swift", "package import SettleStorage"),
        ("Sources/SettleSync/A.swift", "@preconcurrency import Hummingbird"),
        ("Sources/SettleREST/A.swift", "import NIOCore"),
        ("Sources/Settle/A.swift", "import JWTKit"),
        ("Sources/SettleServer/A.swift", "import ArgumentParser"),
        ("Sources/SettleStorage/A.swift", "import CICU"),
    ])
    func `over an arrow that is not drawn are refused`(path: String, text: String) {
        #expect(violations(path, text).contains { $0.contains("may not import") })
    }

    @Test func `that are drawn but not declared are refused`() {
        let found = violations("Sources/SettleServer/A.swift", "\nimport Hummingbird")
        #expect(
            found == [
                "Sources/SettleServer/A.swift:2: "
                    + "Package.swift does not declare Hummingbird for SettleServer."
            ])
    }

    @Test func `of Foundation are refused where it is done without`() {
        #expect(violations("Sources/SettleLMDB/A.swift", "import Foundation").count == 1)
        #expect(violations("Sources/SettleSync/A.swift", "import Foundation") == [])
    }

    @Test func `with testable are refused`() {
        #expect(violations("Sources/SettleSync/A.swift", "@testable import Settle").count == 1)
    }

    @Test func `in a folder that is no target are refused`() {
        #expect(violations("Sources/SettleMagic/A.swift", "import Swift").count == 1)
    }

    @Test func `are found whatever stands around them`() {
        let text = """
            // import Comment
            /* import Block /* nested */ */ import A
            let text = "import Literal"
              @testable   package import struct B.C.D ; import E
            func `import Raw`() {}
            let long = \"""
                import Multiline
                \\(value("import Inner"))
                \"""
            @_exported public import F
            """
        let found = ImportStatement.imports(in: text)
        #expect(found.map(\.module) == ["A", "B", "E", "F"])
        #expect(found.map(\.line) == [2, 4, 4, 10])
        #expect(found.map(\.isTestable) == [false, true, false, false])
        #expect(found.map(\.isExported) == [false, false, false, true])
    }

    @Test func `are handed on by the front door and the products over it alone`() throws {
        let files = try PackageTree.house().files(under: "Sources/", ending: ".swift")
        let exporting = files.filter { file in
            ImportStatement.imports(in: file.text).contains(where: \.isExported)
        }
        let doors = ["Settle", "SettleOutbox", "SettleSync"].map { "Sources/\($0)/Exports.swift" }
        #expect(Set(exporting.map(\.path)).isSubset(of: doors))
    }

    @Test func `bring a type that has one owner into one file`() throws {
        let tree = try PackageTree.house()
        for owner in OwnerRule.owners {
            let own = try tree.text(of: "Sources/\(owner.target)/\(owner.file)")
            #expect(SwiftWord.words(of: own).contains { $0.text == owner.type })
        }
        let files = try tree.files(under: "Sources/", ending: ".swift")
        #expect(files.flatMap { OwnerRule.violations(in: $0) } == [])
    }

    @Test(arguments: [
        ("Sources/SettleREST/OData/A.swift", "let a: Database", 1),
        ("Sources/SettleREST/OData/A.swift", "// A Database.\nlet a = \"Database\"", 0),
        ("Sources/SettleREST/Database+TableReplication.swift", "extension Database {}", 0),
        ("Sources/SettleSync/A.swift", "extension Database {}", 0),
    ])
    func `bring it into no other file`(path: String, text: String, count: Int) {
        let file = PackageTree.TextFile(path: path, text: text)
        #expect(OwnerRule.violations(in: file).count == count)
    }
}
