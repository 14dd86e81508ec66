import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Views of documents` {
    private let order: Document = [
        "id": "a", "type": "order", "amount": 12, "price": 2.5, "paid": true, "none": NSNull(),
        "address": ["city": "Bern", "zip": 3000, "lat": 46.9, "main": false] as [String: Any],
    ]

    @Test func `read the members that are asked for`() async throws {
        try await withDatabase { database async throws in
            let saved = try await database.save(order)
            let found = try database.read { snapshot in
                try snapshot.withDocument("a") { view in
                    let dates = [try view.createDate, try view.lastChange]
                    #expect(dates == [saved.metaData.createDate, saved.metaData.lastChange])
                    return [
                        try view.id, "\(view.isDeleted)", "\(try view.sequence)", try view.revision,
                        text(try view.string("type")), text(try view.integer("amount")),
                        text(try view.double("amount")), text(try view.double("price")),
                        text(try view.bool("paid")), text(try view.json("none")),
                        text(try view.json("nothing")), text(try view.string("amount")),
                        text(try view.integer("type")),
                        text(try view.string(at: "address", "city")),
                        text(try view.integer(at: "address", "zip")),
                        text(try view.double(at: "address", "lat")),
                        text(try view.bool(at: "address", "main")),
                        text(try view.string(at: "type", "city")),
                    ]
                }
            }
            #expect(
                found == [
                    "a", "false", "1", saved.metaData.revision ?? "", "order", "12", "12.0", "2.5",
                    "true", text(JSONValue.null), "nil", "nil", "nil", "Bern", "3000", "46.9",
                    "false", "nil",
                ])
        }
    }

    @Test func `read the same members by prepared names`() async throws {
        try await withDatabase { database async throws in
            try await database.save(order)
            try await database.save(["id": "b", "amount": 7, "z": 1])
            try await database.save(["id": "c", "type": "note", "address": 1])
            let names = ["type", "amount", "price", "paid", "none", "nothing"]
            let prepared = names.map { MemberName($0) }
            let (address, city) = (MemberName("address"), MemberName("city"))
            var cities: [String?] = []
            try database.read { snapshot in
                try snapshot.forEachView { view in
                    for (name, prepared) in zip(names, prepared) {
                        #expect(try view.string(prepared) == view.string(name))
                        #expect(try view.integer(prepared) == view.integer(name))
                        #expect(try view.double(prepared) == view.double(name))
                        #expect(try view.bool(prepared) == view.bool(name))
                        #expect(try view.json(prepared) == view.json(name))
                    }
                    cities.append(try view.member(address)?.member(city)?.string)
                    return true
                }
            }
            #expect(cities == ["Bern", nil, nil])
        }
    }

    private func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nil" }

    @Test func `are not given of what is not there or deleted`() async throws {
        try await withDatabase { database async throws in
            try await database.save(order)
            try await database.delete(documentWithId: "a")
            try database.read { snapshot in
                for id in ["a", "b", "", String(repeating: "x", count: 600)] {
                    let found: Void? = try snapshot.withDocument(id) { _ in }
                    #expect(found == nil)
                }
                var count = 0
                try snapshot.forEachView { _ in
                    count += 1
                    return true
                }
                #expect(count == 0)
            }
        }
    }

    @Test func `walk in the order of the identifiers and stop when told`() async throws {
        try await withDatabase { database async throws in
            for id in ["c", "a", "d", "b"] { try await database.add(Document(id: id)) }
            func walk(after id: String?, count: Int) throws -> [String] {
                try database.read { snapshot in
                    var ids: [String] = []
                    try snapshot.forEachView(after: id) { view in
                        ids.append(try view.id)
                        return ids.count < count
                    }
                    return ids
                }
            }
            #expect(try walk(after: nil, count: 9) == ["a", "b", "c", "d"])
            #expect(try walk(after: "b", count: 9) == ["c", "d"])
            #expect(try walk(after: nil, count: 2) == ["a", "b"])
        }
    }

    @Test func `inside a write see what it has written`() async throws {
        try await withDatabase { database async throws in
            let amount = try await database.write { [order] transaction in
                try transaction.save(order)
                return try transaction.withDocument("a") { try $0.integer("amount") } ?? nil
            }
            #expect(amount == 12)
        }
    }
}
