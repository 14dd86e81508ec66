import CosmosModel
import Foundation
import Settle
import SettleOutbox
import TestSupport

@testable import SettleCosmos

/// Several devices with an account of the model in common, each with a cache of its own, that are offline and online at
/// random, lose answers, are throttled, and begin again.
struct OfflineSimulation {
    /// How a device may be broken, to see that the simulation finds it.
    enum Break: CaseIterable {
        /// Writes that wait are lost at a restart.
        case losesWrites
        /// What is sent is sent once more.
        case sendsTwice
        /// A cache does not keep what the service sends.
        case forgetsToKeep
    }

    /// What a device was told to have done.
    private struct Acknowledged {
        var device: Int
        var id: String
        /// The text that only this write has; nil for a deletion.
        var token: String?
    }

    private static let deviceCount = 3
    private static let stepCount = 40
    private static let ids = ["a", "b", "c"]
    private static let cities = ["Bern", "Basel"]

    private var random: SeededGenerator
    private let breakage: Break?
    private let service: ModelService
    private let line: SimulatedLine
    private let scratch: ScratchDirectory
    private let clock = ManualClock()
    private let failures = Collected<String>()
    private var clients: [Cosmos.Client] = []
    private var listeners: [Task<Void, Never>] = []
    private var acknowledged: [Acknowledged] = []
    private var tokenCount = 0

    /// Runs a simulation.
    ///
    /// - Returns: What is wrong, in a line each.
    static func faults(seed: UInt64, breakage: Break? = nil) async throws -> [String] {
        var simulation = try await OfflineSimulation(seed: seed, breakage: breakage)
        for number in 0..<stepCount { try await simulation.step(number) }
        return try await simulation.finish()
    }

    private init(seed: UInt64, breakage: Break?) async throws {
        random = SeededGenerator(seed: seed)
        self.breakage = breakage
        var configuration = AccountConfiguration()
        configuration.seed = seed
        configuration.rangeCount = 2
        service = ModelService(configuration: configuration)
        line = SimulatedLine(service: service, sendsTwice: breakage == .sendsTwice)
        scratch = try ScratchDirectory("cosmos-simulation")
        let maker = try plainClient()
        try await maker.create(databaseWithId: "crm")
        try await maker.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm")
        for number in 0..<Self.deviceCount {
            clients.append(try client(number))
            _ = try await clients[number].get(collectionWithId: "people", inDatabase: "crm")
            listeners.append(listener(to: number))
        }
    }

    private func plainClient() throws -> Cosmos.Client {
        try .stubbed(by: ModelTransport(service: service), clock: clock, retries: .never)
    }

    private func cache(_ number: Int) -> Cosmos.CacheConfiguration {
        Cosmos.CacheConfiguration(folder: scratch.file("\(number)"))
    }

    private func folder(_ number: Int) throws -> URL {
        cache(number).folder(of: try Cosmos.Account(named: "contoso"))
    }

    /// A device; each has a strategy of its own.
    private func client(_ number: Int, isOnline: Bool = true) throws -> Cosmos.Client {
        let client = try Cosmos.Client.stubbed(
            by: line, clock: clock, retries: .never, cache: cache(number),
            isNetworkAvailable: isOnline)
        switch number {
        case 0: break
        case 1:
            client.register(resolverForDocumentsAs: Person.self) { local, remote in
                var merged = remote
                merged.name = local.name
                return merged
            }
        default: client.register(strategy: .mineWins, for: .document)
        }
        return client
    }

    /// Collects the failures that a device is told, until the last write of its.
    private func listener(to number: Int) -> Task<Void, Never> {
        let stream = clients[number].offlineEvents
        let failures = failures
        return Task {
            for await event in stream {
                switch event {
                case .sent(let write) where write.ids == ["end-\(number)"]: return
                case .failed(let write, _):
                    for id in write.ids { failures.add("\(number) \(id)") }
                default: continue
                }
            }
        }
    }

    // MARK: Steps

    private mutating func step(_ number: Int) async throws {
        let index = Int.random(in: 0..<clients.count, using: &random)
        let client = clients[index]
        switch Int.random(in: 0..<20, using: &random) {
        case 0: client.isNetworkAvailable = false
        case 1, 2:
            client.isNetworkAvailable = true
            _ = try? await client.sendQueuedWrites()
        case 3: try await restart(index)
        case 4, 5:
            if let fault = SimulatedLine.Fault.allCases.randomElement(using: &random) {
                line.add(fault)
            }
        case 6: line.isOffline = Bool.random(using: &random)
        case 7: clock.advance(by: .seconds(300))
        default: await write(index, number)
        }
    }

    private mutating func restart(_ index: Int) async throws {
        let isOnline = clients[index].isNetworkAvailable
        clients[index].reset()
        if breakage == .losesWrites {
            let store = try await Cosmos.OfflineStores.shared.store(in: folder(index))
            _ = try await store.write { try $0.outbox.skipOperations() }
        }
        await Cosmos.OfflineStores.shared.close(try folder(index))
        clients[index] = try client(index, isOnline: isOnline)
    }

