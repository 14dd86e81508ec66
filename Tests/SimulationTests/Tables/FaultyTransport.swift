import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization
import TestSupport

/// The way of one replication to one table, on which requests and answers get lost, and during which
/// something else happens.
final class FaultyTransport: HTTPTransport {
    private struct State {
        var random: SeededGenerator
        var requestCount = 0
        var task: Task<Void, Never>?
    }

    private let table: TableModel
    private let faultsPercent: UInt64
    private let requestCountMax: Int
    private let state: Mutex<State>
    private let meanwhile: @Sendable (UInt64) async -> Void

    /// A way.
    ///
    /// - Parameters:
    ///   - table: Where it leads.
    ///   - seed: What befalls the requests.
    ///   - faultsPercent: Of 100 requests, how many are lost or their answers are.
    ///   - requestCountMax: After so many requests the replication is cut short.
    ///   - meanwhile: Does something while every eighth request is under way.
    init(
        to table: TableModel, seed: UInt64, faultsPercent: UInt64, requestCountMax: Int = .max,
        meanwhile: @escaping @Sendable (UInt64) async -> Void
    ) {
        self.table = table
        self.faultsPercent = faultsPercent
        self.requestCountMax = requestCountMax
        self.meanwhile = meanwhile
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// Says what is cancelled when the requests are used up.
    func cuts(_ task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let (fate, event, cut) = state.withLock { state in
            state.requestCount += 1
            return (
                state.random.next() % 100, state.random.next(),
                state.requestCount >= requestCountMax ? state.task : nil
            )
        }
        cut?.cancel()
        if event % 8 == 0, faultsPercent > 0 { await meanwhile(event / 8) }
        if Task.isCancelled { throw ReplicationError(.cancelled, "The task was cancelled.") }
        guard fate < faultsPercent else { return table.handle(request, body) }
        if fate % 2 == 0 { _ = table.handle(request, body) }
        throw ReplicationError(.unreachable, "The connection was cut.")
    }
}
