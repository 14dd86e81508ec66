import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `A typed view of an entity` {
    struct Address: Codable, Equatable {
        var street: String
        var number: Int
    }

    struct Person: EntityView, Equatable {
        static let entityType: EntityType = "person"
        var identifier: String
        var name: String
        var height: Double?
        var born: Date?
        var photo: Data?
        var boss: EntityLink?
        var tags: [String]?
        var address: Address?
        var isActive: Bool?

        enum CodingKeys: String, CodingKey {
            case identifier, name, height, born, photo, boss, tags, address
            case isActive = "active"
        }
    }

    private static let anna = Person(
        identifier: "anna", name: "Anna", height: 2, born: Date(timeIntervalSince1970: 1.5),
        photo: Data([1, 2]), boss: EntityLink("bob"), tags: ["a"],
        address: Address(street: "New St", number: 1), isActive: true)

    @Test func `is read as it was saved, with each kind of value`() async throws {
        try await Store.with { store in
            try await store.datastore.save(Self.anna)
            #expect(try await store.datastore.get(Person.self, identifiedBy: "anna") == Self.anna)
            let read = try await store.read("anna")
            #expect(read["born"]?.date == Self.anna.born)
            #expect(read["photo"]?.data == Self.anna.photo)
            #expect(read["boss"] == .entity("bob"))
            #expect(read["address"] == ["street": "New St", "number": 1])
            #expect(read["active"] == true)
            #expect(read["identifier"] == nil)
            #expect(read.type == "person")
            #expect(try await store.datastore.getAll(Person.self) == [Self.anna])
        }
    }

    @Test func `writes only what differs, and leaves alone what it has no member for`() async throws
    {
        try await Store.with { store in
            try await store.update(
                "anna", ["name": PropertyValue("Anna", as: "label"), "height": 2.0, "other": 1])
            let revision = try await store.database.fetchDocument("anna")?.metaData.revision
            try await store.datastore.save(Person(identifier: "anna", name: "Anna", height: 2))
            #expect(try await store.database.fetchDocument("anna")?.metaData.revision == revision)
            store.time.advance()
            try await store.datastore.update(Person.self, identifiedBy: "anna") { person in
                person.name = "Ann"
                person.height = nil
            }
            let read = try await store.read("anna")
            #expect(read["name", as: "label"] == "Ann")
            #expect(read.keys == ["name", "other"])
            #expect(read[datestampWithKey: "other"] == store.time.date.addingTimeInterval(-1))
            #expect(try await store.values(of: "height", in: "anna") == [2.0, nil])
        }
    }

    @Test func `is nil where there is no such entity of its type, and says what it cannot read`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            #expect(try await datastore.get(Person.self, identifiedBy: "none") == nil)
            #expect(
                try await datastore.update(Person.self, identifiedBy: "none") { $0.name = "" }
                    == nil)
            _ = try await datastore.get(entity: Entity.identifiedBy("stone", createAs: "stone"))
            #expect(try await datastore.get(Person.self, identifiedBy: "stone") == nil)
            try await store.update("anna", ["name": 3])
            let error = try await #require(throws: DatastoreError.self) {
                _ = try await datastore.get(Person.self, identifiedBy: "anna")
            }
            #expect(error.code == .unreadable)
            #expect(error.entity == "anna")
            #expect(error.cause is DecodingError)
        }
    }
}
