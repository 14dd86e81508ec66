import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing
import TestSupport

@testable import SettleSync

/// Random edits on several devices, and a way to the server on which everything gets lost.
@Suite(.serialized) struct `Replication simulation` {
    private static let ids = (0..<6).map { "d\($0)" }

    /// The faults of one client's requests, and what happens while they are under way.
    private final class Weather: Sendable {
        private struct State {
            var random: SeededGenerator
            var requestsUntilCancel: Int?
            var task: Task<Void, Never>?
        }

        private let state: Lock<State>
        private let whileUnderWay: @Sendable (UInt64) async -> Void

        init(
            seed: UInt64, cancelsAfter: Int?,
            whileUnderWay: @escaping @Sendable (UInt64) async -> Void
        ) {
            state = Lock(
                State(random: SeededGenerator(seed: seed), requestsUntilCancel: cancelsAfter))
            self.whileUnderWay = whileUnderWay
        }

        func cancels(_ task: Task<Void, Never>) {
            state.withLock { $0.task = task }
        }

        func next() async -> ModelBackend.Fault {
            let (draw, edit, task) = state.withLock { state in
                var toCancel: Task<Void, Never>?
                if let count = state.requestsUntilCancel {
                    state.requestsUntilCancel = count - 1
                    if count == 0 { toCancel = state.task }
                }
                return (
                    Int.random(in: 0..<20, using: &state.random), state.random.next(), toCancel
                )
            }
            task?.cancel()
            await whileUnderWay(edit)
            return switch draw {
            case 0, 1: .requestLost
            case 2, 3: .answerLost
            case 4: .delivered2
            case 5: .busy
            case 6: .serverFailed
            default: .none
            }
        }
    }

    /// Every mark ever made, and those that somebody deleted knowingly.
    private actor Ledger {
        private(set) var written: [String: Set<String>] = [:]
        private var givenUp: [String: Set<String>] = [:]

        func wrote(_ mark: String, _ id: String) { written[id, default: []].insert(mark) }
        func gaveUp(_ marks: Set<String>, _ id: String) {
            givenUp[id, default: []].formUnion(marks)
        }
        func expected(_ id: String) -> Set<String> {
            written[id, default: []].subtracting(givenUp[id, default: []])
        }
    }

    private func configuration(concurrent: Int, pageSize: Int) throws -> ReplicationConfiguration {
        let url = try #require(URL(string: "model:"))
        var configuration = ReplicationConfiguration(url: url, isRepeating: false)
        configuration.conflictHandler = .merge
        configuration.retryLimit = 0
        configuration.concurrentRequestsMax = concurrent
        configuration.pageSize = pageSize
        return configuration
    }

    private func act(_ draw: UInt64, on client: SimulatedClient, _ ledger: Ledger) async throws {
        let id = Self.ids[Int(draw / 16 % UInt64(Self.ids.count))]
        if draw % 4 == 0 {
            // Written down first: it must be given up before it can be missed.
            let marks = try await client.delete(id)
            await ledger.gaveUp(marks, id)
        } else {
            let mark = try await client.edit(id)
            await ledger.wrote(mark, id)
        }
    }

    private func replicate(
        _ client: SimulatedClient, with server: ModelServer, _ ledger: Ledger,
        _ random: inout SeededGenerator
    ) async throws {
        let cancelsAfter =
            Int.random(in: 0..<4, using: &random) == 0
            ? Int.random(in: 0..<8, using: &random) : nil
        let weather = Weather(seed: random.next(), cancelsAfter: cancelsAfter) { draw in
            guard draw % 8 == 0 else { return }
            do {
                try await act(draw / 8, on: client, ledger)
            } catch {
                Issue.record("An edit under way failed: \(error)")
            }
        }
        var backend = ModelBackend(server: server)
        backend.fault = { await weather.next() }
        let configuration = try configuration(
            concurrent: Bool.random(using: &random) ? 1 : 4,
            pageSize: Int.random(in: 1...5, using: &random))
        let database = await client.database
        let task = Task { [backend] in
            do {
                try await database.replicate(with: configuration, using: backend)
            } catch is CancellationError {
                // The weather cancelled it.
            } catch let error as ReplicationError {
                if error.code == .localFailure { Issue.record("\(error)") }
            } catch {
                Issue.record("\(error)")
            }
        }
        weather.cancels(task)
        await task.value
    }

    /// How many seeds are tried; a long run asks for more.
    private static let seedCount =
        ProcessInfo.processInfo.environment["SETTLE_SIMULATION_SEEDS"].flatMap { Int($0) } ?? 40

    @Test(arguments: 1...seedCount)
    func `converges, loses nothing and repeats nothing`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let scratch = try ScratchDirectory("simulation")
        let server = ModelServer()
        let ledger = Ledger()
        var clients: [SimulatedClient] = []
        for index in 0..<(2 + seed % 2) {
            clients.append(try await SimulatedClient("abc".map(String.init)[index], in: scratch))
        }
        for _ in 0..<40 {
            let client = try #require(clients.randomElement(using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: try await act(random.next(), on: client, ledger)
            case 6..<9: try await replicate(client, with: server, ledger, &random)
            default: try await client.restart()
            }
        }
        try await calm(clients, with: server)

        let contents = server.contents
        for client in clients {
            let name = client.name
            #expect(try await client.contents(Self.ids) == contents, "client \(name), \(random)")
            let database = await client.database
            #expect(try database.pendingOperations().isEmpty, "client \(name), \(random)")
            #expect(try database.replicationConflicts().isEmpty, "client \(name), \(random)")
        }
        for id in Self.ids {
            let missing = await ledger.expected(id).subtracting(contents[id, default: [:]].keys)
            #expect(missing.isEmpty, "document \(id), \(random)")
        }
        #expect(server.complaints.isEmpty, "\(random)")
        for client in clients { await client.database.close() }
        withExtendedLifetime(scratch) {}
    }

    /// Replicates without faults until nothing happens any more.
    private func calm(_ clients: [SimulatedClient], with server: ModelServer) async throws {
        let configuration = try configuration(concurrent: 4, pageSize: 100)
        for _ in 0..<10 {
            var isQuiet = true
            for client in clients {
                let summary = try await client.database.replicate(
                    with: configuration, using: ModelBackend(server: server))
                if summary.pushed + summary.pulled + summary.conflictsResolved > 0 {
                    isQuiet = false
                }
            }
            if isQuiet { return }
        }
        Issue.record("The clients do not come to rest.")
    }
}
