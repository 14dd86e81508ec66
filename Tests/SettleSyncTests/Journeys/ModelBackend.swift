import Foundation
import Settle
import SettlePrimitives
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
    /// Answers the deletion of a deleted item with a conflict, as a server does that compares versions.
    var refusesTombstones = false
    /// How many operations it takes together.
    var batchMax = 1
    /// Whether it tells of changes.
    var canListen = false
    /// Why it cannot be listened to just now; asked each time.
    var listeningFailure: @Sendable () -> ReplicationError? = { nil }
    /// Refuses everything.
    var rejectionOfAll: RemoteRejection?
    /// How items look in answers to operations.
    var answered: @Sendable (RemoteItem) -> RemoteItem = { $0 }
    /// How deleted items look in answers to their deletion.
    var deleted: @Sendable (RemoteItem) -> RemoteItem = { $0 }
    /// How items look that are looked up; nil where that cannot be done.
    var lookedUp: (@Sendable (RemoteItem) -> RemoteItem)? = { $0 }
    /// Why an item cannot be looked up; asked before each look-up.
    var lookUpFailure: @Sendable (String) -> ReplicationError? = { _ in nil }
    /// How items look in pages.
    var listed: @Sendable (RemoteItem) -> RemoteItem = { $0 }
    /// Whether an item is there and not shown to us.
    var hides: @Sendable (String) -> Bool = { _ in false }
    /// Why one of several operations got no answer of its own.
    var failure: @Sendable (RemoteOperation) -> ReplicationError? = { _ in nil }
    /// Refuses documents.
    var rejection: @Sendable (RemoteOperation) -> String? = { _ in nil }

    func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        try await attempt {
            var page = server.page(query, after: token, itemCountMax: itemCountMax)
            page.items = page.items.filter { !hides($0.id) }.map(listed)
            return page
        }
    }

    func list(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage? {
        guard canList else { return nil }
        return try await attempt {
            var page = server.list(query, after: token, itemCountMax: itemCountMax)
            page.items = page.items.filter { !hides($0.id) }.map(listed)
            return page
        }
    }

    func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
        server.state.withLock { $0.sentCounts.append(1) }
        return try await attempt { execute(operation) }
    }

    func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome {
        guard let lookedUp else { return .notOffered }
        if let failure = lookUpFailure(id) { throw failure }
        return try await attempt {
            server.state.withLock { state in
                state.lookUpCount += 1
                return state.rows[id].map { .found(lookedUp($0.item)) } ?? .absent
            }
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
        return try await attempt {
            operations.map { operation in
                failure(operation).map { .failure($0) } ?? .success(execute(operation))
            }
        }
    }

    private func execute(_ operation: RemoteOperation) -> RemoteOutcome {
        if let rejectionOfAll { return .rejected(rejectionOfAll) }
        if let reason = rejection(operation) { return .rejected(reason: reason) }
        if hides(operation.id), server.state.withLock({ $0.rows[operation.id] }) != nil {
            server.state.withLock { $0.refusedIds.append(operation.id) }
            return operation.kind == .delete ? .deleted(nil) : .conflict(nil)
        }
        let isTombstone = server.state.withLock { $0.rows[operation.id]?.item.isDeleted ?? false }
        let outcome = server.execute(operation)
        switch outcome {
        case .stored(let item): return .stored(answered(item))
        case .conflict(let item?): return .conflict(answered(item))
        case .deleted where hidesDeletedItems: return .deleted(nil)
        case .deleted(let item?) where refusesTombstones && isTombstone:
            return .conflict(deleted(item))
        case .deleted(let item?): return .deleted(deleted(item))
        default: return outcome
        }
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
