import Foundation
import Settle
import Synchronization

@testable import SettleSync

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
    /// How many operations it takes together.
    var batchMax = 1
    /// Whether it tells of changes.
    var canListen = false
    /// Why it cannot be listened to just now; asked each time.
    var listeningFailure: @Sendable () -> ReplicationError? = { nil }
    /// Refuses everything.
    var refusal: RemoteRejection?
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
        server.state.withLock { $0.sentCounts.append(1) }
        return try await attempt { execute(operation) }
    }

    func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome {
        try await attempt {
            server.state.withLock { $0.rows[id].map { .found($0.item) } ?? .absent }
        }
    }

    func batchCountMax() async throws(ReplicationError) -> Int { batchMax }

    func send(
        _ operations: [RemoteOperation]
    ) async throws(ReplicationError) -> [Result<RemoteOutcome, ReplicationError>] {
        server.state.withLock { state in
            state.sentCounts.append(operations.count)
            if !(2...batchMax).contains(operations.count) {
                state.complaints.append("\(operations.count) operations were sent together.")
            }
        }
        return try await attempt { operations.map { .success(execute($0)) } }
    }

    private func execute(_ operation: RemoteOperation) -> RemoteOutcome {
        if let refusal { return .rejected(refusal) }
        if let reason = rejection(operation) { return .rejected(reason: reason) }
        let outcome = server.execute(operation)
        if hidesDeletedItems, case .deleted = outcome { return .deleted(nil) }
        return outcome
    }

    func awaitChange(
        _ query: PullQuery, after token: PullToken?, since cursor: String?
    ) async throws(ReplicationError) -> LiveChange? {
        guard canListen else { return nil }
        if let failure = listeningFailure() { throw failure }
        let places = [token?.text, cursor].compactMap { $0.flatMap { Int($0) } }
        guard let change = await server.change(query, after: places.max() ?? 0) else {
            throw ReplicationError(.cancelled, "The task was cancelled.")
        }
        return change
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
