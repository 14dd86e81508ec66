import Foundation
import Settle
import SettleEntities
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// A reference of the app for entities of a type.
private final class Person: CustomReference, @unchecked Sendable {
    override class var staticType: EntityType { "person" }
    var fullName: String? { self["name"]?.string }
}

private struct Contact: EntityView {
    static let entityType: EntityType = "person"
    var identifier = UUID().uuidString
    var name: String
    var phone: String?
    var born: Date?
    var boss: EntityLink?
}

/// Runs the code of Docs/Guides/Entities.md.
@Suite(.serialized) struct `The guide to entities` {
    private let place: JourneyPlace

    init() throws {
        place = try JourneyPlace("entities")
    }

    private func configuration(_ table: URL) async throws -> ReplicationConfiguration {
        let token = try await TableServer.token(secret: JourneyServer.secret, subject: "test")
        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: table)
        configuration.options = ["token": token]
        return configuration
    }

    @Test func `tells of one person who is edited on two devices, offline, and then synchronized`()
        async throws
    {
        let table = try await place.server.start()
        let folder = place.directory.url
        let phone = try await Datastore.load(name: "phone", url: folder, device: "phone")
        let laptop = try await Datastore.load(name: "laptop", url: folder, device: "laptop")
        var configuration = try await configuration(table)

        configuration.scope = .entities
        configuration.conflictHandler = .entities

        let anna = Entity.identifiedBy("anna", createAs: "person", with: ["name": "Anna Moser"])
        _ = try await phone.get(entity: anna)
        try await phone.database.replicate(with: configuration)
        try await laptop.database.replicate(with: configuration)

        let onPhone = Entity.identifiedBy("anna")
        onPhone.addUpdates(["phone": "555-0100", "name": "Anna Huber"])
        try await phone.update(properties: [onPhone])

        let onLaptop = Entity.identifiedBy("anna")
        onLaptop.addUpdates(["address": "12 New Street", "name": "Anna M. Huber"])
        try await laptop.update(properties: [onLaptop])

        for device in [phone, laptop, phone] {
            try await device.database.replicate(with: configuration)
        }
        let merged = try await phone.get(allPropertiesOf: [onPhone])[0]
        print(merged["phone"]?.string ?? "", merged["address"]?.string ?? "")
        for entry in try await laptop.history(of: "name", in: onLaptop) {
            print(entry.datestamp, entry.device, entry.value?.value?.string ?? "")
        }

        for device in [phone, laptop] {
            let merged = try await device.get(allPropertiesOf: [onPhone])[0]
            #expect(merged["phone"] == "555-0100")
            #expect(merged["address"] == "12 New Street")
            #expect(merged["name"] == "Anna M. Huber")
            let names = try await device.history(of: "name", in: onPhone)
            #expect(names.map { $0.value?.value } == ["Anna Moser", "Anna Huber", "Anna M. Huber"])
            #expect(names.map(\.device) == ["phone", "phone", "laptop"])
            #expect(try device.database.replicationConflicts().isEmpty)
        }
        #expect(try phone.database.contents() == laptop.database.contents())
        for device in [phone, laptop] { await device.database.close() }
        try await place.server.stop()
    }

    @Test func `shows properties, references and types`() async throws {
        let folder = place.directory.url
        let datastore = try await Datastore.load(name: "people", url: folder)

        let bob = Entity.named("Bob", createAs: "person")
        let anna = Entity.named("Anna", createAs: "person", with: ["boss": bob, "born": Date()])
        let found = try await datastore.get(entity: anna)
        print(found.identifier ?? "", found.isResolved)

        anna.addUpdates(["phone": "555-0100", "height": 1.7])
        try await datastore.update(properties: [anna])
        let some = try await datastore.get(properties: ["phone", "height"], of: [anna, bob])
        print(some[0]["phone"]?.string ?? "none", some[1]["phone"]?.string ?? "none")
        #expect(some[0]["phone"] == "555-0100" && some[1]["phone"] == nil)

        var address = PropertyDictionary()
        address["street", as: "address"] = "12 New Street"
        address.set("555-0199", for: PropertyKey(array: "phone"))
        let club = Entity.named("Chess club", createAs: "club")
        address.set("treasurer", for: PropertyKey(reference: club, name: "role"))
        found.addUpdates(address)
        try await datastore.add(properties: [found])
        #expect(try await datastore.get(allPropertiesOf: [anna])[0].count == 8)

        try await datastore.declare("employee", conformingTo: ["person"])
        let counts = try await datastore.count(entitiesOfTypes: ["person", "club"])
        let people = try await datastore.get(allPropertiesOfType: "person")
        #expect(counts == [2, 1] && people.count == 2)

        let subordinates = try await datastore.relationships(to: bob)
        print(subordinates.map { $0.source.identifier ?? "" }, subordinates.map(\.key))
        #expect(subordinates.map(\.source) == [found])

        try await datastore.remove(properties: ["height"], of: [anna])
        try await datastore.delete(entities: [bob])
        #expect(try await datastore.count(entitiesOfTypes: ["person"]) == [1])

        datastore.register(classes: [Person.self])
        let cleo = try await datastore.get(allPropertiesOf: [Person(named: "Cleo")])[0]
        print((cleo as? Person)?.fullName ?? "")
        #expect((cleo as? Person)?.fullName == "Cleo")

        try await datastore.save(Contact(identifier: "dan", name: "Dan", boss: EntityLink("cleo")))
        try await datastore.update(Contact.self, identifiedBy: "dan") { $0.phone = "555-0111" }
        if let dan = try await datastore.get(Contact.self, identifiedBy: "dan") {
            print(dan.name, dan.phone ?? "none")
        }
        #expect(try await datastore.get(Contact.self, identifiedBy: "dan")?.phone == "555-0111")
        await datastore.database.close()
    }

    @Test func `shows history, changes and the interchange`() async throws {
        let folder = place.directory.url
        let database = try await place.database("history")

        let datastore = try await Datastore.open(over: database)
        let anna = Entity.identifiedBy("anna", createAs: "person", with: ["phone": "1"])
        _ = try await datastore.get(entity: anna)
        anna.addUpdates(["phone": "2"])
        try await datastore.update(properties: [anna])

        let phones = try await datastore.history(of: "phone", in: anna)
        let yesterday = Date(timeIntervalSinceNow: -86_400)
        let then = try await datastore.get(allPropertiesOf: [anna], asOf: yesterday)[0]
        let changed = try await datastore.changes(after: yesterday, through: Date())
        try await datastore.putBack([phones[0]])
        #expect(!then.isResolved && changed.count == 3)
        #expect(try await datastore.get(allPropertiesOf: [anna])[0]["phone"] == "1")

        try await datastore.prune(olderThan: yesterday)
        try await datastore.prune(keeping: 10)

        let changes = datastore.changes()
        let observer = datastore.observeChanges { changes in
            print(changes.action, changes.added.count, changes.changed.count, changes.keys)
        }
        anna.addUpdates(["phone": "3"])
        try await datastore.update(properties: [anna])
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.keys == ["phone"])
        observer.cancel()

        let file = folder.appendingPathComponent("people.json")
        try await datastore.encodeJSON(to: file)
        let summary = try await datastore.decode(jsonAt: file)
        print(summary.entityCount, summary.skipped.map(\.reason))
        #expect(summary.entityCount == 1)

        let byCity = Database.Index.keyPaths(
            name: "byCity", keys: [["properties", "city"]],
            filter: ["isDeleted": ["$exists": false], "type": "person"])
        try await datastore.database.addIndex(byCity)
        anna.addUpdates(["city": "Graz"])
        try await datastore.update(properties: [anna])
        #expect(
            try await datastore.database.runQuery(on: "byCity").rows.map(\.documentId) == ["anna"])
        await database.close()
    }

    @Test func `shows only lines that are run here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Entities.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 60)
    }
}
