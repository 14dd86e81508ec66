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
            visit.minutes = 50
            visit = try await database.save(visit, onConflict: .merge)
            #expect(visit.minutes == 50)
            visit.minutes = nil
            visit = try await database.save(visit)
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
            for problem in visits.unreadable {
                print(problem.document.id, problem.error)
            }
            let open = try await database.fetchAll(
                Visit.self, where: \.status == .planned && \.minutes == nil)
            #expect(open.isEmpty)
            try await database.addIndex(
                .keyPaths(
                    Visit.self, name: "visitsByCustomer", keys: [\.customer], value: \.minutes,
                    reduce: .sum))
            let ofBakeries = try await database.fetchAll(
                Visit.self, on: "visitsByCustomer",
                with: QueryByKeyRange(prefix: "Bakery", level: 1))
            #expect(ofBakeries.map(\.customer) == ["Bakery Huber"])
            let minutes = try await database.runQuery(on: "visitsByCustomer").first?.value(
                as: Int.self)
            #expect(minutes == 0)
            var perCustomer = QueryByKeyRange()
            perCustomer.group = true
            for row in try await database.runQuery(on: "visitsByCustomer", with: perCustomer) {
                print(try row.key(as: String.self), try row.value(as: Int.self))
                #expect(try row.key(as: String.self) == "Bakery Huber")
            }
            let longest = Database.Index.models(
                Visit.self, name: "longest", version: "1", filter: \.status == .done,
                typedReduce: .init(Double.self) { $0.max() ?? 0 }
            ) { visit, rows in
                try rows.emit(visit.customer, value: visit.minutes)
            }
            try await database.addIndex(longest)
            try await database.add(Visit(customer: "Inn", status: .done, minutes: 20))
            #expect(try await database.runQuery(on: "longest").first?.value(as: Double.self) == 20)
        }
    }

    @Test func `attaches a photo`() async throws {
        try await withDatabase { database in
            let added = try await database.add(Visit(customer: "Bakery Moser"))
            let photo = Data("photo".utf8)
            if var visit = try await database.fetch(Visit.self, id: added.id) {
                visit.attachments.append(
                    DocumentAttachment(name: "photo.jpg", contentType: "image/jpeg", data: photo))
                visit = try await database.save(visit)
                let content = try visit.attachments[0].data()
                print(content.count)
                #expect(content == photo)
            }
        }
    }

    @Test @MainActor func `shows views what is there`() async throws {
        try await withDatabase { database in
            let added = try await database.add(Visit(customer: "Bakery Moser"))
            try await database.addIndex(
                .keyPaths(Visit.self, name: "visitsByCustomer", keys: [\.customer]))
            let visits = database.liveModels(Visit.self)
            let ofMiller = database.liveModels(Visit.self, where: \.customer == "Miller")
            let ofOne = database.liveModels(Visit.self, on: "visitsByCustomer")
            let one = database.liveModel(Visit.self, id: added.id)
            print(visits.isLoading, visits.value?.count ?? 0, visits.error ?? "no error")
            print(ofOne.value?.first?.customer ?? "none", ofMiller.value?.count ?? 0)
            #expect(visits.isLoading && ofOne.isLoading && one.isLoading)
            while visits.isLoading || ofMiller.isLoading || ofOne.isLoading || one.isLoading {
                await Task.yield()
            }
            #expect(ofMiller.value?.isEmpty == true)
            #expect(visits.value?.count == 1 && one.value?.customer == "Bakery Moser")
            #expect(ofOne.value?.first?.customer == "Bakery Moser")
        }
    }

    @Test func `goes through results, steps, states and changes`() async throws {
        try await withDatabase { database in
            let added = try await database.add(Visit(customer: "Bakery Moser"))
            try await database.addIndex(
                .keyPaths(Visit.self, name: "visitsByCustomer", keys: [\.customer]))
            var count = 0
            for try await visits in database.modelResults(Visit.self) {
                print(visits.count, visits.unreadable.count)
                count += visits.count
                break
            }
            for try await step in database.modelChanges(Visit.self, on: "visitsByCustomer") {
                print(step.rows.count, step.changes)
                count += step.rows.count
                break
            }
            for try await visit in database.modelStates(Visit.self, id: added.id) {
                print(visit?.customer ?? "none")
                count += 1
                break
            }
            for try await element in database.changes(of: Visit.self, since: 0, isLive: true) {
                let visit = try element.model(as: Visit.self)
                print(element.change.documentId, visit?.customer ?? "deleted")
                count += 1
                break
            }
            #expect(count == 4)
        }
    }
}
