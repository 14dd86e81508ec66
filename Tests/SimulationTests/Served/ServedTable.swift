import Foundation
import HTTPTypes
import Settle
import SettleHosting
import SettleREST
import SettleServer
import SettleSync
import Synchronization
import TestSupport

/// A table of `SettleServer`, asked over HTTP.
///
/// One or two servers are over one store. They are really stopped and started, and what is asked
/// meanwhile is refused by the closed port.
final class ServedTable: SimulatedTable {
    private struct State {
        var random: SeededGenerator
        /// For each server, how many more requests are refused.
        var refusalCounts: [Int]
        var editCount = 0
    }

    let style: ServedStyle
    let time: SimulatedTime
    let journal: Journal
    let ledger: Ledger
    let witness: Witness
    let name: String
    private let clocks: [DeviceClock]
    private let servers: [RealServer]
    private let transport: AsyncHTTPClientTransport
    private let state: Mutex<State>
    /// Who holds it starts and stops servers, or needs them to stay.
    private let turn = Turn()

    /// Starts the servers.
    init(
        style: ServedStyle, store: ServerStore, seed: UInt64, in surroundings: Surroundings
    ) async throws {
        self.style = style
        time = surroundings.time
        journal = surroundings.journal
        ledger = surroundings.ledger
        witness = Witness(ledger: surroundings.ledger)
        // A port that was given up may become another world's.
        name = "t\(surroundings.seed)"
        state = Mutex(
            State(
                random: SeededGenerator(seed: seed),
                refusalCounts: Array(repeating: 0, count: style.serverCount)))
        let time = surroundings.time
        let clocks = (0..<style.serverCount).map { _ in DeviceClock(time: time, offset: 0) }
        self.clocks = clocks
        servers = clocks.map { clock in
            RealServer(
                ServerConfiguration(
                    store: store, pageSizeDefault: style.pageSizeDefault, topMax: style.topMax,
                    now: { clock.now }),
                stopsByCancelling: style.stopsByCancelling)
        }
        // Only a guard against waiting for ever.
        transport = AsyncHTTPClientTransport(timeoutSeconds: 600, connectionCountMax: 64)
        do {
            for server in servers { try await server.start() }
        } catch {
            try await close()
            throw error
        }
    }

    var description: String { style.description }
    var isConcurrent: Bool { true }
    var deletesHard: Bool { false }
    var hasDoublesOnly: Bool { false }
    var needsForwardClocks: Bool { false }

    var url: URL {
        guard let url = URL(string: "http://h/tables/\(name)") else {
            preconditionFailure("This is an address.")
        }
        return url
    }

    func dialect(ofDevice index: Int) -> AzureTablesBackend.Dialect {
        style.dialect(ofDevice: index)
    }

    /// Version 2 refuses to give more than its largest page, and version 3 gives another page; a
    /// device that is not told may find out either.
    func pageSizeMax(ofDevice index: Int) -> Int { style.topMax }

    // MARK: Requests

    func refuses(_ request: HTTPRequest, _ body: [UInt8]?) async throws -> Bool {
        let down = state.withLock { state -> Int? in
            let indices = state.refusalCounts.indices.filter { state.refusalCounts[$0] > 0 }
            guard let index = indices.randomElement(using: &state.random) else { return nil }
            // Of several servers it may be another that is asked.
            if Int.random(in: 0..<servers.count, using: &state.random) != 0 { return nil }
            return index
        }
        guard let down else { return false }
        await expectRefusal(by: servers[down], request, body)
        try await turn.take {
            let isLast = self.state.withLock { state in
                guard state.refusalCounts[down] > 0 else { return false }
                state.refusalCounts[down] -= 1
                return state.refusalCounts[down] == 0
            }
            if isLast { try await self.servers[down].start() }
        }
        return true
    }

    /// Asks a server that is down.
    private func expectRefusal(
        by server: RealServer, _ request: HTTPRequest, _ body: [UInt8]?
    ) async {
        do throws(ReplicationError) {
            // It may be up again by now, or somebody else may have the port; then this is lost, too.
            let answer = try await exchange(request, body, on: server)
            witness.saw(answer, to: request, body)
        } catch {
            if error.code != .unreachable {
                ledger.complain("A server that is down is met with: \(error)")
            }
        }
    }

