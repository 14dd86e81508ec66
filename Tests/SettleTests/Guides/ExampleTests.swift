import Foundation
import Settle
import TestSupport
import Testing

private struct Visit: DocumentModel {
    static let documentType = "visit"
    enum Status: String, Codable { case planned, done }

    var id = UUID().uuidString
    var customer: String
    var status = Status.planned
    var minutes: Int?
}

private struct Money {
    let cents: Int
}

extension Money: IndexKeyPart {
    func pack(into packer: inout IndexPacker) throws -> Bool {
        cents.pack(into: &packer)
    }
}

/// What the documentation of types shows, and no guide does.
@Suite struct `Examples of the front door` {
    private func withDatabase(_ body: (Database) async throws -> Void) async throws {
        try await withScratchDirectory("examples") { scratch in
            let configuration = Database.OpenDatabaseConfiguration(
                name: "examples", fileLocation: scratch.url)
            let database = try await Database.openOrCreate(configuration)
            try await body(database)
            await database.close()
        }
    }

    @Test func `make documents and read them`() async throws {
        try await withDatabase { database in
            var fruit: Document = ["type": "fruit", "name": "Apple", "ripe": Date()]
            fruit["colour"] = "red"
            fruit = try await database.add(fruit)
            #expect(try await database.fetchDocument(fruit.id)?.string("colour") == "red")

            let document: Document = ["id": "plum", "address": ["city": "Oslo"], "amount": 3]
            let city = document.member(at: ["address", "city"])?.stringValue
            #expect(city == "Oslo")
            try await database.save(document)
            let (count, plum) = try database.read { snapshot in
                (snapshot.documentCount, try snapshot.document("plum"))
            }
            #expect(count == 2 && plum?.id == "plum")
            let total = try database.read { snapshot in
                var total: Int64 = 0
                try snapshot.forEachView { view in
                    total += try view.integer("amount") ?? 0
                    return true
                }
                return total
            }
            #expect(total == 3)
        }
    }

    @Test func `make values of JSON`() throws {
        let value = try JSONValue(jsonText: #"{"price": 3, "tags": ["red", "ripe"]}"#)
        print(value["price"]?.doubleValue ?? 0, value["tags"]?.arrayValue?.count ?? 0)
        let text = JSONValue.object(["price": 4, "sold": true]).jsonText
        #expect(text == #"{"price":4,"sold":true}"#)
    }

    @Test func `make indexes and ask them`() async throws {
        try await withDatabase { database in
            try await database.save(["id": "a", "place": "Oslo", "amount": 2.5, "colour": "red"])
            try await database.save(["id": "b", "place": "Oslo", "amount": 3, "colour": "blue"])
            let byPlace = Database.Index(
                name: "byPlace", version: "1", typedReduce: .init(Double.self) { $0.reduce(0, +) }
            ) { document, addIndexRow in
                addIndexRow(document["place"], document["amount"])
            }
            try await database.addIndex(byPlace)
            #expect(try await database.runQuery(on: "byPlace").first?.value as? Double == 5.5)

            let colours = Database.Index.views(name: "colours", version: "1") { view, rows in
                try rows.emit(view.string("colour"), value: Money(cents: 3))
            }
            try await database.addIndex(colours)
            let some = QueryByKeyList(keys: ["red", "green"])
            let rows = try await database.runQuery(on: "colours", with: some).rows
            #expect(rows.map(\.documentId) == ["a"] && rows[0].value as? Int == 3)
            let (result, cost) = try await database.measureQuery(on: "colours", with: some)
            print("\(cost.rowsRead) rows read for \(result.count), \(cost.leavesRead) leaves")
            #expect(result.rows == rows && cost.rowsRead >= 1)
        }
    }

    @Test func `pick models`() async throws {
        try await withDatabase { database in
            try await database.add(Visit(customer: "Moser", status: .done, minutes: 45))
            try await database.add(Visit(customer: "Huber", status: .done, minutes: 15))
            let filter =
                \Visit.status == .done && \Visit.minutes > 30
            let found = try await database.fetchAll(Visit.self, where: filter)
            #expect(found.map(\.customer) == ["Moser"])
        }
    }
}
