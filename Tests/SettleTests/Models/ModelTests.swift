import Foundation
import Settle
import TestSupport
import Testing

/// Models, and what a save leaves of their documents.
@Suite(.serialized) struct `Models` {
    struct Visit: DocumentModel, Equatable {
        static let documentType = "visit"

        struct Address: Codable, Equatable, Sendable {
            var city: String
            var street: String?
        }

        struct Part: Codable, Equatable, Sendable {
            var id: String
            var count: Int
        }

        var id: String
        var customer: String
        var minutes: Int?
        var address: Address?
        var parts: [Part] = []
        var tags: [String: Int]?
        var begun: Date?
    }

    /// A document of a newer version of the app, with more than the model knows.
    private static let newer: Document = [
        "id": "v1", "type": "visit", "customer": "Moser", "minutes": 30,
        "address": ["city": "Bern", "street": "Aare 1", "floor": 3],
        "parts": [
            ["id": "p1", "count": 1, "colour": "red"], ["id": "p2", "count": 2, "colour": "blue"],
        ],
        "tags": ["a": 1, "b": 2], "begun": "2026-01-02T03:04:05.000Z", "signature": "x",
    ]

    private func stored(_ database: Database) async throws -> Stored<Visit> {
        try await database.save(Self.newer)
        return try #require(try await database.fetch(Visit.self, id: "v1"))
    }

    @Test func `are stored with their type and read again`() async throws {
        try await withDatabase { database in
            let visit = Visit(
                id: "a", customer: "Moser", minutes: 5, begun: Date(timeIntervalSince1970: 1.5))
            let added = try await database.add(visit)
            #expect(added.model == visit)
            #expect(added.revision?.hasPrefix("1-") == true)
            let read = try #require(try await database.fetch(Visit.self, id: "a"))
            #expect(read == added)
            #expect(read.document["type"] as? String == "visit")
            #expect(read.customer == "Moser")
            #expect(try await database.fetch(Visit.self, id: "b") == nil)
        }
    }

    @Test func `keep members that the model does not know, also inside objects and elements`()
        async throws
    {
        try await withDatabase { database in
            var visit = try await stored(database)
            visit.minutes = 45
            visit.address?.city = "Thun"
            visit.parts[1].count = 7
            let saved = try await database.save(visit)
            var expected = Self.newer
            expected["minutes"] = 45
            expected["address"] = ["city": "Thun", "street": "Aare 1", "floor": 3]
            expected["parts"] = [
                ["id": "p1", "count": 1, "colour": "red"],
                ["id": "p2", "count": 7, "colour": "blue"],
            ]
            #expect(saved.document == expected)
            #expect(try await database.fetchDocument("v1") == expected)
        }
    }

    @Test func `lose a member that became nil, and a key of a dictionary`() async throws {
        try await withDatabase { database in
            var visit = try await stored(database)
            visit.minutes = nil
            visit.address?.street = nil
            visit.tags?["a"] = nil
            let saved = try await database.save(visit)
            var expected = Self.newer
            expected["minutes"] = nil
            expected["address"] = ["city": "Bern", "floor": 3]
            expected["tags"] = ["b": 2]
            #expect(saved.document == expected)
        }
    }

