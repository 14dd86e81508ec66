import HTTPTypes
import SettleREST
import SettleSync
import Synchronization

/// Carries requests as apps do, and writes down what they were for.
final class CountingTransport: HTTPTransport {
    /// What a request is for.
    enum Purpose: Hashable {
        case batch, write, list, listening
    }

    private struct State {
        var counts: [Purpose: Int] = [:]
        var cancelledCount = 0
    }

    private let base = URLSessionTransport()
    private let state = Mutex(State())

    /// How many requests there were of each purpose.
    var counts: [Purpose: Int] { state.withLock { $0.counts } }

    /// How many requests were given up because their tasks were cancelled.
    var cancelledCount: Int { state.withLock { $0.cancelledCount } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let path = (request.path ?? "").prefix { $0 != "?" }
        let purpose: Purpose =
            if path.hasSuffix("/operations/batch") {
                .batch
            } else if path.hasSuffix("/changes") {
                .listening
            } else if request.method == .get {
                .list
            } else {
                .write
            }
        state.withLock { $0.counts[purpose, default: 0] += 1 }
        do throws(ReplicationError) {
            return try await base.send(request, body: body, bodySizeMax: bodySizeMax)
        } catch {
            if error.code == .cancelled { state.withLock { $0.cancelledCount += 1 } }
            throw error
        }
    }
}