    func handle(
        _ request: HTTPRequest, _ body: [UInt8]?
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let index = state.withLock { state in
            time.pass(ticks: Int.random(in: 0...style.stepMax, using: &state.random))
            let up = state.refusalCounts.indices.filter { state.refusalCounts[$0] == 0 }
            return up.randomElement(using: &state.random) ?? 0
        }
        return try await ask(request, body, server: index)
    }

    /// Sends a request to a server and looks at the answer.
    private func ask(
        _ request: HTTPRequest, _ body: [UInt8]?, server index: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let answer = try await exchange(request, body, on: servers[index])
        witness.saw(answer, to: request, body)
        return answer
    }

    /// Sends a request, which is carried out even when nobody waits for it any more.
    private func exchange(
        _ request: HTTPRequest, _ body: [UInt8]?, on server: RealServer
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var sent = request
        sent.scheme = "http"
        sent.authority = "127.0.0.1:\(await server.port)"
        // Nobody waits for a change here: there is no time in which one could come.
        sent.path = request.path?.replacingOccurrences(of: "&wait=25", with: "&wait=0")
        let (final, transport) = (sent, transport)
        return try await Task { () async -> Result<FullHTTPResponse, ReplicationError> in
            do throws(ReplicationError) {
                return .success(
                    try await transport.send(final, body: body, bodySizeMax: 64 << 20))
            } catch {
                return .failure(error)
            }
        }.value.get()
    }

    // MARK: What befalls a server

    func restart() async throws {
        try await turn.take {
            let index = self.state.withLock { state in
                state.refusalCounts.indices.randomElement(using: &state.random) ?? 0
            }
            guard self.state.withLock({ $0.refusalCounts[index] }) == 0 else { return }
            self.journal.note("server \(index) stops")
            try await self.servers[index].stop()
            self.state.withLock { state in
                state.refusalCounts[index] = Int.random(in: 1...3, using: &state.random)
            }
        }
    }

    /// Starts what is down; only for who has the turn.
    private func startAll() async throws {
        for index in servers.indices {
            let isDown = state.withLock { state in
                defer { state.refusalCounts[index] = 0 }
                return state.refusalCounts[index] > 0
            }
            if isDown { try await servers[index].start() }
        }
    }

    func moveClock(_ draw: UInt64) {
        guard style.clocksSwing else { return }
        let clock = clocks[Int(draw % UInt64(clocks.count))]
        let step = Int(draw / 8 % 7_200_000) - 3_600_000
        clock.move(milliseconds: step)
        journal.note("a server's clock moves by \(step) ms")
    }

    func calmDown() async throws {
        try await turn.take { try await self.startAll() }
    }

    func close() async throws {
        for server in servers { try await server.stop() }
        await transport.shutdown()
    }

    // MARK: Somebody else

    func edit(_ id: String, _ draw: UInt64) async throws {
        try await turn.take {
            try await self.startAll()
            let number = self.state.withLock { state in
                state.editCount += 1
                return state.editCount
            }
            try await TableEditor(self, id, draw, mark: Ledger.mark("server", number)).edit()
        }
    }

    func contents() async throws -> TableContents {
        try await turn.take {
            var all: [TableContents] = []
            for index in self.servers.indices {
                for version in TableClient.Version.allCases {
                    all.append(
                        try await self.client(version, server: index).contents())
                }
            }
            if all.contains(where: { $0 != all[0] }) {
                self.ledger.complain("The servers list several things: \(all)")
            }
            return all[0]
        }
    }

    /// A client of the table, in the place of another program.
    func client(_ version: TableClient.Version, server index: Int? = nil) -> TableClient {
        TableClient(version: version, name: name, pageSize: min(4, style.topMax)) {
            (request, body) async throws(ReplicationError) in
            if let index { return try await self.ask(request, body, server: index) }
            return try await self.handle(request, body)
        }
    }
}
