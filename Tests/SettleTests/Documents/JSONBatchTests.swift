import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Many documents from JSON texts` {
    private func text(_ number: Int, member: String = "id") -> [UInt8] {
        Array("{\"n\":\(number),\"\(member)\":\"d\(number)\",\"x\":[1,{\"y\":null}]}".utf8)
    }

    @Test(arguments: [0, 1, 499, 500, 501, 7_777])
    func `are the same as one by one, in order`(count: Int) async throws {
        try await withDatabase { database async throws in
            try await database.add(json: (0..<count).map { text($0) })
            try await withDatabase { other async throws in
                try await other.write { transaction in
                    for number in 0..<count { try transaction.add(Document(json: text(number))) }
                }
                let facts = { (database: Database) in
                    try database.changeBatch(since: 0).changes.map {
                        "\($0.documentId) \($0.revision)"
                    }
                }
                #expect(try facts(database) == facts(other))
                #expect(try facts(database).count == count)
            }
        }
    }

    @Test func `a bad one is named by its number, and none is stored`() async throws {
        try await withDatabase { database async throws in
            var texts = (0..<2_000).map { text($0) }
            texts[1_234] = Array("{\"n\":1,}".utf8)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.add(json: texts)
            }
            #expect(error?.code == .invalidDocument && error?.cause is JSONError)
            #expect(error?.message.contains("number 1235 of 2000") == true)
            texts[1_234] = text(3)
            let twice = await #expect(throws: DatabaseError.self) {
                try await database.add(json: texts)
            }
            #expect(twice?.code == .documentExists && twice?.documentId == "d3")
            #expect(try database.totalDocumentCount == 0)
        }
    }

    @Test func `another member may hold the identifier, if no member is hidden by it`() async throws
    {
        try await withDatabase { database async throws in
            try await database.add(json: [text(1, member: "_id")], identifierMember: "_id")
            let document = try #require(try await database.fetchDocument("d1"))
            #expect(document[json: "_id"] == nil && document.integer("n") == 1)
            let error = #expect(throws: DatabaseError.self) {
                try Document(json: text(1), identifierMember: "key")
            }
            #expect(error?.code == .invalidDocument)
        }
    }
}
