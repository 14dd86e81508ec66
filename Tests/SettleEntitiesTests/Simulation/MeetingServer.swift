import Foundation
import Settle
import SettleSync
import Synchronization

/// A table in memory, as table servers are: versions, tombstones, and a feed in the order of the last changes.
final class MeetingServer: Sendable {
    private struct State {
        var items: [String: (item: RemoteItem, sequence: Int)] = [:]
        var sequence = 0
    }

    private let state = Mutex(State())

    /// The members of the live items, by identifier.
    var contents: [String: [String: JSONValue]] {
        state.withLock { state in
            state.items.filter { !$0.value.item.isDeleted }.mapValues(\.item.members)
        }
    }

    fileprivate func execute(_ operation: RemoteOperation) -> RemoteOutcome {
        state.withLock { state in
            let current = state.items[operation.id]?.item
            let isCurrent =
                operation.baseVersion == nil || operation.baseVersion == current?.version
            switch operation.kind {
            case .insert:
                guard current == nil else { return .conflict(current) }
            case .update:
                guard let current, !current.isDeleted, isCurrent else { return .conflict(current) }
            case .delete:
                guard let current, !current.isDeleted else { return .deleted(current) }
                guard isCurrent else { return .conflict(current) }
            case .undelete:
                guard current != nil, isCurrent else { return .conflict(current) }
            }
            let members =
                operation.kind == .insert || operation.kind == .update
                ? operation.members : current?.members ?? [:]
            state.sequence += 1
            let item = RemoteItem(
                id: operation.id, version: "v\(state.sequence)",
                isDeleted: operation.kind == .delete, members: members)
            state.items[operation.id] = (item, state.sequence)
            return item.isDeleted ? .deleted(item) : .stored(item)
        }
    }

    fileprivate func page(after token: PullToken?, itemCountMax: Int) -> PullPage {
        state.withLock { state in
            let after = token.flatMap { Int($0.text) } ?? 0
            let rows = state.items.values.filter { $0.sequence > after }
                .sorted { $0.sequence < $1.sequence }.prefix(itemCountMax)
            return PullPage(
                items: rows.map(\.item),
                token: rows.last.map { PullToken("\($0.sequence)") } ?? token,
                isLast: rows.isEmpty)
        }
    }
}

/// The way to a server, on which requests and answers get lost.
struct MeetingBackend: Backend {
    /// What happens to one request.
    enum Fault {
        case none, requestLost, answerLost
    }

    let identifier = "meeting"
    let carriesAttachments = false
    let server: MeetingServer
    /// Decides what happens to each request; it may do something else in the meantime.
    var fault: @Sendable () async -> Fault = { .none }

    func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        try await attempt { server.page(after: token, itemCountMax: itemCountMax) }
    }

    func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
        try await attempt { server.execute(operation) }
    }

    func upload(_ attachment: DocumentAttachment) async throws(ReplicationError) -> UploadOutcome {
        .rejected(reason: "There are no attachments here.")
    }

    func download(
        _ attachment: DocumentAttachment, of id: String
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>? { nil }

    private func attempt<Answer>(_ act: () -> Answer) async throws(ReplicationError) -> Answer {
        switch await fault() {
        case .none: return act()
        case .requestLost: throw ReplicationError(.unreachable, "The request was lost.")
        case .answerLost:
            _ = act()
            throw ReplicationError(.unreachable, "The answer was lost.")
        }
    }
}
