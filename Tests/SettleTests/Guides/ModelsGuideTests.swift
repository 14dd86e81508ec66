import Foundation
import Settle
import Testing

/// The code of Docs/Guides/Models.md, run.
@Suite(.serialized) struct `The guide to models` {
    struct Visit: DocumentModel {
        static let documentType = "visit"
        enum Status: String, Codable { case planned, done }

        var id = UUID().uuidString
        var customer: String
        var status = Status.planned
        var minutes: Int?
    }

    @Test func `does what it says`() async throws {
        try await withDatabase { database async throws in
            let added = try await database.add(Visit(customer: "Bakery Moser"))
            if var visit = try await database.fetch(Visit.self, id: added.id) {
                visit.minutes = 45
                visit = try await database.save(visit)
            }
            var visit = try await database.update(Visit.self, id: added.id) { $0.status = .done }
            #expect(visit.minutes == 45)
            try await database.save(Visit(id: added.id, customer: "Bakery Huber"), replacing: true)
            visit.status = .planned
            visit = try await database.save(visit, onConflict: .merge)
            #expect(visit.customer == "Bakery Huber")
            #expect(visit.minutes == nil)
            try await database.add(["id": "odd", "type": "visit"] as Document)
            try await database.write { transaction in
                for var visit in try transaction.fetchAll(Visit.self) where visit.minutes == nil {
                    visit.minutes = 0
                    try transaction.save(visit)
                }
            }
            let visits = try await database.fetchAll(Visit.self)
            #expect(visits.map(\.minutes) == [0])
            #expect(visits.unreadable.map(\.document.id) == ["odd"])
            try await database.addIndex(
                .keyPaths(name: "visitsByCustomer", keys: [["customer"]], filter: ["type": "visit"])
            )
            var range = QueryByKeyRange(prefix: "Bakery", level: 1)
            range.includeDocuments = true
            let ofBakeries = try await database.runQuery(on: "visitsByCustomer", with: range)
                .models(as: Visit.self)
            #expect(ofBakeries.map(\.customer) == ["Bakery Huber"])
        }
    }
}
