import CosmosModel
import Foundation
import Settle
import SettleREST
import Testing

@testable import SettleCosmos

@Suite struct `Resources of the service` {
    @Test func `are made, listed, read, replaced and deleted by ids`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        #expect(try await client.databases().all().map(\.id) == ["crm"])
        let database = try await client.get(databaseWithId: "crm").resource
        #expect(database.altLink == "dbs/crm" && !database.resourceId.isEmpty)
        #expect(try await client.get(collectionsIn: "crm").all().map(\.id) == ["people"])
        let collection = try await client.get(collectionWithId: "people", inDatabase: "crm")
            .resource
        #expect(collection.partitionKey?.paths == ["/city"])
        #expect(collection.altLink == "dbs/crm/colls/people")
        #expect(collection.documentsLink == collection.selfLink.map { $0 + "docs/" })
        let replaced = try await client.replace(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm",
            usingPolicy: .init(excludedPaths: ["/secret/?"]), defaultTimeToLive: 60
        ).resource
        #expect(replaced.defaultTimeToLive == 60)
        #expect(replaced.indexingPolicy?.excludedPaths.contains("/secret/?") == true)

        try await client.create(
            storedProcedureWithId: "p", andBody: "function () {}", inCollection: "people",
            inDatabase: "crm")
        #expect(
            try await client.replace(
                storedProcedureWithId: "p", andBody: "function () { return 1 }",
                inCollection: "people", inDatabase: "crm"
            ).resource.code == "function () { return 1 }")
        #expect(
            try await client.get(storedProceduresIn: "people", inDatabase: "crm").all().map(\.id)
                == ["p"])
        #expect(
            try await client.get(
                storedProcedureWithId: "p", inCollection: "people", inDatabase: "crm"
            ).resource.id == "p")
        try await client.delete(
            storedProcedureWithId: "p", fromCollection: "people", fromDatabase: "crm")

        try await client.create(
            userDefinedFunctionWithId: "f", andBody: "function () {}", inCollection: "people",
            inDatabase: "crm")
        try await client.replace(
            userDefinedFunctionWithId: "f", andBody: "function (a) {}", inCollection: "people",
            inDatabase: "crm")
        #expect(
            try await client.get(userDefinedFunctionsIn: "people", inDatabase: "crm").all()
                .map(\.code) == ["function (a) {}"])
        #expect(
            try await client.get(
                userDefinedFunctionWithId: "f", inCollection: "people", inDatabase: "crm"
            ).resource.id == "f")
        try await client.delete(
            userDefinedFunctionWithId: "f", fromCollection: "people", fromDatabase: "crm")

        try await client.create(
            triggerWithId: "t", operation: .create, type: .pre, andBody: "function () {}",
            inCollection: "people", inDatabase: "crm")
        try await client.replace(
            triggerWithId: "t", operation: .all, type: .post, andBody: "function () {}",
            inCollection: "people", inDatabase: "crm")
        let trigger = try #require(
            try await client.get(triggersIn: "people", inDatabase: "crm").all().first)
        #expect(trigger.operation == .all && trigger.moment == .post)
        #expect(
            try await client.get(triggerWithId: "t", inCollection: "people", inDatabase: "crm")
                .resource.id == "t")
        try await client.delete(triggerWithId: "t", fromCollection: "people", fromDatabase: "crm")

        #expect(
            try await client.get(partitionKeyRangesIn: "people", inDatabase: "crm").all().map(\.id)
                == ["0"])
        try await client.delete(collectionWithId: "people", fromDatabase: "crm")
        try await client.delete(databaseWithId: "crm")
        #expect(try await client.databases().all().isEmpty)
        await #expect {
            try await client.get(databaseWithId: "crm")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .notFound }
    }

    @Test func `are made, listed, replaced, refreshed and deleted by what was read`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        let database = try await client.get(databaseWithId: "crm").resource
        var collection = try await client.create(
            collectionWithId: "orders", andPartitionKey: .init(paths: ["/tenant", "/user"]),
            in: database
        ).resource
        collection.defaultTimeToLive = -1
        collection = try await client.replace(collection).resource
        #expect(collection.defaultTimeToLive == -1)
        #expect(collection.partitionKey?.paths == ["/tenant", "/user"])
        let again = try await client.refresh(collection)
        #expect(again.statusCode == 304 && again.resource == collection)
        #expect(
            Set(try await client.get(collectionsIn: database).all().map(\.id)) == [
                "orders", "people",
            ])
        let procedure = try await client.create(
            storedProcedureWithId: "p", andBody: "function () {}", in: collection
        ).resource
        #expect(procedure.altLink == "dbs/crm/colls/orders/sprocs/p")
        try await client.delete(procedure)
        #expect(try await client.get(storedProceduresIn: collection).all().isEmpty)
        try await client.delete(collection)
        await #expect {
            try await client.refresh(collection)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .notFound }
    }

    @Test func `give users permissions whose tokens let another client in`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        try await client.create(userWithId: "u", inDatabase: "crm")
        let user = try await client.get(userWithId: "u", inDatabase: "crm").resource
        let collection = try await client.get(collectionWithId: "people", inDatabase: "crm")
            .resource
        let permission = try await client.create(
            permissionWithId: "p", mode: .all, in: collection, forUser: user
        ).resource
        #expect(permission.token?.isEmpty == false && permission.permissionMode == .all)
        #expect(try await client.get(usersIn: "crm").all().map(\.id) == ["u"])
        #expect(
            try await client.get(permissionsFor: "u", inDatabase: "crm").all().map(\.id) == ["p"])
        let provider = Given(permission: permission)
        let other = try Cosmos.Client.stubbed(
            by: ModelTransport(service: account.service), credentials: .permissions(provider))
        try await other.create(
            Person(id: "1", city: "Bern"), inCollection: "people", inDatabase: "crm")
        #expect(try await account.get("1", "Bern").content == Person(id: "1", city: "Bern"))
        try await client.delete(permissionWithId: "p", fromUser: "u", inDatabase: "crm")
        try await client.replace(userWithId: "u", withNewUserId: "v", inDatabase: "crm")
        try await client.delete(userWithId: "v", fromDatabase: "crm")
        #expect(try await client.get(usersIn: database(client)).all().isEmpty)
    }

    private func database(_ client: Cosmos.Client) async throws -> Cosmos.Database {
        try await client.get(databaseWithId: "crm").resource
    }

    @Test func `have throughput that can be changed`() async throws {
        let account = try await ModelAccount()
        var options = Cosmos.RequestOptions()
        options.throughput = 400
        try await account.client.create(
            collectionWithId: "orders", andPartitionKey: "/id", inDatabase: "crm", options: options)
        var offer = try #require(
            try await account.client.offers().all().first { $0.throughput == 400 })
        offer.throughput = 1_000
        let replaced = try await account.client.replace(offer).resource
        #expect(replaced.throughput == 1_000)
        let read = try await account.client.get(offerWithId: offer.resourceId).resource
        #expect(read.throughput == 1_000)
    }

    @Test func `are attachments by their address and by their bytes`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        let document = try await account.create(Person(id: "1", city: "Bern"))
        let url = try #require(URL(string: "https://example.org/a.jpg"))
        let linked = try await client.create(
            attachmentWithId: "a", contentType: "image/jpeg", andMediaUrl: url, onDocument: document
        ).resource
        #expect(linked.media == url.absoluteString && linked.contentType == "image/jpeg")
        let bytes = Data([1, 2, 3, 0, 255])
        let kept = try await client.create(
            attachmentWithId: "b", contentType: "image/png", with: bytes, onDocument: "1",
            inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm"
        ).resource
        #expect(
            try await client.get(contentOf: kept, withPartitionKey: "Bern").resource == bytes)
        #expect(
            Set(try await client.get(attachmentsOn: document).all().map(\.id)) == ["a", "b"])
        await #expect {
            try await client.get(contentOf: linked)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .resourceRequestError }
        try await client.delete(
            attachmentWithId: "a", fromDocument: "1", inCollection: "people",
            withPartitionKey: "Bern", inDatabase: "crm")
        #expect(
            try await client.get(
                attachmentsOn: "1", inCollection: "people", withPartitionKey: "Bern",
                inDatabase: "crm"
            ).all().map(\.id) == ["b"])
    }

    /// Gives one permission, whatever is asked for.
    struct Given: Cosmos.PermissionProvider {
        let permission: Cosmos.Permission

        func getPermission(
            forCollectionWithId id: String, inDatabase databaseId: String,
            withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { permission }

        func getPermission(
            forDocumentWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { permission }

        func getPermission(
            forAttachmentWithId id: String, onDocument documentId: String,
            inCollection collectionId: String, inDatabase databaseId: String,
            withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { permission }

        func getPermission(
            forStoredProcedureWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { permission }

        func getPermission(
            forUserDefinedFunctionWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { permission }

        func getPermission(
            forTriggerWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { permission }
    }
}
