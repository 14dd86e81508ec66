import CosmosModel
import Foundation
import SettleREST
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `A queue after a restart` {
    @Test func `is sent without a call of the app`() async throws {
        var account = try await OfflineAccount()
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        let told = events(of: account.client)
        try await account.restart(isOnline: true)
        #expect(await told.value.lines == ["sent create 1", "processed"])
        #expect(try await account.remote("1", "Bern") != nil)
        try await account.close()
    }

    @Test func `is sent when the key is set that it is encrypted with`() async throws {
        var account = try await OfflineAccount(cache: { $0.encryptor = Reverser() })
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        let told = events(of: account.client)
        account.cache.encryptor = nil
        try await account.restart(isOnline: true)
        account.client.resourceEncryptor = Reverser()
        #expect(await told.value.lines == ["sent create 1", "processed"])
        try await account.close()
    }

    @Test func `makes no store where nothing was ever kept`() async throws {
        let scratch = try ScratchDirectory("cosmos")
        let cache = Cosmos.CacheConfiguration(folder: scratch.url)
        let client = try Cosmos.Client.stubbed(
            by: StubTransport { _, _ in FullHTTPResponse(500) }, cache: cache)
        let folder = cache.folder(of: try Cosmos.Account(named: "contoso"))
        client.offlineDataEnabled = false
        client.isNetworkAvailable = false
        client.isNetworkAvailable = true
        client.resourceEncryptor = nil
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        client.reset()
        withExtendedLifetime(scratch) {}
    }
}

/// An encryptor for tests, with no key at all.
private struct Reverser: Cosmos.ResourceEncryptor {
    func encrypt(_ data: Data) -> Data { Data(data.reversed()) }
    func decrypt(_ data: Data) -> Data { Data(data.reversed()) }
}
