import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport

@testable import SettleSync

/// A remote in memory, and everything it was ever asked.
///
/// It behaves as the table servers do: versions, tombstones, undeletion without a body, and a feed
/// in the order of the last changes. Attachments that an update does not mention stay.
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
        /// How often an item was looked up.
        var lookUpCount = 0
        /// The items that were refused because they are not shown.
        var refusedIds: [String] = []
        /// Whether it says of rows that leave a query that they do.
        var reportsLeaving = false
        /// The content of attachments, by digest.
        var contents: [String: Data] = [:]
        var uploadCount = 0
        var downloadCount = 0
        /// How many operations each request to carry some out had.
        var sentCounts: [Int] = []
        /// What is wrong with the items that operations are answered with.
        var spoilsStored: ItemFault?
        /// How often somebody began to listen.
        var listenCount = 0
        /// Those who listen, by number.
        var listeners: [Int: Listener] = [:]
    }

    /// One who waits for a change.
    struct Listener {
        var query: PullQuery
        var after: Int
        var continuation: CheckedContinuation<LiveChange?, Never>
    }

    let state = Lock(State())

    /// The live items' members, by identifier.
    var contents: [String: [String: JSONValue]] {
        state.withLock { state in
            state.rows.values.filter { !$0.item.isDeleted }
                .reduce(into: [:]) { $0[$1.item.id] = $1.item.members }
        }
    }

    var complaints: [String] { state.withLock { $0.complaints } }

    /// A change that another client, not simulated, makes; nil deletes.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - members: What it is from now on.
    ///   - fault: Why it cannot be a document.
    ///   - hasNoId: Whether it is shown without an identifier.
    func put(
        _ id: String, _ members: [String: JSONValue]?, fault: ItemFault? = nil,
        hasNoId: Bool = false
    ) {
        state.withLock { state in
            let old = state.rows[id]?.item.members ?? [:]
            Self.store(id, members ?? old, isDeleted: members == nil, in: &state)
            state.rows[id]?.item.fault = fault
            if hasNoId { state.rows[id]?.item.id = "" }
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
                let kept = current.members.filter { $0.key == AttachmentMember.name }
                let members = operation.members.merging(kept) { sent, _ in sent }
                return store(operation, members, in: &state)
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
                    item.isOutOfScope = !Self.isVisible(item, in: query)
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
        if isDeleted { return .deleted(item) }
        var shown = item
        shown.fault = state.spoilsStored
        state.rows[operation.id]?.item = shown
        return .stored(shown)
    }

    private static func store(
        _ id: String, _ members: [String: JSONValue], isDeleted: Bool, in state: inout State
    ) {
        state.sequence += 1
        let item = RemoteItem(
            id: id, version: "v\(state.sequence)", isDeleted: isDeleted, members: members)
        state.rows[id] = Row(item: item, sequence: state.sequence)
        for (number, listener) in state.listeners {
            guard let change = Self.change(for: listener, in: state) else { continue }
            state.listeners[number] = nil
            listener.continuation.resume(returning: change)
        }
    }

    static func isVisible(_ item: RemoteItem, in query: PullQuery) -> Bool {
        if query.channels.isEmpty { return true }
        let channels = item.members["channels"]?.arrayValue ?? []
        return channels.contains { $0.stringValue.map(query.channels.contains) ?? false }
    }
}
