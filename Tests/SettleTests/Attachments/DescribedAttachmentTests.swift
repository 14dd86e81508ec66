import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Attachments that are described` {
    private func described(
        _ name: String, as given: DocumentAttachment, length: Int? = nil
    ) throws -> DocumentAttachment {
        try DocumentAttachment(
            name: name, contentType: "text/plain", length: length ?? given.length,
            digest: given.digest)
    }

    private let given = DocumentAttachment(
        name: "a", contentType: "text/plain", data: Data("hello".utf8))

    @Test func `have content at once that the database has`() async throws {
        try await withDatabase { database async throws in
            var document = Document(id: "d")
            document.attachments = [given]
            document = try await database.save(document)
            document.attachments = [try described("b", as: given)]
            document = try await database.save(document)
            #expect(try document.attachments[0].isContentAvailable)
            #expect(try document.attachments[0].data() == Data("hello".utf8))
            #expect(
                try await document.attachments[0].chunks.reduce(Data(), +) == Data("hello".utf8))
        }
    }

    @Test func `get it when it comes`() async throws {
        try await withDatabase { database async throws in
            var document = Document(id: "d")
            document.attachments = [try described("b", as: given)]
            document = try await database.save(document)
            #expect(try !document.attachments[0].isContentAvailable)
            let error = #expect(throws: DatabaseError.self) { try document.attachments[0].data() }
            #expect(error?.code == .attachmentNotAvailable)
            // Under another identifier it is a description still.
            var other = Document(id: "e")
            other.attachments = document.attachments
            try await database.save(other)
            try await database.provideContent(
                of: document.attachments[0],
                chunks: AsyncStream {
                    $0.yield(Data("hello".utf8)); $0.finish()
                })
            #expect(try document.attachments[0].isContentAvailable)
            #expect(try document.attachments[0].data() == Data("hello".utf8))
        }
    }

    @Test func `and those of another database are read from this one once they are saved`()
        async throws
    {
        try await withDatabase { database async throws in
            let folder = try ScratchDirectory("other")
            let other = try await openDatabase(in: folder)
            var document = Document(id: "d")
            document.attachments = [given]
            document = try await other.save(document)
            document.metaData.revision = nil
            document = try await database.save(document)
            await other.close()
            withExtendedLifetime(folder) {}
            #expect(try document.attachments[0].data() == Data("hello".utf8))
        }
    }

    @Test func `with another length than the content has are refused`() async throws {
        try await withDatabase { database async throws in
            var document = Document(id: "d")
            document.attachments = [given]
            try await database.save(document)
            var other = Document(id: "e")
            other.attachments = [try described("b", as: given, length: 999)]
            let error = await #expect(throws: DatabaseError.self) {
                try await database.save(other)
            }
            #expect(error?.code == .invalidAttachment)
            #expect(try database.totalDocumentCount == 1)
        }
    }

    @Test func `with another length than the content that comes do not get it`() async throws {
        try await withDatabase { database async throws in
            var document = Document(id: "d")
            document.attachments = [try described("b", as: given, length: 999)]
            document = try await database.save(document)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.provideContent(
                    of: document.attachments[0],
                    chunks: AsyncStream {
                        $0.yield(Data("hello".utf8)); $0.finish()
                    })
            }
            #expect(error?.code == .invalidAttachment)
            #expect(try !document.attachments[0].isContentAvailable)
            #expect(try await database.check() == [])
        }
    }
}
