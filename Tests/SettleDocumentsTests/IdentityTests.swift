import Foundation
import SettleDocuments
import Testing

@Suite struct DocumentIdentifierTests {
    @Test func `ids are refused by their rules and accepted otherwise`() throws {
        func error(_ id: String) -> DocumentIdentifierError? {
            do throws(DocumentIdentifierError) {
                try DocumentIdentifier.check(id)
                return nil
            } catch { return error }
        }
        #expect(error("") == .empty)
        #expect(error("_design") == .leadingUnderscore)
        #expect(
            error("_design/") == .leadingUnderscore && error("_designs/x") == .leadingUnderscore)
        #expect(error("_design/x") == nil && error("_design//") == nil)
        #expect(
            DocumentIdentifier.isDesign("_design/x") && !DocumentIdentifier.isDesign("a_design/x"))
        for (id, isDesign) in [("_design/x", true), ("_desigN/x", false), ("_d", false)] {
            let bytes = Array(id.utf8)
            let found = DocumentIdentifier.isDesign(bytes.span)
            #expect(found == isDesign, "\(id)")
        }
        #expect(error("a\u{0}b") == .containsNull)
        #expect(error(String(repeating: "é", count: 128)) == .tooLong(256))
        #expect(error(String(repeating: "é", count: 127) + "a") == nil)
        for id in ["a", "a_b", " ", "-", "ид", "\u{1}", UUID().uuidString] {
            #expect(error(id) == nil)
        }
    }
}

@Suite struct RevisionTests {
    @Test func `an edit has the same revision everywhere`() throws {
        let first = Revision(parent: nil, isDeleted: false, body: try PackedValue(["v": 1]))
        #expect(first.description == "1-ff7aebc4a310ab9e0947f0eaac2bd2ae")
        let second = Revision(parent: first, isDeleted: false, body: try PackedValue(["v": 2]))
        #expect(second.description == "2-c20d8884bb52566956c707b59568b85e")
        let deletion = Revision(parent: second, isDeleted: true, body: try PackedValue([:]))
        #expect(deletion.description == "3-50f5b8eefacf51197c2af96301d504c1")
        let page = try String(contentsOf: projectFile("Docs/Formats/Revisions.md"), encoding: .utf8)
        for revision in [first, second, deletion] {
            #expect(page.contains("`\(revision)`"))
            #expect(Revision(revision.description) == revision)
            #expect(Revision(generation: revision.generation, digest: revision.digest) == revision)
        }
    }

    @Test func `parent, deletion and body each make a difference`() throws {
        let body = try PackedValue(["v": 1])
        let parent = Revision(parent: nil, isDeleted: false, body: body)
        let edits = [
            parent, Revision(parent: nil, isDeleted: true, body: body),
            Revision(parent: nil, isDeleted: false, body: try PackedValue(["v": 1.0])),
            Revision(parent: parent, isDeleted: false, body: body),
            Revision(
                parent: Revision(parent: nil, isDeleted: true, body: body), isDeleted: false,
                body: body),
        ]
        #expect(Set(edits).count == edits.count)
    }

    @Test(arguments: [
        "", "-", "1", "1-", "0-00000000000000000000000000000000",
        "01-00000000000000000000000000000000", "+1-00000000000000000000000000000000",
        "4294967296-00000000000000000000000000000000", "1-0000000000000000000000000000000",
        "1-000000000000000000000000000000000", "1-0000000000000000000000000000000G",
        "1-0000000000000000000000000000000A", "1--0000000000000000000000000000000",
        "99999999999-00000000000000000000000000000000",
    ])
    func `other text is no revision`(text: String) {
        #expect(Revision(text) == nil)
    }

    @Test func `winners are by generation, then by digest as bytes`() throws {
        let texts = [
            "1-ffffffffffffffffffffffffffffffff", "2-00000000000000000000000000000000",
            "2-00000000000000000000000000000001", "2-00000000000000010000000000000000",
            "2-7fffffffffffffffffffffffffffffff", "2-80000000000000000000000000000000",
            "10-00000000000000000000000000000000", "4294967295-00000000000000000000000000000000",
        ]
        let revisions = try texts.map { try #require(Revision($0)) }
        #expect(revisions.map(\.description) == texts)
        for (left, right) in zip(revisions, revisions.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
        let last = try #require(revisions.last)
        #expect(
            Revision(parent: last, isDeleted: false, body: try PackedValue(1)).generation == .max)
    }
}
