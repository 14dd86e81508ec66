import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Saving documents` {
    private func code(_ body: () async throws -> Void) async -> DatabaseError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    @Test func `add, update, save, and delete succeed and fail by what is there`() async throws {
        try await withDatabase { database async throws in
            let document: Document = ["id": "a", "n": 1]
            #expect(await code { try await database.update(document) } == .documentNotFound)
            #expect(await code { try await database.add(document) } == nil)
            #expect(await code { try await database.add(document) } == .documentExists)
            #expect(await code { try await database.update(document) } == nil)
            #expect(await code { try await database.save(document) } == nil)
            #expect(try await database.delete(documentWithId: "a"))
            #expect(try await !database.delete(documentWithId: "a"))
            #expect(await code { try await database.update(document) } == .documentNotFound)
            #expect(await code { try await database.add(document) } == nil)
            #expect(try await database.fetchDocument("a")?["n"] as? Int == 1)
            #expect(try await database.fetchDocument("b") == nil)
            #expect(try database.totalDocumentCount == 1)
        }
    }

    @Test func `with a stale revision is a conflict that carries the current one`() async throws {
        try await withDatabase { database async throws in
            let first = try await database.add(["id": "a", "n": 1])
            var mine = first
            mine["n"] = 2
            let second = try await database.save(mine)
            var late = first
            late["n"] = 3
            for save in [database.save, database.update] as [(Document) async throws -> Document] {
                do {
                    _ = try await save(late)
                    Issue.record("A stale revision was saved.")
                } catch let error as DatabaseError {
                    #expect(error.code == .conflict && error.documentId == "a")
                    #expect(error.currentRevision == second.metaData.revision)
                }
            }
            late.metaData.revision = nil
            #expect(try await database.save(late)["n"] as? Int == 3)
            try await database.delete(documentWithId: "a")
            #expect(await code { try await database.save(second) } == .conflict)
        }
    }

    @Test func `gives revision and dates`() async throws {
        let time = Lock(Date(timeIntervalSince1970: 100))
        try await withDatabase(now: { time.withLock { $0 } }) { database async throws in
            let first = try await database.add(["id": "a"])
            #expect(first.metaData.revision?.hasPrefix("1-") == true)
            #expect(first.metaData.createDate == Date(timeIntervalSince1970: 100))
            time.withLock { $0 = Date(timeIntervalSince1970: 200) }
            let second = try await database.save(first)
            #expect(second.metaData.revision?.hasPrefix("2-") == true)
            #expect(second.metaData.createDate == Date(timeIntervalSince1970: 100))
            #expect(second.metaData.lastChange == Date(timeIntervalSince1970: 200))
            #expect(try await database.fetchDocument("a")?.metaData == second.metaData)
        }
    }

    @Test func `the same edits on two databases make the same revisions`() async throws {
        func revisions() async throws -> [String?] {
            try await withDatabase { database async throws in
                var document = try await database.add(["id": "a", "n": 1])
                let first = document.metaData.revision
                document["n"] = 2
                return [first, try await database.save(document).metaData.revision]
            }
        }
        let here = try await revisions()
        let there = try await revisions()
        #expect(here == there && here[0] != here[1])
    }

    @Test(arguments: ["", "_design", String(repeating: "x", count: 256)])
    func `under an identifier that cannot be used is refused before anything is written`(
        id: String
    ) async throws {
        try await withDatabase { database async throws in
            #expect(await code { try await database.add(Document(id: id)) } == .invalidDocumentId)
            #expect(
                await code { try await database.update(Document(id: id)) } == .invalidDocumentId)
            #expect(try database.lastSequence == 0)
            #expect(try await database.fetchDocument(id) == nil)
            #expect(try await !database.delete(documentWithId: id))
        }
    }

    @Test func `of a huge or deep document names the limit`() async throws {
        try await withDatabase { database async throws in
            var huge = Document(id: "a")
            huge["text"] = String(repeating: "x", count: 21 << 20)
            #expect(await code { try await database.save(huge) } == .documentTooLarge)
            var nested: JSONValue = .null
            for _ in 0..<600 { nested = [nested] }
            var deep = Document(id: "a")
            deep[json: "nested"] = nested
            #expect(await code { try await database.save(deep) } == .documentTooLarge)
            var large = Document(id: "a")
            large["text"] = String(repeating: "x", count: 5 << 20)
            try await database.save(large)
            #expect(try await database.fetchDocument("a")?.string("text")?.count == 5 << 20)
        }
    }

    @Test func `by completion handlers keeps the order of the calls`() async throws {
        try await withDatabase { database async throws in
            for round in 0..<100 {
                let last: Document = await withCheckedContinuation { continuation in
                    for number in 0..<5 {
                        database.save(["id": "a", "n": .some(number)]) { _ in }
                    }
                    database.save(["id": "b"]) { _ in
                        continuation.resume(returning: Document(id: "b"))
                    }
                }
                #expect(last.id == "b")
                #expect(try await database.fetchDocument("a")?.integer("n") == 4, "round \(round)")
            }
        }
    }

    @Test func `completion handlers tell the same, on the completion queue`() async throws {
        try await withDatabase { database async throws in
            let key = DispatchSpecificKey<Bool>()
            database.completionQueue.setSpecific(key: key, value: true)
            func result(
                _ call: (@escaping @Sendable (Database.UpdateResult<Document>) -> Void) -> Void
            ) async -> String {
                await withCheckedContinuation { continuation in
                    call { result in
                        let place = DispatchQueue.getSpecific(key: key) == true ? "" : "elsewhere "
                        switch result {
                        case .success(let document):
                            continuation.resume(returning: place + document.id)
                        case .failed(let error):
                            let code = (error as? DatabaseError)?.code.description ?? "\(error)"
                            continuation.resume(returning: place + code)
                        }
                    }
                }
            }
            let document: Document = ["id": "a"]
            #expect(
                await result { database.update(document, completionHandler: $0) }
                    == "documentNotFound")
            #expect(await result { database.add(document, completionHandler: $0) } == "a")
            #expect(
                await result { database.add(document, completionHandler: $0) } == "documentExists")
            #expect(await result { database.save(document, completionHandler: $0) } == "a")
            let fetched = await withCheckedContinuation { continuation in
                database.fetchDocuments(["a", "b"]) { continuation.resume(returning: $0) }
            }
            #expect(fetched.keys.sorted() == ["a"])
        }
    }
}
