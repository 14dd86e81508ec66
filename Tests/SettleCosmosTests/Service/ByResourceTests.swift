import CosmosModel
import Foundation
import Settle
import Testing

@testable import SettleCosmos

/// The calls that take the resource around, for everything that is there by ids.
@Suite struct `Calls by the resource around` {
    @Test func `name collections, users and permissions`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        let database = try await client.get(databaseWithId: "crm").resource
        let people = try await client.replace(
            collectionWithId: "people", andPartitionKey: "/city", in: database,
            defaultTimeToLive: 60
        ).resource
        #expect(people.defaultTimeToLive == 60)
        try await client.create(userWithId: "ada", in: database)
        #expect(try await client.get(userWithId: "ada", in: database).resource.id == "ada")
        let user = try await client.replace(
            userWithId: "ada", withNewUserId: "grace", in: database
        ).resource
        try await client.create(
            permissionWithId: "p", mode: .read, in: people, forUser: user)
        let permission = try await client.replace(
            permissionWithId: "p", mode: .all, in: people, forUser: user
        ).resource
        #expect(permission.permissionMode == .all)
        #expect(try await client.get(permissionWithId: "p", forUser: user).resource.id == "p")
        try await client.delete(permissionWithId: "p", fromUser: user)
        #expect(try await client.get(permissionsFor: user).all().isEmpty)
        try await client.delete(userWithId: "grace", from: database)
        #expect(try await client.get(usersIn: database).all().isEmpty)
        try await client.delete(collectionWithId: "people", from: database)
        await #expect {
            try await client.get(collectionWithId: "people", in: database)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .notFound }
    }

    @Test func `name code`() async throws {
        var configuration = AccountConfiguration()
        configuration.scripts.procedures["p"] = { _ in ScriptResult(7) }
        let client = try Cosmos.Client.stubbed(
            by: ModelTransport(service: ModelService(configuration: configuration)))
        try await client.create(databaseWithId: "d")
        let items = try await client.create(
            collectionWithId: "c", andPartitionKey: "/id", inDatabase: "d"
        ).resource
        try await client.create(storedProcedureWithId: "p", andBody: "function () {}", in: items)
        let procedure = try await client.replace(
            storedProcedureWithId: "p", andBody: "function () { return 7 }", in: items
        ).resource
        #expect(procedure.code == "function () { return 7 }")
        #expect(
            try await client.get(storedProcedureWithId: "p", in: items).resource == procedure)
        let result = try await client.execute(
            storedProcedureWithId: "p", andPartitionKey: "x", in: items)
        #expect(String(decoding: result.resource, as: UTF8.self) == "7")
        try await client.delete(storedProcedureWithId: "p", from: items)
        #expect(try await client.get(storedProceduresIn: items).all().isEmpty)

        try await client.create(
            userDefinedFunctionWithId: "f", andBody: "function () {}", in: items)
        try await client.replace(
            userDefinedFunctionWithId: "f", andBody: "function (a) {}", in: items)
        #expect(
            try await client.get(userDefinedFunctionWithId: "f", in: items).resource.code
                == "function (a) {}")
        try await client.delete(userDefinedFunctionWithId: "f", from: items)

        try await client.create(
            triggerWithId: "t", operation: .create, type: .pre, andBody: "function () {}",
            in: items)
        try await client.replace(
            triggerWithId: "t", operation: .all, type: .post, andBody: "function () {}", in: items)
        #expect(try await client.get(triggerWithId: "t", in: items).resource.moment == .post)
        try await client.delete(triggerWithId: "t", from: items)
        #expect(try await client.get(triggersIn: items).all().isEmpty)
    }

    @Test func `name documents, parts of them, and attachments`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        let people = try await client.get(collectionWithId: "people", inDatabase: "crm").resource
        let ada = try await account.create(Person(id: "1", city: "London"))
        let patched = try await client.patch(
            documentWithId: "1", as: Person.self, with: [.set(path: "/age", value: 3)], in: people,
            withPartitionKey: "London"
        ).resource
        #expect(patched.age == 3)
        var batch = Cosmos.Batch()
        try batch.create(Person(id: "2", city: "London", age: 5))
        #expect(
            try await client.perform(batch, in: people, withPartitionKey: "London").resource.count
                == 1)
        let query = Cosmos.Query("SELECT VALUE c.age FROM c ORDER BY c.age")
        let one = try await client.query(
            documentPropertiesIn: people, with: query, andPartitionKey: "London"
        ).all()
        #expect(one.map(\.value) == [3, 5])
        let all = try await client.query(
            documentPropertiesAcrossAllPartitionsIn: people, with: query
        ).all()
        #expect(all.map(\.value) == [3, 5])
        let url = try #require(URL(string: "https://example.org/photo.jpg"))
        try await client.create(
            attachmentWithId: "photo", contentType: "image/jpeg", andMediaUrl: url, onDocument: ada)
        let other = try #require(URL(string: "https://example.org/other.jpg"))
        try await client.replace(
            attachmentWithId: "photo", contentType: "image/png", andMediaUrl: other, onDocument: ada
        )
        let photo = try await client.get(attachmentWithId: "photo", onDocument: ada).resource
        #expect(photo.contentType == "image/png")
        try await client.delete(attachmentWithId: "photo", fromDocument: ada)
        #expect(try await client.get(attachmentsOn: ada).all().isEmpty)
        try await client.create(
            attachmentWithId: "text", contentType: "text/plain", with: Data("one".utf8),
            onDocument: ada)
        try await client.replace(
            attachmentWithId: "text", contentType: "text/plain", with: Data("two".utf8),
            onDocument: ada)
        let text = try await client.get(attachmentWithId: "text", onDocument: ada).resource
        let content = try await client.get(contentOf: text, withPartitionKey: "London").resource
        #expect(content == Data("two".utf8))
    }
}
