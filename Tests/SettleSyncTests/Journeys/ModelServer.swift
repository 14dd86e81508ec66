import Foundation
import Settle
import Synchronization
import TestSupport

@testable import SettleSync

/// A far side in memory, and everything it was ever asked.
///
/// It behaves as the table servers do: versions, tombstones, undeletion without a body, and a feed
/// in the order of the last changes.
final class ModelServer: Sendable {
    struct Row {
        var item: RemoteItem
        var sequence: Int
    }

    struct State {
        var rows: [String: Row] = [:]
        var sequence = 0
        /// What went wrong with the promises of a client.
        var complaints: [String] = []
        var executedCount = 0
        var pullCount = 0
        /// Whether it says of rows that leave a query that they do.
        var reportsLeaving = false
        /// The content of attachments, by digest.
        var contents: [String: Data] = [:]
        var uploadCount = 0
        var downloadCount = 0
    }

    let state = Mutex(State())

    /// The live items' members, by identifier.
    var contents: [String: [String: JSONValue]] {
        state.withLock { state in
            state.rows.values.filter { !$0.item.isDeleted }
                .reduce(into: [:]) { $0[$1.item.id] = $1.item.members }
        }
    }

    var complaints: [String] { state.withLock { $0.complaints } }

    /// A change that another client, not simulated, makes; nil deletes.
    func put(_ id: String, _ members: [String: JSONValue]?) {
        state.withLock { state in
            let old = state.rows[id]?.item.members ?? [:]
            Self.store(id, members ?? old, isDeleted: members == nil, in: &state)
        }
    }

    func execute(_ operation: RemoteOperation) -> RemoteOutcome {
        state.withLock { state in
            let current = state.rows[operation.id]?.item
            let isCurrent =
                operation.baseVersion == nil || operation.baseVersion == current?.version
            switch (operation.kind, current) {
            case (.insert, nil):
                return store(operation, operation.members, in: &state)
            case (.insert, let current?):
                return .conflict(current)
            case (.update, let current?) where !current.isDeleted:
                guard isCurrent else { return .conflict(current) }
                if current.members == operation.members {
                    state.complaints.append("\(operation.id) was updated to what it was.")
                }
                return store(operation, operation.members, in: &state)
            case (.update, let current):
                return .conflict(current)
            case (.delete, let current?) where !current.isDeleted:
                guard isCurrent else { return .conflict(current) }
                return store(operation, current.members, isDeleted: true, in: &state)
            case (.delete, let current):
                return .deleted(current)
            case (.undelete, let current?):
                guard isCurrent else { return .conflict(current) }
                return store(operation, current.members, in: &state)
            case (.undelete, nil):
                return .conflict(nil)
            }
        }
    }

    func page(_ query: PullQuery, after token: PullToken?, itemCountMax: Int) -> PullPage {
        state.withLock { state in
            state.pullCount += 1
            let after = token.flatMap { Int($0.text) } ?? 0
            let rows = state.rows.values
                .filter {
                    $0.sequence > after
                        && (state.reportsLeaving || Self.isVisible($0.item, in: query))
                }
                .sorted { $0.sequence < $1.sequence }
            let page = rows.prefix(itemCountMax)
            return PullPage(
                items: page.map { row in
                    var item = row.item
                    item.isOutOfSight = !Self.isVisible(item, in: query)
                    return item
                },
                token: page.last.map { PullToken("\($0.sequence)") } ?? token,
                isLast: page.isEmpty, itemCountRemaining: rows.count)
        }
    }

    /// Deletes a row for good, without a word to anybody.
    func erase(_ id: String) {
        state.withLock { $0.rows[id] = nil }
    }

    /// The live rows of a query, by identifier.
    func list(_ query: PullQuery, after token: PullToken?, itemCountMax: Int) -> PullPage {
        state.withLock { state in
            let rows = state.rows.values.map(\.item)
                .filter { !$0.isDeleted && Self.isVisible($0, in: query) }
                .filter { $0.id > token?.text ?? "" }
                .sorted { $0.id < $1.id }
            let page = Array(rows.prefix(itemCountMax))
            return PullPage(
                items: page, token: page.last.map { PullToken($0.id) },
                isLast: page.count == rows.count)
        }
    }

