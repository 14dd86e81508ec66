import SettleDocuments
import Testing

@Suite struct `Revision name` {
    @Test(arguments: [
        "1-967a00dff5e02add41819138abb3284d", "3-x", "12-Any text - at all", "1-ä",
        "2147483647-ffffffffffffffffffffffffffffffff", "1-967a00dff5e02add41819138abb3284",
        "1-967a00dff5e02add41819138abb3284g",
    ])
    func `has one text`(text: String) throws {
        #expect(try #require(RevisionName(text)).description == text)
    }

    @Test(arguments: [
        "", "-", "1-", "1", "0-a", "-1-a", "+1-a", "1 -a", "x-a", "2147483648-a", "00000000001-a",
        "99999999999-a", "1-" + String(repeating: "a", count: 1_025),
    ])
    func `is not made of other texts`(text: String) {
        #expect(RevisionName(text) == nil)
    }

    @Test func `has 32 digits in any case as 16 bytes, and is a revision then`() throws {
        let lower = try #require(RevisionName("1-00ff000000000000000000000000abcd"))
        let upper = try #require(RevisionName("01-00FF000000000000000000000000ABCD"))
        #expect(lower == upper && lower.isRevision)
        #expect(Revision("1-00ff000000000000000000000000abcd") == lower.standIn)
        #expect(RevisionName(lower.standIn) == lower)
    }

    @Test func `has a stand-in that depends on the text alone`() throws {
        let name = try #require(RevisionName("3-x"))
        #expect(!name.isRevision)
        #expect(name.standIn.description == "3-5e725737776fe399cddf93271c115aba")
        #expect(try #require(RevisionName("3-y")).standIn != name.standIn)
    }

    @Test func `is compared by generation, then by bytes, a text with what digits stand for`()
        throws
    {
        let sorted = [
            "1-a", "2-00000000000000000000000000000000", "2-41000000000000000000000000000000",
            "2-A0000000000000000000000000000000x", "2-a", "2-aa", "2-b",
            "2-ff000000000000000000000000000000", "10-0",
        ]
        let names = try sorted.map { try #require(RevisionName($0)) }
        #expect(names.shuffled().sorted() == names)
    }

    @Test func `of texts that are equal by their characters only is another`() throws {
        let composed = try #require(RevisionName("1-\u{E1}"))
        let decomposed = try #require(RevisionName("1-a\u{301}"))
        #expect(composed != decomposed && composed.standIn != decomposed.standIn)
    }

    @Test func `is a path with as many digests as its generation at most`() throws {
        let digest = try #require(RevisionName.Digest(text: "a".utf8))
        #expect(RevisionPath(generation: 2, digests: [digest, digest])?.names.count == 2)
        #expect(RevisionPath(generation: 1, digests: [digest, digest]) == nil)
        #expect(RevisionPath(generation: 1, digests: []) == nil)
        #expect(RevisionPath(generation: 0, digests: [digest]) == nil)
        #expect(RevisionPath(generation: .max, digests: [digest]) == nil)
    }
}
