import Foundation
import Settle
import SettleREST
import Synchronization
import Testing
import TestSupport

@testable import SettleCosmos

@Suite struct `Permissions` {
    /// Gives permissions for what it is asked for and keeps the questions.
    final class Provider: Cosmos.PermissionProvider {
        let configuration: Cosmos.PermissionProviderConfiguration
        private let asked = Mutex<[String]>([])
        private let isFailing = Mutex(false)
        var questions: [String] { asked.withLock { $0 } }

        init(_ configuration: Cosmos.PermissionProviderConfiguration = .init()) {
            self.configuration = configuration
        }

        func fail() { isFailing.withLock { $0 = true } }

        private func give(_ link: String, _ mode: Cosmos.PermissionMode) throws -> Cosmos.Permission
        {
            let count = asked.withLock { asked in
                asked.append("\(link) \(mode.rawValue)")
                return asked.count
            }
            if isFailing.withLock({ $0 }) { throw CocoaError(.fileNoSuchFile) }
            return Cosmos.Permission(id: "p", mode: mode, resource: link, token: "token-\(count)")
        }

        func getPermission(
            forCollectionWithId id: String, inDatabase databaseId: String,
            withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission { try give("dbs/\(databaseId)/colls/\(id)", mode) }

        func getPermission(
            forDocumentWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission {
            try give("dbs/\(databaseId)/colls/\(collectionId)/docs/\(id)", mode)
        }

        func getPermission(
            forAttachmentWithId id: String, onDocument documentId: String,
            inCollection collectionId: String, inDatabase databaseId: String,
            withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission {
            try give(
                "dbs/\(databaseId)/colls/\(collectionId)/docs/\(documentId)/attachments/\(id)", mode
            )
        }

        func getPermission(
            forStoredProcedureWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission {
            try give("dbs/\(databaseId)/colls/\(collectionId)/sprocs/\(id)", mode)
        }

        func getPermission(
            forUserDefinedFunctionWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission {
            try give("dbs/\(databaseId)/colls/\(collectionId)/udfs/\(id)", mode)
        }

        func getPermission(
            forTriggerWithId id: String, inCollection collectionId: String,
            inDatabase databaseId: String, withPermissionMode mode: Cosmos.PermissionMode
        ) async throws -> Cosmos.Permission {
            try give("dbs/\(databaseId)/colls/\(collectionId)/triggers/\(id)", mode)
        }
    }

    final class Time: Sendable {
        private let seconds = Mutex(0.0)
        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func advance(_ by: Double) { seconds.withLock { $0 += by } }
    }

    private func request(
        _ link: String, _ type: Cosmos.ResourceType, _ mode: Cosmos.PermissionMode = .read
    ) -> Cosmos.SignedRequest {
        Cosmos.SignedRequest(
            method: "GET", resourceType: type.pathComponent, resourceLink: link, date: "",
            link: Cosmos.Link(link, isByResourceIds: false), type: type, mode: mode)
    }

    @Test func `are asked for collections by default, and serve what is in them`() async throws {
        let provider = Provider()
        let time = Time()
        let authorizer = Cosmos.PermissionAuthorizer(
            provider, account: "a", store: Cosmos.MemoryTokenStore(), now: { time.now })
        let document = request("dbs/d/colls/c/docs/1", .document)
        #expect(try await authorizer.authorization(for: document) == "token-1")
        #expect(
            try await authorizer.authorization(for: request("dbs/d/colls/c/docs/2", .document))
                == "token-1")
        #expect(
            try await authorizer.authorization(for: request("dbs/d/colls/c", .document))
                == "token-1")
        #expect(provider.questions == ["dbs/d/colls/c Read"])
        // To write takes another one, which then serves reads as well.
        let write = request("dbs/d/colls/c", .document, .all)
        #expect(try await authorizer.authorization(for: write) == "token-2")
        #expect(provider.questions.last == "dbs/d/colls/c All")
    }

    @Test func `are asked for exactly what a request concerns where the provider wants it so`()
        async throws
    {
        let provider = Provider(.init(defaultResourceType: nil))
        let authorizer = Cosmos.PermissionAuthorizer(
            provider, account: "a", store: Cosmos.MemoryTokenStore(), now: { Date() })
        let links: [(String, Cosmos.ResourceType)] = [
            ("dbs/d/colls/c/docs/1", .document), ("dbs/d/colls/c/sprocs/p", .storedProcedure),
            ("dbs/d/colls/c/udfs/f", .userDefinedFunction), ("dbs/d/colls/c/triggers/t", .trigger),
            ("dbs/d/colls/c/docs/2/attachments/a", .attachment), ("dbs/d/colls/c", .collection),
        ]
        for (link, type) in links {
            _ = try await authorizer.authorization(for: request(link, type))
        }
        #expect(provider.questions == links.map { "\($0.0) Read" })
    }

    @Test
    func `are asked for again with ten minutes left, and serve until their end when that fails`()
        async throws
    {
        let provider = Provider()
        let time = Time()
        let authorizer = Cosmos.PermissionAuthorizer(
            provider, account: "a", store: Cosmos.MemoryTokenStore(), now: { time.now })
        let document = request("dbs/d/colls/c/docs/1", .document)
        #expect(try await authorizer.authorization(for: document) == "token-1")
        time.advance(3_000)
        #expect(try await authorizer.authorization(for: document) == "token-1")
        time.advance(1)
        #expect(try await authorizer.authorization(for: document) == "token-2")
        time.advance(3_001)
        provider.fail()
        #expect(try await authorizer.authorization(for: document) == "token-2")
        time.advance(600)
        await #expect {
            try await authorizer.authorization(for: document)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .permissionError }
    }

    @Test func `are kept in a file that only its owner can read, and found by the next client`()
        async throws
    {
        let scratch = try ScratchDirectory("tokens")
        let url = scratch.url.appendingPathComponent("tokens.json")
        let first = Provider()
        let document = request("dbs/d/colls/c/docs/1", .document)
        let authorizer = Cosmos.PermissionAuthorizer(
            first, account: "a", store: Cosmos.FileTokenStore(at: url), now: { Date() })
        _ = try await authorizer.authorization(for: document)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let second = Provider()
        let other = Cosmos.PermissionAuthorizer(
            second, account: "a", store: Cosmos.FileTokenStore(at: url), now: { Date() })
        #expect(try await other.authorization(for: document) == "token-1")
        #expect(second.questions.isEmpty)
        // Another account has tokens of its own in the same file.
        let third = Cosmos.PermissionAuthorizer(
            second, account: "b", store: Cosmos.FileTokenStore(at: url), now: { Date() })
        _ = try await third.authorization(for: document)
        #expect(second.questions.count == 1)
        let store = Cosmos.FileTokenStore(at: url)
        #expect(try store.tokens(forAccount: "a") != nil)
        try store.save(nil, forAccount: "a")
        #expect(try store.tokens(forAccount: "a") == nil)
        #expect(try store.tokens(forAccount: "b") != nil)
    }

    @Test func `do not take the place of a file that is something else`() async throws {
        let scratch = try ScratchDirectory("tokens")
        let url = scratch.url.appendingPathComponent("letter.txt")
        let letter = Data("Dear Anna".utf8)
        try letter.write(to: url)
        let store = Cosmos.FileTokenStore(at: url)
        #expect(throws: (any Error).self) { try store.tokens(forAccount: "a") }
        #expect(throws: (any Error).self) { try store.save(Data([1]), forAccount: "a") }
        #expect(try Data(contentsOf: url) == letter)
        // The client gets along without.
        let authorizer = Cosmos.PermissionAuthorizer(
            Provider(), account: "a", store: store, now: { Date() })
        let document = request("dbs/d/colls/c/docs/1", .document)
        #expect(try await !authorizer.authorization(for: document).isEmpty)
        #expect(try Data(contentsOf: url) == letter)
    }

    @Test(arguments: ["all", "ALL", "read"])
    func `have modes in upper or lower case`(mode: String) {
        let permission = Cosmos.Permission(
            body: Cosmos.ResourceBody(writing: ["id": "p", "permissionMode": .string(mode)]))
        #expect(permission.permissionMode == (mode == "read" ? .read : .all))
    }

    @Test func `do not reach outside of collections`() async throws {
        let authorizer = Cosmos.PermissionAuthorizer(
            Provider(), account: "a", store: Cosmos.MemoryTokenStore(), now: { Date() })
        for request in [
            request("dbs/d", .database), request("dbs/d", .collection),
            request("dbs/d/users/u", .user),
            request("dbs/d/colls/c", .collection, .all),
        ] {
            await #expect {
                try await authorizer.authorization(for: request)
            } throws: { ($0 as? Cosmos.ClientError)?.kind == .permissionError }
        }
    }

    @Test func `that the service refuses are asked for once more`() async throws {
        let provider = Provider()
        let transport = StubTransport { sent, number in
            number == 0
                ? FullHTTPResponse(401)
                : FullHTTPResponse(200, ["id": "1", "city": "Berlin", "name": "Ada"])
        }
        let client = try Cosmos.Client.stubbed(by: transport, credentials: .permissions(provider))
        _ = try await client.get(
            documentWithId: "1", as: Person.self, inCollection: "c", withPartitionKey: "Berlin",
            inDatabase: "d")
        #expect(transport.sent.map { $0.header("authorization") } == ["token-1", "token-2"])
    }
}