    private func store(
        _ operation: RemoteOperation, _ members: [String: JSONValue], isDeleted: Bool = false,
        in state: inout State
    ) -> RemoteOutcome {
        state.executedCount += 1
        Self.store(operation.id, members, isDeleted: isDeleted, in: &state)
        guard let item = state.rows[operation.id]?.item else {
            preconditionFailure("A row that was stored is there.")
        }
        return isDeleted ? .deleted(item) : .stored(item)
    }

    private static func store(
        _ id: String, _ members: [String: JSONValue], isDeleted: Bool, in state: inout State
    ) {
        state.sequence += 1
        let item = RemoteItem(
            id: id, version: "v\(state.sequence)", isDeleted: isDeleted, members: members)
        state.rows[id] = Row(item: item, sequence: state.sequence)
    }

    private static func isVisible(_ item: RemoteItem, in query: PullQuery) -> Bool {
        if query.channels.isEmpty { return true }
        let channels = item.members["channels"]?.arrayValue ?? []
        return channels.contains { $0.stringValue.map(query.channels.contains) ?? false }
    }
}

/// The way to a model server, on which things get lost.
struct ModelBackend: Backend {
    /// What happens to one request.
    enum Fault: CaseIterable {
        case none, requestLost, answerLost, delivered2, busy, serverFailed
    }

    var identifier = "model"
    let server: ModelServer
    /// Decides what happens to each request; it may do something else in the meantime.
    var fault: @Sendable () async -> Fault = { .none }
    /// Whether it can list items.
    var canList = true
    var carriesAttachments = false
    /// Refuses content.
    var uploadRejection: String?
    /// A condition of its own.
    var filter = ""
    /// Answers a deletion with nothing but that it is done.
    var hidesDeletedItems = false
    /// Refuses documents.
    var rejection: @Sendable (RemoteOperation) -> String? = { _ in nil }

    func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        try await attempt {
            server.page(query, after: token, itemCountMax: itemCountMax)
        }
    }

    func list(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage? {
        guard canList else { return nil }
        return try await attempt { server.list(query, after: token, itemCountMax: itemCountMax) }
    }

    func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
        try await attempt {
            if let reason = rejection(operation) { return .rejected(reason: reason) }
            let outcome = server.execute(operation)
            if hidesDeletedItems, case .deleted = outcome { return .deleted(nil) }
            return outcome
        }
    }

    func upload(
        _ attachment: DocumentAttachment
    ) async throws(ReplicationError) -> UploadOutcome {
        if let uploadRejection { return .rejected(reason: uploadRejection) }
        guard let data = try? attachment.data() else {
            throw ReplicationError(.localFailure, "The content was promised to be here.")
        }
        return try await attempt {
            server.state.withLock { state in
                state.contents[attachment.digest] = data
                state.uploadCount += 1
            }
            return .stored
        }
    }

    func download(
        _ attachment: DocumentAttachment, of id: String
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>? {
        try await attempt {
            let content = server.state.withLock { state in
                state.downloadCount += 1
                return state.contents[attachment.digest]
            }
            guard let content else { return nil }
            return AsyncThrowingStream { continuation in
                continuation.yield(content.prefix(2))
                continuation.yield(content.dropFirst(2))
                continuation.finish()
            }
        }
    }

    private func attempt<Answer>(_ act: () -> Answer) async throws(ReplicationError) -> Answer {
        let fault = await fault()
        if Task.isCancelled { throw ReplicationError(.cancelled, "The task was cancelled.") }
        switch fault {
        case .none:
            return act()
        case .requestLost:
            throw ReplicationError(.unreachable, "The request was lost.")
        case .answerLost:
            _ = act()
            throw ReplicationError(.unreachable, "The answer was lost.")
        case .delivered2:
            let answer = act()
            _ = act()
            return answer
        case .busy:
            throw ReplicationError(.busy, "Later.", retryAfter: .seconds(1))
        case .serverFailed:
            throw ReplicationError(.serverFailed, "Something broke.")
        }
    }
}
