public import Settle
import SettlePrimitives
import Synchronization

extension Database {
    /// Opens the outbox of this database.
    ///
    /// What an earlier process left is brought up to date: operations that it had started are pending
    /// again, those of renamed and removed pipelines are moved. Then the pipelines begin.
    ///
    /// - Parameter configuration: The types of operations and the pipelines.
    /// - Returns: The outbox, which runs until it is closed.
    /// - Throws: ``OutboxError`` with `alreadyOpen`, `invalidName`, `unknownPipeline`, or with `closed` when
    ///   it is closed while it opens; ``/Settle/DatabaseError`` when the database is damaged or cannot be written.
    /// - Complexity: O(log n) in the length of the queue, unless pipelines were renamed or removed.
    public func openOutbox(_ configuration: OutboxConfiguration) async throws -> Outbox {
        try configuration.check()
        let outbox = Outbox(self, configuration)
        try OutboxCenter.of(self).set(outbox)
        addParticipant(outbox)
        addSideTableCheck(.outbox)
        do {
            try await outbox.open()
        } catch {
            await outbox.close()
            throw error
        }
        return outbox
    }

    /// The outbox that is open; nil when none is.
    public var outbox: Outbox? { OutboxCenter.of(self).outbox }
}

/// Knows the open outbox of a database.
final class OutboxCenter: Sendable {
    private let state = Lock<Outbox?>(nil)

    static func of(_ database: Database) -> OutboxCenter {
        database.scopedObject { OutboxCenter() }
    }

    var outbox: Outbox? { state.withLock { $0 } }

    func set(_ outbox: Outbox) throws(OutboxError) {
        let isFree = state.withLock { open in
            if open == nil { open = outbox }
            return open === outbox
        }
        if !isFree {
            throw OutboxError(
                .alreadyOpen,
                "The database '\(outbox.database.name)' has an open outbox. Use it, or close it first."
            )
        }
    }

    func forget(_ outbox: Outbox) {
        state.withLock { if $0 === outbox { $0 = nil } }
    }
}