    private mutating func write(_ index: Int, _ number: Int) async {
        let client = clients[index]
        let city = Self.cities[Int.random(in: 0..<Self.cities.count, using: &random)]
        let id = Self.ids[Int.random(in: 0..<Self.ids.count, using: &random)]
        tokenCount += 1
        let token = "token-\(tokenCount)"
        let person = Person(id: "\(id)-\(city)", city: city, name: token)
        let kind = Int.random(in: 0..<7, using: &random)
        do throws(Cosmos.ClientError) {
            switch kind {
            case 0, 1: try await client.create(person, inCollection: "people", inDatabase: "crm")
            case 2:
                try await client.createOrReplace(person, inCollection: "people", inDatabase: "crm")
            case 3 where index == 0:
                try await client.patch(
                    documentWithId: person.id, as: Person.self,
                    with: [.set(path: "/name", value: .string(token))], inCollection: "people",
                    withPartitionKey: .init(city), inDatabase: "crm")
            case 3, 4:
                var read = try await get(person, by: client)
                read.name = token
                read.age = number
                try await client.replace(read)
            case 5:
                try await client.delete(get(person, by: client))
                acknowledged.append(Acknowledged(device: index, id: person.id))
                return
            default:
                var batch = Cosmos.Batch()
                try batch.createOrReplace(person)
                var second = person
                second.id = "z-\(city)"
                try batch.createOrReplace(second)
                try await client.perform(
                    batch, inCollection: "people", withPartitionKey: .init(city), inDatabase: "crm")
                acknowledged.append(Acknowledged(device: index, id: second.id, token: token))
            }
            acknowledged.append(Acknowledged(device: index, id: person.id, token: token))
        } catch {
            // Nothing was acknowledged.
        }
    }

    private func get(
        _ person: Person, by client: Cosmos.Client
    ) async throws(Cosmos.ClientError) -> Cosmos.DocumentResource<Person> {
        try await client.get(
            documentWithId: person.id, as: Person.self, inCollection: "people",
            withPartitionKey: .init(person.city), inDatabase: "crm"
        ).resource
    }

    // MARK: The end

    /// Brings all devices online, and compares.
    private mutating func finish() async throws -> [String] {
        line.removeFaults()
        line.isOffline = false
        var faults: [String] = []
        for (number, client) in clients.enumerated() {
            client.isNetworkAvailable = true
            try await client.sendQueuedWrites()
            client.isNetworkAvailable = false
            try await client.createOrReplace(
                Person(id: "end-\(number)", city: "Bern"), inCollection: "people",
                inDatabase: "crm")
            client.isNetworkAvailable = true
            try await client.sendQueuedWrites()
            if try await !client.queuedWrites().isEmpty { faults.append("Writes are left.") }
            await listeners[number].value
        }
        let truth = try await contents(by: plainClient())
        for (number, client) in clients.enumerated() {
            if breakage == .forgetsToKeep { client.offlineDataEnabled = false }
            _ = try await contents(by: client)
            client.offlineDataEnabled = true
            client.isNetworkAvailable = false
            if try await contents(by: client) != truth {
                faults.append("The cache of device \(number) differs from the service.")
            }
        }
        for (number, client) in clients.enumerated() {
            client.reset()
            await Cosmos.OfflineStores.shared.close(try folder(number))
        }
        withExtendedLifetime(scratch) {}
        return faults + lost() + repeated()
    }

    private func contents(by client: Cosmos.Client) async throws -> [String: String] {
        let people = try await client.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm"
        ).all()
        var found: [String: String] = [:]
        for person in people {
            found[person.id] = "\(person.name) \(person.age ?? -1) \(person.etag ?? "")"
        }
        return found
    }

    /// What was acknowledged last to a device about a document, and neither came to the service nor was told to have
    /// failed.
    private func lost() -> [String] {
        let written = line.written.joined()
        let told = Set(failures.all)
        var last: [String: Acknowledged] = [:]
        for write in acknowledged { last["\(write.device) \(write.id)"] = write }
        return last.compactMap { key, write in
            guard let token = write.token, !told.contains(key),
                !written.contains(SimulatedLine.Written(id: write.id, token: token))
            else { return nil }
            return "\(token) of device \(write.device) is lost."
        }.sorted()
    }

    /// What was carried out twice, with nothing else in between.
    private func repeated() -> [String] {
        var last: [String: String?] = [:]
        var faults: [String] = []
        for request in line.written {
            // A batch is carried out again where somebody else has changed one of its documents.
            let tokens = request.compactMap { write in write.token.map { (write.id, $0) } }
            if !tokens.isEmpty, tokens.allSatisfy({ last[$0.0] == .some($0.1) }) {
                faults.append("\(tokens[0].1) was written twice.")
            }
            for write in request { last[write.id] = .some(write.token) }
        }
        return faults
    }
}
