import CosmosModel
import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import TestSupport

@testable import SettleCosmos

/// Several databases and one collection, edits at random, and a way between them on which everything gets lost.
actor ReplicatedWorld {
    /// What is broken on purpose.
    enum Breakage {
        case none
        /// Writes depend on no version.
        case unconditionalWrites
    }

    /// A database and its way to the service.
    private struct Replica {
        var device: ReplicaDevice
        var name: String
        var editCount = 0
    }

    private static let path = "dbs/crm/colls/people"
    private static let ids = (0..<7).map { "d\($0)" }

    private var random: SeededGenerator
    private let scratch: ScratchDirectory
    private let service: ModelService
    private var replicas: [Replica] = []
    private let breakage: Breakage
    private let deletion: CosmosBackend.Deletion
    /// Whether marked documents are gone before all databases have seen them.
    private let expires: Bool
    /// Whether some deletions are in no change feed.
    private var needsFullResync: Bool { expires || deletion == .hard }
    private var splitCount = 0
    private var writerCount = 0
    /// Every mark ever made, and those that somebody deleted knowingly.
    private var written: [String: Set<String>] = [:]
    private var givenUp: [String: Set<String>] = [:]
    private(set) var journal: [String] = []

    init(seed: UInt64, breakage: Breakage = .none) async throws {
        random = SeededGenerator(seed: seed)
        scratch = try ScratchDirectory("cosmos-world")
        self.breakage = breakage
        var configuration = AccountConfiguration()
        configuration.rangeCount = Int.random(in: 1...3, using: &random)
        configuration.seed = random.next()
        configuration.pageSize = Int.random(in: 1...20, using: &random)
        deletion =
            Int.random(in: 0..<4, using: &random) == 0
            ? .hard : .soft(timeToLive: .seconds(1_000))
        expires = Int.random(in: 0..<3, using: &random) == 0
        service = ModelService(configuration: configuration)
        let client = try Cosmos.Client.stubbed(by: ModelTransport(service: service))
        try await client.create(databaseWithId: "crm")
        var collection = try await client.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm"
        ).resource
        collection.defaultTimeToLive = -1
        try await client.replace(collection)
        for index in 0..<Int.random(in: 2...3, using: &random) {
            let name = ["a", "b", "c"][index]
            replicas.append(
                Replica(device: try await ReplicaDevice(name, in: scratch), name: name))
        }
    }

    func close() async {
        for replica in replicas { await replica.device.close() }
    }

    /// The partition of a document, which never changes.
    private static func city(of id: String) -> JSONValue { .string("city-\(id.suffix(1))") }

    // MARK: Steps

    /// Does something at random.
    func step() async throws {
        let index = Int.random(in: 0..<replicas.count, using: &random)
        switch Int.random(in: 0..<21, using: &random) {
        case 0..<9: try await edit(index, random.next())
        case 9, 10: try await writeThere(random.next())
        case 11..<17: try await replicate(index)
        case 17: split()
        case 18:
            journal.append("\(replicas[index].name) restarts")
            try await replicas[index].device.restart()
        case 19:
            let lags = Bool.random(using: &random)
            journal.append(lags ? "a replica lags" : "replicas have caught up")
            service.withState { if lags { $0.holdReplica() } else { $0.releaseReplica() } }
        default:
            journal.append("time passes")
            service.advance(bySeconds: expires ? 600 : 10)
        }
    }

    /// Edits or deletes a document of a database.
    private func edit(_ index: Int, _ draw: UInt64) async throws {
        let id = Self.ids[Int(draw / 16 % UInt64(Self.ids.count))]
        let database = await replicas[index].device.database
        if draw % 4 == 0 {
            let names = try await database.write { transaction in
                let names = try transaction.document(id).map { Set($0.json.keys) } ?? []
                try transaction.delete(documentWithId: id)
                return names
            }
            givenUp[id, default: []].formUnion(names)
            journal.append("\(replicas[index].name) deletes \(id)")
        } else {
            replicas[index].editCount += 1
            let mark = "\(replicas[index].name)\(replicas[index].editCount)"
            written[id, default: []].insert(mark)
            try await database.write { transaction in
                var document = try transaction.document(id) ?? Document(id: id)
                document[json: "city"] = Self.city(of: id)
                document[json: mark] = true
                document[json: "last"] = .string(mark)
                try transaction.save(document)
            }
            journal.append("\(replicas[index].name) writes \(mark) in \(id)")
        }
    }

    /// Another client of the service writes, without Settle.
    private func writeThere(_ draw: UInt64) async throws {
        let id = Self.ids[Int(draw / 16 % UInt64(Self.ids.count))]
        writerCount += 1
        let mark = "w\(writerCount)"
        let client = try Cosmos.Client.stubbed(by: ModelTransport(service: service))
        let city = Cosmos.PartitionKey(Self.city(of: id).stringValue ?? "")
        do throws(Cosmos.ClientError) {
            var found = try await client.get(
                documentWithId: id, as: Cosmos.DocumentProperties.self, inCollection: "people",
                withPartitionKey: city, inDatabase: "crm"
            ).resource
            guard found.content["deleted"] != true else { return }
            found.content[mark] = true
            try await client.replace(found)
        } catch {
            // Somebody was faster between the two requests.
            if error.kind == .preconditionFailed { return }
            guard error.kind == .notFound else { throw error }
            do throws(Cosmos.ClientError) {
                try await client.create(
                    Cosmos.DocumentProperties([
                        "id": .string(id), "city": Self.city(of: id), mark: true,
                    ]),
                    inCollection: "people", inDatabase: "crm")
            } catch {
                if error.kind == .conflict { return }
                throw error
            }
        }
        written[id, default: []].insert(mark)
        journal.append("another writes \(mark) in \(id)")
    }

    private func split() {
        guard splitCount < 4 else { return }
        splitCount += 1
        let draw = Int.random(in: 0..<8, using: &random)
        let made = service.withState { $0.splitRange(String(draw), ofCollectionAt: Self.path) }
        if !made.isEmpty { journal.append("range \(draw) is split into \(made)") }
    }

    /// What happens while a request is under way.
    private func meanwhile(_ index: Int, _ draw: UInt64) async {
        guard draw % 12 == 0 else { return }
        do {
            switch draw / 12 % 4 {
            case 0: split()
            case 1: try await writeThere(draw / 48)
            default: try await edit(index, draw / 48)
            }
        } catch {
            journal.append("FAULT: something under way failed: \(error)")
        }
    }

    // MARK: Replicating

    private func transport(_ index: Int, seed: UInt64, _ cancelling: Cancelling) -> FaultyModel {
        let breakage = breakage
        return FaultyModel(
            service, seed: seed,
            alter: { request in
                switch breakage {
                case .none: break
                case .unconditionalWrites: request.headerFields[.dependsOnVersion] = nil
                }
            },
            meanwhile: { [weak self] draw in
                cancelling.count()
                await self?.meanwhile(index, draw)
            })
    }

    private func replicate(_ index: Int) async throws {
        let cancelling = Cancelling(
            after: Int.random(in: 0..<4, using: &random) == 0
                ? Int.random(in: 0..<12, using: &random) : nil)
        let transport = transport(index, seed: random.next(), cancelling)
        let isPatient = Bool.random(using: &random)
        let client = try Cosmos.Client.stubbed(
            by: transport, clock: LeapingClock(), retries: isPatient ? .init() : .never)
        let backend = try CosmosBackend(
            client, collection: "people", inDatabase: "crm", deletion: deletion)
        let pageSize = Int.random(in: 1...5, using: &random)
        let concurrency = Bool.random(using: &random) ? 1 : 4
        let isReconciling = Int.random(in: 0..<6, using: &random) == 0
        journal.append("\(replicas[index].name) replicates")
        let device = replicas[index].device
        let task = Task { () async -> ReplicationError? in
            do {
                try await device.replicate(backend) {
                    $0.conflictHandler = .merge
                    $0.pageSize = pageSize
                    $0.concurrentRequestsMax = concurrency
                    $0.reconciling = isReconciling ? .atStart : .never
                }
                return nil
            } catch let error as ReplicationError {
                return error
            } catch {
                return ReplicationError(.cancelled, "\(error)")
            }
        }
        cancelling.cancels(task)
        guard let error = await task.value else { return }
        journal.append("  ended with \(error.code)")
        if error.code == .localFailure || error.code == .misconfigured {
            journal.append("FAULT: \(error)")
        }
    }

    /// Replicates without faults until nothing happens any more.
    func calm() async throws {
        service.withState { $0.releaseReplica() }
        let client = try Cosmos.Client.stubbed(
            by: ModelTransport(service: service), clock: LeapingClock())
        let backend = try CosmosBackend(
            client, collection: "people", inDatabase: "crm", deletion: deletion)
        for _ in 0..<10 {
            var isQuiet = true
            for replica in replicas {
                let reconciling: Reconciling = needsFullResync ? .atStart : .never
                let summary = try await replica.device.replicate(backend) {
                    $0.conflictHandler = .merge
                    $0.reconciling = reconciling
                }
                if summary.pushed + summary.pulled + summary.conflictsResolved > 0 {
                    isQuiet = false
                }
            }
            if isQuiet { return }
        }
        journal.append("FAULT: the databases do not come to rest")
    }

    // MARK: Judging

    /// What is wrong in the end; empty when nothing is.
    func problems() async throws -> [String] {
        var problems = journal.filter { $0.hasPrefix("FAULT") }
        let client = try Cosmos.Client.stubbed(by: ModelTransport(service: service))
        var there: [String: [String: JSONValue]] = [:]
        let pages = client.get(
            documentsAs: Document.self, inCollection: "people", inDatabase: "crm")
        for try await document in pages.items where document.content[json: "deleted"] != true {
            if there[document.id] != nil { problems.append("\(document.id) is there twice") }
            there[document.id] = document.content.json
        }
        for replica in replicas {
            let database = await replica.device.database
            for id in Self.ids {
                let here = try await replica.device.members(id)
                if here != there[id] {
                    problems.append(
                        "\(id) differs: \(replica.name) has \(names(here)), the service \(names(there[id]))"
                    )
                }
            }
            if try !database.pendingOperations().isEmpty {
                problems.append("\(replica.name) has pending operations")
            }
            if try !database.replicationConflicts().isEmpty {
                problems.append("\(replica.name) has conflicts")
            }
        }
        for (id, marks) in written {
            let lost = marks.subtracting(givenUp[id] ?? []).subtracting((there[id] ?? [:]).keys)
            if !lost.isEmpty { problems.append("\(id) lost \(lost.sorted())") }
        }
        return problems
    }

    private func names(_ members: [String: JSONValue]?) -> String {
        members.map { "\($0.keys.sorted())" } ?? "nothing"
    }
}
