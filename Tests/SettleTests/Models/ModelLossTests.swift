import Foundation
import Settle
import TestSupport
import Testing

/// What a save must not lose or change, whatever a model makes of its document.
@Suite(.serialized) struct `Models lose nothing` {
    struct Tagged: DocumentModel {
        static let documentType = "tagged"
        var id: String
        var tags: Set<String>
        var title = "t"
    }

    private func save<Model: DocumentModel>(
        _ document: Document, as type: Model.Type, in database: Database
    ) async throws -> Stored<Model> {
        try await database.save(document)
        return try #require(try await database.fetch(type, id: document.id))
    }

    @Test func `when a set writes its elements in another order`() async throws {
        try await withDatabase { database in
            let tags = (0..<12).map { "tag\($0)" }
            for (number, tag) in tags.enumerated() {
                let id = "x\(number)"
                _ = try await save(
                    ["id": id, "type": "tagged", "title": "t", "tags": tags], as: Tagged.self,
                    in: database)
                let stored = try await database.update(Tagged.self, id: id) {
                    $0.model.tags.remove(tag)
                }
                #expect(stored.tags == Set(tags).subtracting([tag]))
                let left = try #require(stored.document["tags"] as? [Any])
                #expect(left.count == tags.count - 1)
            }
        }
    }

