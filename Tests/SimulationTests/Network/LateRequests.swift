import HTTPTypes
import SettleREST
import SettleSync
import Synchronization

/// Requests that arrive later than their answers could be waited for, whoever sent them.
final class LateRequests: Sendable {
    private struct LateRequest {
        var request: HTTPRequest
        var body: [UInt8]?
        var requestsUntilThen: Int
    }

    private let table: any SimulatedTable
    private let journal: Journal
    private let waiting = Mutex<[LateRequest]>([])

    init(to table: any SimulatedTable, journal: Journal) {
        self.table = table
        self.journal = journal
    }

    /// Keeps a request on its way while others overtake it.
    func delay(_ request: HTTPRequest, _ body: [UInt8]?, past count: Int) {
        waiting.withLock {
            $0.append(LateRequest(request: request, body: body, requestsUntilThen: count))
        }
    }

    /// Lets those arrive whose time has come, since another request passes by.
    func letPass() async {
        let due = waiting.withLock { waiting in
            for index in waiting.indices { waiting[index].requestsUntilThen -= 1 }
            defer { waiting.removeAll { $0.requestsUntilThen <= 0 } }
            return waiting.filter { $0.requestsUntilThen <= 0 }
        }
        for late in due { await arrive(late) }
    }

    /// Lets all arrive that are still on their way.
    func letAllArrive() async {
        let rest = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for late in rest { await arrive(late) }
    }

    private func arrive(_ late: LateRequest) async {
        do throws(ReplicationError) {
            let answer = try await table.handle(late.request, late.body)
            journal.note("a late \(late.request.line) arrives: \(answer.head.status.code)")
        } catch {
            journal.note("a late \(late.request.line) finds nobody")
        }
    }
}
