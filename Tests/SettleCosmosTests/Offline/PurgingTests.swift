import CosmosModel
import Foundation
import HTTPTypes
import Settle
import SettleCosmosEncryption
import SettleREST
import SettleSync
import TestSupport
import Testing

@testable import SettleCosmos

/// A line that breaks at each write, when a gate is open.
private struct BreakingLine: HTTPTransport {
    let service: ModelService
    let gate: FaultGate

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        if request.method == .post {
            await gate.pass()
            throw ReplicationError(.unreachable, "The connection was cut.")
        }
        return try await ModelTransport(service: service)
            .send(request, body: body, bodySizeMax: bodySizeMax)
    }
}

/// Two clients of one account and folder, as two windows of an app have them: what one throws away stays away.
@Suite struct `Throwing away what is kept` {
    private func second(_ account: OfflineAccount) throws -> Cosmos.Client {
        try .stubbed(
            by: ModelTransport(service: account.service), clock: account.clock, retries: .never,
            now: account.now, cache: account.cache)
    }

    @Test(arguments: ["get", "list", "query", "upsert"])
    func `holds for what another client has asked for before`(_ call: String) async throws {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        let other = try second(account)
        _ = try await other.get(collectionWithId: "people", inDatabase: "crm")
        try await account.client.purgeEverythingOffline()
        let gate = FaultGate()
        account.service.add(FaultRule(.delayAfter(gate)) { $0.path.contains("docs") })
        let asking = Task {
            switch call {
            case "get":
                _ = try await other.get(
                    documentWithId: "1", as: Person.self, inCollection: "people",
                    withPartitionKey: "Bern", inDatabase: "crm")
            case "list":
                _ = try await other.get(
                    documentsAs: Person.self, inCollection: "people", inDatabase: "crm"
                ).all()
            case "query":
                _ = try await other.query(
                    documentsIn: "people", as: Person.self, inDatabase: "crm",
                    with: Cosmos.Query().where("name", is: "Ada"), andPartitionKey: "Bern"
                ).all()
            default:
                try await other.createOrReplace(
                    Person(id: "1", city: "Bern", name: "Grace"), inCollection: "people",
                    inDatabase: "crm")
            }
        }
        await gate.arrivals()
        try await account.client.purgeEverythingOffline()
        gate.open()
        try await asking.value
        // A list and a query read the definition of the collection afterwards.
        #expect(try await account.paths().allSatisfy { !$0.contains("/docs/") })
        #expect(try await account.paths().allSatisfy { !$0.contains("/queries/") })
        account.goOffline()
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.unreachable)($0) }
        other.reset()
        try await account.close()
    }

    @Test func `holds for a write that another client has begun before`() async throws {
        let account = try await OfflineAccount()
        let gate = FaultGate()
        let line = BreakingLine(service: account.service, gate: gate)
        let other = try Cosmos.Client.stubbed(
            by: line, clock: account.clock, retries: .never, now: account.now, cache: account.cache)
        _ = try await other.get(collectionWithId: "people", inDatabase: "crm")
        let writing = Task {
            try await other.create(
                Person(id: "1", city: "Bern"), inCollection: "people", inDatabase: "crm")
        }
        await gate.arrivals()
        try await account.client.purgeEverythingOffline()
        gate.open()
        await #expect { try await writing.value } throws: { isError(.unreachable)($0) }
        #expect(try await account.client.queuedWrites().isEmpty)
        // What is written later is queued, once the device knows the collection.
        _ = try await other.get(collectionWithId: "people", inDatabase: "crm")
        #expect(
            try await other.create(
                Person(id: "2", city: "Bern"), inCollection: "people", inDatabase: "crm"
            ).fromCache)
        other.reset()
        try await account.close()
    }

    @Test func `has every client check its key again`() async throws {
        let old = try Cosmos.AESGCMEncryptor(key: Cosmos.AESGCMEncryptor.makeKey())
        let new = try Cosmos.AESGCMEncryptor(key: Cosmos.AESGCMEncryptor.makeKey())
        let account = try await OfflineAccount(cache: { $0.encryptor = old })
        let other = try second(account)
        _ = try await other.get(collectionWithId: "people", inDatabase: "crm")
        try await account.client.purgeEverythingOffline()
        account.client.resourceEncryptor = new
        _ = try await account.client.get(collectionWithId: "people", inDatabase: "crm")
        // It still has the old key: nothing of it may be written among what the new one has encrypted.
        await #expect {
            try await other.get(collectionWithId: "people", inDatabase: "crm")
        } throws: { isError(.configureError)($0) }
        #expect(
            try await account.client.get(collectionWithId: "people", inDatabase: "crm").statusCode
                == 200)
        other.reset()
        try await account.close()
    }

    @Test func `is not undone by another process, which cannot have the folder`() async throws {
        let account = try await OfflineAccount()
        account.client.reset()
        await Cosmos.OfflineStores.shared.close(try account.folder)
        // As another process would.
        let lock = try Cosmos.FolderLock(try account.folder)
        let other = try second(account)
        await #expect {
            try await other.get(databaseWithId: "crm")
        } throws: { isError(.configureError)($0) }
        lock.release()
        #expect(try await other.get(databaseWithId: "crm").fromCache)
        other.reset()
        try await account.close()
    }
}
