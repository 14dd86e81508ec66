import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Synchronization

/// How the cases replicate.
enum ReplicationSetUp {
    /// Items in a page, of the pull and of the bare client alike.
    static let pageSize = 1_000

    /// Everything from a table, once.
    static func pull(_ url: URL) -> ReplicationConfiguration {
        var configuration = ReplicationConfiguration.oneTimeServerToClientReplication(with: url)
        configuration.pageSize = pageSize
        return configuration
    }

    /// Everything to a table, once.
    static func push(_ url: URL, requests: Int) -> ReplicationConfiguration {
        var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        configuration.concurrentRequestsMax = requests
        return configuration
    }

    /// Puts documents into a table, by pushing them.
    static func fill(_ url: URL, _ texts: [[UInt8]], in folder: URL) async throws {
        let peer = try await SettlePeer(in: folder, durability: .relaxed)
        try await peer.insert(texts, batch: 1_000)
        let summary = try await peer.database.replicate(with: push(url, requests: 32))
        await peer.close()
        try BenchmarkError.check(summary.pushed, is: texts.count, "The documents that were pushed")
    }
}

/// Hides what a server can do beyond the protocol.
struct PlainTransport: HTTPTransport {
    private let transport = URLSessionTransport()

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var answer = try await transport.send(request, body: body, bodySizeMax: bodySizeMax)
        if let name = HTTPField.Name("Settle-Features") { answer.head.headerFields[name] = nil }
        return answer
    }
}

/// Writes down what is asked of a server.
final class RecordingTransport: HTTPTransport {
    private let transport = URLSessionTransport()
    private let requests = Mutex<[HTTPRequest]>([])

    /// The requests so far.
    var all: [HTTPRequest] { requests.withLock { $0 } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        requests.withLock { $0.append(request) }
        return try await transport.send(request, body: body, bodySizeMax: bodySizeMax)
    }
}