    @Test func `keep what elements of arrays have when these are moved, added and removed`()
        async throws
    {
        try await withDatabase { database in
            var visit = try await stored(database)
            visit.parts = [
                Visit.Part(id: "p3", count: 3), visit.parts[1], Visit.Part(id: "p1", count: 9),
            ]
            visit = try await database.save(visit)
            #expect(
                visit.document["parts"] as? [[String: AnyHashable]] == [
                    ["id": "p3", "count": 3], ["id": "p2", "count": 2, "colour": "blue"],
                    ["id": "p1", "count": 9, "colour": "red"],
                ])
            visit.parts.remove(at: 1)
            visit = try await database.save(visit)
            #expect(
                visit.document["parts"] as? [[String: AnyHashable]] == [
                    ["id": "p3", "count": 3], ["id": "p1", "count": 9, "colour": "red"],
                ])
        }
    }

    @Test func `keep attachments and the expiration date`() async throws {
        try await withDatabase { database in
            var document = Self.newer
            document.attachments = [
                DocumentAttachment(name: "photo", contentType: "image/png", data: Data([1, 2, 3]))
            ]
            let date = Date(timeIntervalSince1970: 4_000_000_000)
            document.metaData.expirationDate = date
            try await database.save(document)
            var visit = try #require(try await database.fetch(Visit.self, id: "v1"))
            #expect(visit.attachments.map(\.name) == ["photo"])
            visit.customer = "Huber"
            visit = try await database.save(visit)
            let read = try #require(try await database.fetchDocument("v1"))
            #expect(try read.attachments.map { try $0.data() } == [Data([1, 2, 3])])
            #expect(read.metaData.expirationDate == date)
            // They can be changed through the model as well.
            visit.attachments = []
            visit.purgeDate = nil
            visit = try await database.save(visit)
            #expect(visit.document.attachments.isEmpty)
            #expect(try await database.fetchDocument("v1")?.metaData.expirationDate == nil)
        }
    }

    @Test func `are not written when nothing was changed`() async throws {
        try await withDatabase { database in
            // The model would write this date and this number in another form.
            var document = Self.newer
            document["begun"] = "2026-01-02T04:04:05+01:00"
            document["minutes"] = 30.0
            try await database.save(document)
            var visit = try #require(try await database.fetch(Visit.self, id: "v1"))
            let before = visit.revision
            visit = try await database.save(visit)
            #expect(visit.revision == before)
            visit.customer = "Huber"
            visit = try await database.save(visit)
            #expect(visit.document[json: "begun"] == "2026-01-02T04:04:05+01:00")
            #expect(visit.document[json: "minutes"] == .double(30))
        }
    }

    @Test func `do not write over the edit of another screen`() async throws {
        try await withDatabase { database in
            var mine = try await stored(database)
            try await database.update(Visit.self, id: "v1") { $0.minutes = 60 }
            mine.customer = "Huber"
            let stale = mine
            await #expect { try await database.save(stale) } throws: {
                ($0 as? DatabaseError)?.code == .conflict
            }
            #expect(try await database.fetch(Visit.self, id: "v1")?.customer == "Moser")
            // Both changes have room when that is asked for.
            let merged = try await database.save(stale, onConflict: .merge)
            #expect(merged.customer == "Huber")
            #expect(merged.minutes == 60)
            // The same member has room for one.
            mine.minutes = 90
            let late = mine
            await #expect { try await database.save(late, onConflict: .merge) } throws: {
                ($0 as? DatabaseError)?.code == .conflict
            }
            #expect(try await database.fetch(Visit.self, id: "v1")?.minutes == 60)
        }
    }

    @Test func `have one expiration date, also when two sides set it`() async throws {
        try await withDatabase { database in
            var mine = try await stored(database)
            try await database.update(Visit.self, id: "v1") {
                $0.purgeDate = Date(timeIntervalSince1970: 4_000_000_000)
            }
            mine.purgeDate = Date(timeIntervalSince1970: 4_100_000_000)
            let stale = mine
            await #expect { try await database.save(stale, onConflict: .merge) } throws: {
                let error = $0 as? DatabaseError
                return error?.code == .conflict && error?.currentRevision?.hasPrefix("2-") == true
            }
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `with many elements are saved in a time linear in their number`() async throws {
        try await withDatabase { database in
            let parts = (0..<20_000).map { Visit.Part(id: "p\($0)", count: 0) }
            var visit = try await database.add(Visit(id: "a", customer: "Moser", parts: parts))
            visit.parts = parts.reversed().map { Visit.Part(id: $0.id, count: 1) }
            visit = try await database.save(visit)
            #expect(visit.parts.first?.id == "p19999")
            #expect(visit.parts.allSatisfy { $0.count == 1 })
        }
    }

    @Test func `keep what equal elements without an id have`() async throws {
        try await withDatabase { database in
            try await database.save(
                ["id": "s", "type": "shape", "points": [["x": 1, "u": 1], ["x": 2, "u": 2]]]
                    as Document)
            var shape = try #require(try await database.fetch(Shape.self, id: "s"))
            shape.points = [Shape.Point(x: 2), Shape.Point(x: 1), Shape.Point(x: 3)]
            shape = try await database.save(shape)
            #expect(
                shape.document["points"] as? [[String: AnyHashable]] == [
                    ["x": 2, "u": 2], ["x": 1, "u": 1], ["x": 3],
                ])
        }
    }

    private struct Shape: DocumentModel {
        struct Point: Codable, Sendable { var x: Int }
        static let documentType = "shape"
        var id: String
        var points: [Point]
    }

    @Test func `that were made rather than read add, and replace only when told`() async throws {
        try await withDatabase { database in
            _ = try await stored(database)
            let bare = Visit(id: "v1", customer: "Huber")
            await #expect { try await database.save(bare) } throws: {
                ($0 as? DatabaseError)?.code == .documentExists
            }
            #expect(try await database.fetchDocument("v1") == Self.newer)
            let replaced = try await database.save(bare, replacing: true)
            #expect(replaced.model == bare)
            #expect(replaced.document["signature"] as? String == "x")
            #expect(replaced.document["minutes"] == nil)
            #expect(try await database.save(Visit(id: "v2", customer: "Frei")).customer == "Frei")
            let other = Visit(id: "v3", customer: "Frei")
            #expect(try await database.save(other, replacing: true).model == other)
        }
    }

    @Test func `that cannot be read say which member is wrong, and fail no list`() async throws {
        try await withDatabase { database in
            _ = try await stored(database)
            try await database.save(["id": "v2", "type": "visit", "customer": 5] as Document)
            try await database.save(["id": "v3", "type": "visit"] as Document)
            try await database.save(["id": "o1", "type": "order"] as Document)
            let list = try await database.fetchAll(Visit.self)
            #expect(list.map(\.id) == ["v1"])
            #expect(list.unreadable.map(\.document.id) == ["v2", "v3"])
            let texts = list.unreadable.map(\.error.description)
            #expect(texts.allSatisfy { $0.contains("'customer'") && $0.contains("Visit") })
            #expect(!texts[0].contains("5"))
            for id in ["v2", "o1"] {
                await #expect { try await database.fetch(Visit.self, id: id) } throws: {
                    ($0 as? DatabaseError)?.code == .invalidDocument
                }
            }
        }
    }

    @Test func `keep their identifier and type`() async throws {
        try await withDatabase { database in
            var visit = try await stored(database)
            visit.model.id = "other"
            let renamed = visit
            await #expect { try await database.save(renamed) } throws: {
                ($0 as? DatabaseError)?.code == .invalidDocument
            }
            #expect(try await database.fetchDocument("other") == nil)
            await #expect { try await database.add(Wrong(id: "w", type: "right")) } throws: {
                ($0 as? DatabaseError)?.code == .invalidDocument
            }
            #expect(try await database.add(Wrong(id: "w", type: "wrong")).type == "wrong")
        }
    }

    private struct Wrong: DocumentModel {
        static let documentType = "wrong"
        var id: String
        var type: String
    }

    @Test func `are changed and deleted as they were read`() async throws {
        try await withDatabase { database in
            let visit = try await stored(database)
            let done = try await database.update(Visit.self, id: "v1", revision: visit.revision) {
                $0.minutes = 1
            }
            #expect(done.minutes == 1)
            for body: @Sendable () async throws -> Void in [
                {
                    try await database.update(Visit.self, id: "v1", revision: visit.revision) {
                        $0.minutes = 2
                    }
                },
                { try await database.delete(visit) },
                { try await database.save(visit) },
            ] {
                await #expect { try await body() } throws: {
                    ($0 as? DatabaseError)?.code == .conflict
                }
            }
            #expect(try await database.fetch(Visit.self, id: "v1")?.minutes == 1)
            try await database.delete(done)
            #expect(try await database.fetch(Visit.self, id: "v1") == nil)
            await #expect { try await database.delete(done) } throws: {
                ($0 as? DatabaseError)?.code == .conflict
            }
            await #expect {
                try await database.update(Visit.self, id: "v1") { $0.minutes = 2 }
            } throws: { ($0 as? DatabaseError)?.code == .documentNotFound }
            await #expect { try await database.save(done, onConflict: .merge) } throws: {
                ($0 as? DatabaseError)?.code == .conflict
            }
        }
    }

    @Test func `are read and written in transactions and rows of queries`() async throws {
        try await withDatabase { database in
            try await database.addIndex(
                .keyPaths(name: "byCustomer", keys: [["customer"]], filter: ["type": "visit"]))
            try await database.write { transaction in
                try transaction.add(Visit(id: "a", customer: "Frei"))
                try transaction.update(Visit.self, id: "a") { $0.minutes = 3 }
                try transaction.save(["id": "b", "type": "visit", "customer": true] as Document)
            }
            var range = QueryByKeyRange()
            range.includeDocuments = true
            let rows = try await database.runQuery(on: "byCustomer", with: range)
            let list = rows.models(as: Visit.self)
            #expect(list.map(\.minutes) == [3])
            #expect(list.unreadable.map(\.document.id) == ["b"])
        }
    }
}
