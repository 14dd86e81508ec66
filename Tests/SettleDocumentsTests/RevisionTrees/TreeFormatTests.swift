import SettleDocuments
import Testing

@Suite struct `Format of revision trees` {
    @Test func `is that of the worked example`() throws {
        func path(_ texts: String...) throws -> RevisionPath {
            let names = try texts.map { try #require(RevisionName($0)) }
            return try #require(
                RevisionPath(generation: names[0].generation, digests: names.map(\.digest)))
        }
        var tree = RevisionTree(try path("2-b", "1-x"), isDeleted: false)
        tree.insert(try path("2-a", "1-x"), isDeleted: false)
        tree.insert(try path("3-c"), isDeleted: true)
        let row: [UInt8] = [
            1, 1, 2, 2, 1, 0x62, 1, 0x78, 1, 2, 2, 1, 0x61, 1, 0x78, 2, 3, 1, 1, 0x63,
        ]
        #expect(tree.encoded() == row)
        #expect(RevisionName("3-x")?.standIn.description == "3-5e725737776fe399cddf93271c115aba")
    }
}
