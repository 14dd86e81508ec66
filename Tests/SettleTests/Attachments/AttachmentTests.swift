import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Attachments` {
    private func picture(_ name: String, _ length: Int, seed: UInt8 = 1) -> DocumentAttachment {
        DocumentAttachment(
            name: name, contentType: "image/png",
            data: Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ seed }))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func `come back with name, type, length, and content`(length: Int) async throws {
        try await withDatabase { database async throws in
            var document: Document = ["id": "a"]
            document.attachments = [picture("p", length)]
            let saved = try await database.save(document)
            #expect(saved == document)
            let fetched = try #require(try await database.fetchDocument("a"))
            let attachment = try #require(fetched.attachments.first)
            #expect(attachment.name == "p" && attachment.contentType == "image/png")
            #expect(attachment.length == length)
            #expect(try attachment.data() == picture("p", length).data())
            #expect(attachment.digest == picture("p", length).digest)
        }
    }

    @Test func `are stored once and go with the last document that has them`() async throws {
        try await withDatabase { database async throws in
            let shared = picture("p", 100_000)
            for id in ["a", "b"] {
                var document = Document(id: id)
                document.attachments = [shared]
                try await database.save(document)
            }
            var a = try #require(try await database.fetchDocument("a"))
            let kept = try #require(a.attachments.first)
            a.attachments = []
            try await database.save(a)
            #expect(try kept.data().count == 100_000)
            try await database.delete(documentWithId: "b")
            #expect(throws: DatabaseError.self) { try kept.data() }
        }
    }

    @Test func `stay when the document is changed, and may be copied to another database`()
        async throws
    {
        try await withDatabase { database async throws in
            var document: Document = ["id": "a"]
            document.attachments = [picture("p", 10), picture("q", 10, seed: 9)]
            try await database.save(document)
            var fetched = try #require(try await database.fetchDocument("a"))
            fetched["n"] = 1
            let changed = try await database.save(fetched)
            #expect(changed.attachments == document.attachments)
            let copied = try await withDatabase { other async throws in
                var copy = changed
                copy.metaData.revision = nil
                return try await other.save(copy).attachments.map { try $0.data() }
            }
            #expect(try copied == document.attachments.map { try $0.data() })
        }
    }

    @Test func `of a stale document are a conflict like its members`() async throws {
        try await withDatabase { database async throws in
            var document: Document = ["id": "a"]
            document.attachments = [picture("p", 10)]
            let first = try await database.save(document)
            var newer = try #require(try await database.fetchDocument("a"))
            newer.attachments = [picture("p", 20)]
            try await database.save(newer)
            let error = await #expect(throws: DatabaseError.self) { try await database.save(first) }
            #expect(error?.code == .conflict && error?.currentRevision != nil)
            let inside = try await database.write { transaction in
                var added: Document = ["id": "b"]
                added.attachments = [picture("q", 30)]
                return try transaction.add(added).attachments[0].data().count
            }
            #expect(inside == 30)
        }
    }

    @Test func `with one name twice are refused`() async throws {
        try await withDatabase { database async throws in
            var document: Document = ["id": "a"]
            document.attachments = [picture("p", 1), picture("p", 2)]
            let error = await #expect(throws: DatabaseError.self) {
                try await database.save(document)
            }
            #expect(error?.code == .invalidDocument)
        }
    }

    @Test func `are part of the revision`() async throws {
        func revision(_ attachments: [DocumentAttachment]) async throws -> String? {
            try await withDatabase { database async throws in
                var document: Document = ["id": "a"]
                document.attachments = attachments
                return try await database.save(document).metaData.revision
            }
        }
        let without = try await revision([])
        let one = try await revision([picture("p", 3)])
        let other = try await revision([picture("p", 3, seed: 4)])
        #expect(Set([without, one, other]).count == 3)
        #expect(try await revision([picture("p", 3)]) == one)
    }
}
