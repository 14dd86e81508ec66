import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Testing

/// What a server was recorded to answer, and the requests that must have asked for it.
struct Transcript {
    let backend: AzureTablesBackend
    private let transport: FakeTransport

    init(
        _ dialect: AzureTablesBackend.Dialect?, paging: AzureTablesBackend.Paging = .keyset,
        _ answers: FullHTTPResponse...
    ) throws {
        transport = FakeTransport(answers)
        backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/todoitem2")), transport: transport,
            dialect: dialect, paging: paging)
    }

    /// The requests, decoded: method, path with query, `If-Match`, body.
    var lines: [String] {
        transport.asked.map { asked in
            asked.description.removingPercentEncoding ?? asked.description
        }
    }

    /// The requests as they were sent.
    var wireLines: [String] { transport.lines }

    /// The values that a header had in the requests, in their order.
    func header(_ name: String) throws -> [String?] {
        let name = try #require(HTTPField.Name(name))
        return transport.asked.map { $0.request.headerFields[name] }
    }

    func send(
        _ kind: OperationKind, id: String = "a", base: String? = nil,
        _ members: [String: JSONValue] = [:], changed: Set<String>? = nil, only: Bool = false
    ) async throws -> RemoteOutcome {
        var operation = RemoteOperation(
            kind: kind, id: id, baseVersion: base, members: members, changedNames: changed)
        operation.sendsOnlyChanges = only
        return try await backend.send(operation)
    }

    func pull(
        after token: PullToken? = nil, isFirst: Bool = true, pageSize: Int = 50
    ) async throws -> PullPage {
        try await backend.pull(
            PullQuery(), after: token, itemCountMax: pageSize, isFirstPage: isFirst)
    }
}

extension RemoteOutcome {
    /// The item it shows, and in which way.
    var shown: (kind: String, item: RemoteItem?) {
        switch self {
        case .stored(let item): ("stored", item)
        case .deleted(let item): ("deleted", item)
        case .conflict(let item): ("conflict", item)
        case .rejected(let reason): ("rejected \(reason)", nil)
        }
    }

    func expect(
        _ kind: String, version: String? = nil, isDeleted: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (found, item) = shown
        #expect(found == kind, sourceLocation: sourceLocation)
        #expect(item?.version == version, sourceLocation: sourceLocation)
        #expect(item?.isDeleted ?? isDeleted == isDeleted, sourceLocation: sourceLocation)
    }
}
