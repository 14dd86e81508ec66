import CosmosModel
import Foundation
import Settle
import SettleCosmosEncryption
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Encryption of what is kept` {
    private static let secret = "Grace Brewster Murray"

    /// Whether the files of a cache hold a text.
    private func isReadable(_ text: String, in folder: URL) throws -> Bool {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard let data = try? Data(contentsOf: file) else { continue }
            if data.range(of: Data(text.utf8)) != nil { return true }
        }
        return false
    }

    @Test func `hides bodies, bytes, results and queued writes`() async throws {
        let encryptor = try Cosmos.AESGCMEncryptor(key: Cosmos.AESGCMEncryptor.makeKey())
        var account = try await OfflineAccount(cache: { $0.encryptor = encryptor })
        let query = Cosmos.Query().where("name", is: Self.secret)
        func found() async throws -> Int {
            try await account.client.query(
                documentsIn: "people", as: Person.self, inDatabase: "crm", with: query,
                andPartitionKey: "Bern"
            ).all().count
        }
        let person = try await account.create(Person(id: "1", city: "Bern", name: Self.secret))
            .resource
        try await account.client.create(
            attachmentWithId: "a", contentType: "text/plain", with: Data(Self.secret.utf8),
            onDocument: person)
        _ = try await found()
        account.goOffline()
        try await account.create(Person(id: "2", city: "Bern", name: Self.secret))
        #expect(try !isReadable(Self.secret, in: account.scratch.url))
        // What stays readable: identifiers.
        #expect(try isReadable("dbs/crm/colls/people/docs/1", in: account.scratch.url))
        try await account.restart()
        #expect(try await account.get("1", "Bern").resource.content.name == Self.secret)
        #expect(try await found() == 1)
        try await account.goOnline()
        #expect(try await account.remote("2", "Bern")?.name == Self.secret)
        try await account.close()
    }

    @Test func `with another key, or none, gives a clear error and destroys nothing`() async throws
    {
        let right = try Cosmos.AESGCMEncryptor(key: Cosmos.AESGCMEncryptor.makeKey())
        let wrong = try Cosmos.AESGCMEncryptor(key: Cosmos.AESGCMEncryptor.makeKey())
        var account = try await OfflineAccount(cache: { $0.encryptor = right })
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        for encryptor: (any Cosmos.ResourceEncryptor)? in [wrong, nil] {
            account.cache.encryptor = encryptor
            try await account.restart()
            await #expect {
                try await account.get("1", "Bern")
            } throws: { isError(.configureError)($0) }
            await #expect {
                try await account.create(Person(id: "2", city: "Bern"))
            } throws: { isError(.configureError)($0) }
        }
        account.client.resourceEncryptor = right
        #expect(try await account.get("1", "Bern").fromCache)
        try await account.goOnline()
        #expect(try await account.remote("1", "Bern") != nil)
        // A lost key: what is kept can be thrown away.
        account.client.resourceEncryptor = wrong
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.configureError)($0) }
        try await account.client.purgeEverythingOffline()
        #expect(try await account.get("1", "Bern").fromCache == false)
        try await account.close()
    }

    @Test func `begins with what was kept without a key`() async throws {
        var account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern", name: Self.secret))
        account.goOffline()
        try await account.create(Person(id: "2", city: "Bern", name: "Edith"))
        let encryptor = try Cosmos.AESGCMEncryptor(key: Cosmos.AESGCMEncryptor.makeKey())
        account.client.resourceEncryptor = encryptor
        #expect(try await account.get("1", "Bern").resource.content.name == Self.secret)
        account.cache.encryptor = encryptor
        try await account.restart()
        #expect(try await account.get("2", "Bern").resource.content.name == "Edith")
        try await account.goOnline()
        #expect(try await account.remote("2", "Bern")?.name == "Edith")
        account.client.resourceEncryptor = nil
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.configureError)($0) }
        try await account.close()
    }

    @Test func `takes keys of the sizes of AES, and finds damage`() throws {
        for size in [0, 15, 17, 31, 33] {
            #expect(throws: Cosmos.ClientError.self) {
                try Cosmos.AESGCMEncryptor(key: Data(count: size))
            }
        }
        for size in Cosmos.AESGCMEncryptor.keySizes {
            let encryptor = try Cosmos.AESGCMEncryptor(key: Data(repeating: 7, count: size))
            let sealed = try encryptor.encrypt(Data("text".utf8))
            #expect(try encryptor.decrypt(sealed) == Data("text".utf8))
            for index in sealed.indices {
                var damaged = sealed
                damaged[index] ^= 1
                #expect(throws: (any Error).self) { try encryptor.decrypt(damaged) }
            }
            #expect(throws: (any Error).self) { try encryptor.decrypt(Data()) }
        }
    }
}