    @Test
    func `and change nothing when nothing was changed, though decoding is never the same twice`()
        async throws
    {
        struct Made: DocumentModel {
            static let documentType = "made"
            var id: String
            var token: String
            var tags: Set<String>
            var note: String?

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(String.self, forKey: .id)
                token =
                    try container.decodeIfPresent(String.self, forKey: .token)
                    ?? UUID().uuidString
                tags = try container.decode(Set<String>.self, forKey: .tags)
                note = try container.decodeIfPresent(String.self, forKey: .note)
            }
        }
        try await withDatabase { database in
            var made = try await save(
                ["id": "m", "type": "made", "tags": (0..<20).map { "\($0)" }], as: Made.self,
                in: database)
            let revision = made.revision
            #expect(try await database.save(made).revision == revision)
            // Nor is what nobody touched a conflict.
            try await database.update(Made.self, id: "m") { $0.model.tags = ["other"] }
            made.note = "mine"
            let merged = try await database.save(made, onConflict: .merge)
            #expect(merged.tags == ["other"] && merged.note == "mine")
            #expect(merged.document["token"] == nil)
        }
    }

    struct Part: Codable, Sendable, Equatable {
        var id: Int
        var count: Int
    }

    @Test func `when a model sorts its elements or passes over some`() async throws {
        struct Sorted: DocumentModel {
            static let documentType = "sorted"
            var id: String
            var parts: [Part]

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(String.self, forKey: .id)
                parts = try container.decode([Lossy].self, forKey: .parts)
                    .compactMap(\.part).sorted { $0.id < $1.id }
            }
        }
        struct Lossy: Decodable {
            let part: Part?
            init(from decoder: any Decoder) throws { part = try? Part(from: decoder) }
        }
        try await withDatabase { database in
            let parts: [[String: Any]] = [
                ["id": 2, "count": 2, "colour": "b"], ["broken": true],
                ["id": 1, "count": 1, "colour": "a"],
            ]
            _ = try await save(
                ["id": "s", "type": "sorted", "parts": parts], as: Sorted.self, in: database)
            let stored = try await database.update(Sorted.self, id: "s") {
                $0.model.parts[0].count = 7
            }
            let now = try #require(stored.document[json: "parts"]?.arrayValue)
            #expect(now.contains(["id": 1, "count": 7, "colour": "a"]))
            #expect(now.contains(["id": 2, "count": 2, "colour": "b"]))
            #expect(now.contains(["broken": true]))
            #expect(now.count == 3)
        }
    }

    @Test func `when both sides set another case of an enumeration`() async throws {
        struct Job: DocumentModel {
            static let documentType = "job"
            enum State: Codable, Sendable, Equatable {
                case planned
                case done(by: String)
                case cancelled
            }
            var id: String
            var state: State
        }
        try await withDatabase { database in
            try await database.add(Job(id: "j", state: .planned))
            var mine = try #require(try await database.fetch(Job.self, id: "j"))
            try await database.update(Job.self, id: "j") { $0.state = .cancelled }
            mine.state = .done(by: "Ann")
            let stale = mine
            await #expect { try await database.save(stale, onConflict: .merge) } throws: {
                ($0 as? DatabaseError)?.code == .conflict
            }
            #expect(try await database.fetch(Job.self, id: "j")?.state == .cancelled)
        }
    }

    @Test func `and store nothing that they cannot read again`() async throws {
        struct Odd: DocumentModel {
            static let documentType = "odd"
            var id: String
            var count: Int
            init(id: String, count: Int) { (self.id, self.count) = (id, count) }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(String.self, forKey: .id)
                count = Int(try container.decode(String.self, forKey: .count)) ?? 0
            }
        }
        struct Nameless: DocumentModel {
            static let documentType = "nameless"
            enum CodingKeys: String, CodingKey { case text }
            var id = UUID().uuidString
            var text: String
        }
        try await withDatabase { database in
            try await database.write { transaction in
                #expect(throws: DatabaseError.self) {
                    try transaction.add(Odd(id: "o", count: 1))
                }
                #expect {
                    try transaction.add(Nameless(text: "x"))
                } throws: {
                    "\($0)".contains("identifier")
                }
            }
            #expect(try database.totalDocumentCount == 0)
        }
    }

    @Test func `of a document that was never stored by writing over another`() async throws {
        try await withDatabase { database in
            try await database.save(["id": "x", "type": "tagged", "tags": ["a"], "title": "old"])
            var made = try Stored<Tagged>(
                ["id": "x", "type": "tagged", "tags": ["b"], "title": "new"])
            let unchanged = made
            made.title = "newer"
            let changed = made
            for stored in [unchanged, changed] {
                await #expect { try await database.save(stored) } throws: {
                    ($0 as? DatabaseError)?.code == .documentExists
                }
                await #expect { try await database.delete(stored) } throws: {
                    ($0 as? DatabaseError)?.code == .conflict
                }
            }
            #expect(try await database.fetch(Tagged.self, id: "x")?.title == "old")
            let other = try Stored<Tagged>(
                ["id": "y", "type": "tagged", "tags": ["b"], "title": "new"])
            #expect(try await database.save(other).revision?.hasPrefix("1-") == true)
        }
    }

    @Test func `when they replace a document that they cannot read`() async throws {
        try await withDatabase { database in
            try await database.save(["id": "x", "type": "tagged", "title": "t", "own": 1])
            let model = Tagged(id: "x", tags: ["a"])
            let stored = try await database.save(model, replacing: true)
            #expect(stored.tags == ["a"] && stored.document["own"] as? Int == 1)
            try await database.save(["id": "y", "type": "other"])
            await #expect {
                try await database.save(Tagged(id: "y", tags: []), replacing: true)
            } throws: {
                ($0 as? DatabaseError)?.code == .invalidDocument
            }
        }
    }

    @Test func `that have an expiration date of their own`() async throws {
        struct Product: DocumentModel {
            static let documentType = "product"
            var id: String
            var expirationDate: Date?
        }
        try await withDatabase { database in
            try await database.add(Product(id: "milk"))
            let date = Date(timeIntervalSince1970: 1_000)
            let milk = try await database.update(Product.self, id: "milk") {
                $0.expirationDate = date
            }
            #expect(milk.model.expirationDate == date && milk.purgeDate == nil)
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `of an observed list, and show each revision that can be saved`() async throws {
        try await withDatabase { database in
            try await database.add(Tagged(id: "x", tags: [], title: "A"))
            var results = database.modelResults(Tagged.self).makeAsyncIterator()
            #expect(try await results.next()?.first?.title == "A")
            for title in ["B", "A"] {
                try await database.update(Tagged.self, id: "x") { $0.title = title }
            }
            var last = try await results.next()?.first
            while last?.revision?.hasPrefix("3-") == false {
                last = try await results.next()?.first
            }
            let newest = try #require(last)
            #expect(newest.title == "A")
            #expect(try await database.save(newest).revision == newest.revision)
        }
    }

    @Test func `of a member that a document encodes as models do`() async throws {
        try await withDatabase { database in
            var document = Document(id: "d")
            document["numbers", as: [Int: String].self] = [1: "a"]
            document["some", as: [String: Int?].self] = ["a": 1, "b": nil]
            document["float", as: Float.self] = 0.1
            document["bad", as: Double.self] = 1
            try await database.save(document)
            let read = try #require(try await database.fetchDocument("d"))
            #expect(read["numbers", as: [Int: String].self] == [1: "a"])
            #expect(read["some", as: [String: Int?].self] == ["a": 1, "b": nil])
            #expect(read["float", as: Float.self] == 0.1)
            document["bad", as: Double.self] = .infinity
            let refused = document
            await #expect { try await database.save(refused) } throws: {
                "\($0)".contains("bad")
            }
        }
    }

    @Test func `and a database that may only be read is not made`() async throws {
        try await withScratchDirectory("reading") { scratch in
            let configuration = Database.OpenDatabaseConfiguration(
                name: "none", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "settle.tests"), isReadOnly: true)
            await #expect { try await Database.openOrCreate(configuration) } throws: {
                ($0 as? DatabaseError)?.code == .readOnly
            }
        }
    }
}
