import Settle
import SettlePrimitives
import Synchronization

/// Contents that were sent to a database and wait for somebody to say that they are wanted.
///
/// They are in the database, and no document has them. All state is guarded by one lock.
final class StagedAttachments: Sendable {
    /// A content, and what it is for.
    struct Staged: Sendable {
        let database: Database
        let documentId: String
        /// The revision of the document that the page showed.
        let revision: String
        let attachment: DocumentAttachment
    }

    private struct State {
        var number = 0
        var staged: [(key: String, content: Staged)] = []
    }

    private let state = Lock(State())

    /// How many may wait; the oldest gives way.
    private static let countMax = 16

    /// Keeps a content until it is taken; the oldest of too many is removed from its database.
    ///
    /// - Returns: What it is taken by.
    func add(_ content: Staged) async -> String {
        let (key, old) = state.withLock { state in
            state.number += 1
            let key = "\(state.number)"
            state.staged.append((key, content))
            let isFull = state.staged.count > Self.countMax
            return (key, isFull ? state.staged.removeFirst().content : nil)
        }
        if let old { await Self.discard(old) }
        return key
    }

    /// A content that waits, which then waits no more; nil when it does not.
    func take(_ key: String) -> Staged? {
        state.withLock { state in
            state.staged.firstIndex { $0.key == key }.map { state.staged.remove(at: $0).content }
        }
    }

    /// Removes a content from its database.
    static func discard(_ content: Staged) async {
        // What stays is removed by the database a day later.
        try? await content.database.discard(content.attachment)
    }

    /// Removes all that wait.
    func finish() async {
        let rest = state.withLock { state in
            defer { state.staged = [] }
            return state.staged.map(\.content)
        }
        for content in rest { await Self.discard(content) }
    }
}
