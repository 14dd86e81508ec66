import CosmosModel
import Settle
import Testing

@testable import SettleCosmos

@Suite struct `Queries, patches and batches at the service` {
    private func account() async throws -> ModelAccount {
        let account = try await ModelAccount(rangeCount: 3)
        for number in 0..<12 {
            try await account.create(
                Person(
                    id: "\(number)", city: "city-\(number % 3)", name: "name \"\(number)\"",
                    age: number))
        }
        return account
    }

    @Test func `find documents of one partition and of all`() async throws {
        let client = try await account().client
        let old = Cosmos.Query().from("Person").where("age", isGreaterThanOrEqualTo: 6)
        let one = try await client.query(
            documentsIn: "people", as: Person.self, inDatabase: "crm", with: old,
            andPartitionKey: "city-0"
        ).all()
        #expect(Set(one.map(\.id)) == ["6", "9"])
        #expect(one.first?.altLink?.hasPrefix("dbs/crm/colls/people/docs/") == true)
        let all = try await client.query(
            documentsAcrossAllPartitionsIn: "people", as: Person.self, inDatabase: "crm",
            with: old.withParameters(), maxPerPage: 2
        ).all()
        #expect(Set(all.map(\.id)) == ["6", "7", "8", "9", "10", "11"])
        let collection = try await client.get(collectionWithId: "people", inDatabase: "crm")
            .resource
        let ordered = try await client.query(
            documentsIn: collection, as: Person.self,
            with: Cosmos.Query().where("name", in: ["name \"1\"", "name \"4\"", "name \"2\""])
                .or("age", is: 7).orderBy("age", descending: true), andPartitionKey: "city-1"
        ).all()
        #expect(ordered.map(\.id) == ["7", "4", "1"])
        #expect(
            try await client.query(
                documentsAcrossAllPartitionsIn: collection, as: Person.self,
                with: Cosmos.Query().where("age", isLessThan: 0)
            ).all().isEmpty)
    }

    @Test func `give parts of documents and other values`() async throws {
        let client = try await account().client
        let parts = try await client.query(
            documentPropertiesIn: "people", inDatabase: "crm",
            with: Cosmos.Query.select("name", "age").where("age", is: 3), andPartitionKey: "city-0"
        ).all()
        #expect(parts.map(\.members) == [["name": "name \"3\"", "age": 3]])
        let ages = try await client.query(
            documentPropertiesAcrossAllPartitionsIn: "people", inDatabase: "crm",
            with: Cosmos.Query(
                "SELECT VALUE c.age FROM c WHERE c.age < @limit",
                parameters: [.init("@limit", 3)])
        ).all()
        #expect(Set(ages.map(\.value)) == [0, 1, 2])
    }

    @Test func `with a fault are refused`() async throws {
        let client = try await account().client
        await #expect {
            try await client.query(
                documentPropertiesIn: "people", inDatabase: "crm",
                with: Cosmos.Query("SELEKT * FROM c"), andPartitionKey: "city-0"
            ).first()
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .badRequest }
    }

    @Test func `change members, on a condition or a version`() async throws {
        let account = try await account()
        let client = account.client
        let patched = try await client.patch(
            documentWithId: "3", as: Person.self,
            with: [.set(path: "/name", value: "new"), .increment(path: "/age", by: 2)],
            inCollection: "people", withPartitionKey: "city-0", inDatabase: "crm"
        ).resource
        #expect(patched.name == "new" && patched.age == 5)
        let again = try await client.patch(patched, with: [.remove(path: "/age")]).resource
        #expect(again.age == nil)
        await #expect {
            try await client.patch(patched, with: [.set(path: "/name", value: "late")])
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .preconditionFailed }
        for operations in [
            [], Array(repeating: Cosmos.PatchOperation.remove(path: "/a"), count: 11),
        ] {
            await #expect {
                try await client.patch(again, with: operations)
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
        }
    }

    @Test func `are carried out together or not at all`() async throws {
        let account = try await account()
        let client = account.client
        var batch = Cosmos.Batch()
        try batch.create(Person(id: "new", city: "city-0"))
        try batch.replace(Person(id: "0", city: "city-0", name: "replaced"))
        batch.patch(documentWithId: "3", [.increment(path: "/age", by: 1)])
        batch.delete(documentWithId: "6")
        batch.get(documentWithId: "new")
        let results = try await client.perform(
            batch, inCollection: "people", withPartitionKey: "city-0", inDatabase: "crm"
        ).resource
        #expect(results.map(\.statusCode) == [201, 200, 200, 204, 200])
        #expect(try results[4].document(as: Person.self)?.content.id == "new")
        #expect(try await account.get("3", "city-0").age == 4)
        var failing = Cosmos.Batch()
        try failing.createOrReplace(Person(id: "other", city: "city-0"))
        try failing.create(Person(id: "new", city: "city-0"))
        await #expect {
            try await client.perform(
                failing, inCollection: "people", withPartitionKey: "city-0", inDatabase: "crm")
        } throws: {
            let error = $0 as? Cosmos.ClientError
            return error?.kind == .conflict && error?.message.contains("operation 2") == true
        }
        await #expect {
            try await account.get("other", "city-0")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .notFound }
        await #expect {
            try await client.perform(
                Cosmos.Batch(), inCollection: "people", withPartitionKey: "city-0",
                inDatabase: "crm")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
    }

    @Test func `run stored procedures with arguments`() async throws {
        var configuration = AccountConfiguration()
        configuration.scripts.procedures["sum"] = { invocation in
            ScriptResult(
                .integer(invocation.arguments.compactMap(\.integerValue).reduce(0, +)))
        }
        let service = ModelService(configuration: configuration)
        let client = try Cosmos.Client.stubbed(by: ModelTransport(service: service))
        try await client.create(databaseWithId: "d")
        let collection = try await client.create(
            collectionWithId: "c", andPartitionKey: "/id", inDatabase: "d"
        ).resource
        let procedure = try await client.create(
            storedProcedureWithId: "sum", andBody: "function () {}", in: collection
        ).resource
        let result = try await client.execute(
            procedure, usingParameters: [1, 2, 39], andPartitionKey: "x")
        #expect(String(decoding: result.resource, as: UTF8.self) == "42")
    }
}
