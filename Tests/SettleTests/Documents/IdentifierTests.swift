import Settle
import Testing

/// Identifiers are told apart by their bytes, also where texts are equal.
@Suite(.serialized) struct `Identifiers of different bytes that are equal texts` {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test func `make another document of one that was read`() async throws {
        try await withDatabase { database async throws in
            var document = try await database.save(Document(id: Self.composed))
            document.id = Self.decomposed
            #expect(document.metaData.revision == nil)
            #expect(document != Document(id: Self.composed))
            try await database.save(document)
            document = try #require(try await database.fetchDocument(Self.composed))
            document.metaData.id = Self.decomposed
            #expect(document.metaData.revision == nil)
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `are not fetched under one key`() async throws {
        try await withDatabase { database async throws in
            try await database.save(Document(id: Self.composed))
            let one = try await database.fetchDocuments([
                Self.decomposed, Self.composed, Self.composed,
            ])
            #expect(one.count == 1)
            try await database.save(Document(id: Self.decomposed))
            let error = await #expect(throws: DatabaseError.self) {
                try await database.fetchDocuments([Self.composed, Self.decomposed])
            }
            #expect(error?.code == .invalidDocumentId)
            #expect(try await database.fetchDocuments([Self.composed, "x"]).count == 1)
        }
    }
}
