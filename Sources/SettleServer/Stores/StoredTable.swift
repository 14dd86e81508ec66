package import Foundation
package import SettleTableProtocol

/// How long a read may take.
package enum ReadLength: Sendable {
    /// A few items.
    case short
    /// A walk over many, in turns with those of other senders.
    case long(SenderKey)
}

/// One table of a store.
package protocol StoredTable: Sendable {
    var name: TableName { get }

    /// Runs a closure over one state of the table.
    ///
    /// A long one may run once more, over another state, so it must do nothing but read and compute.
    ///
    /// - Parameters:
    ///   - length: How long it may take: a store runs what is long, and all that blocks, on threads of its
    ///     own, so that it does not keep other tasks waiting.
    ///   - body: What to read.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: What `body` throws; the store's own error when it cannot be read.
    func read<Value: Sendable>(
        _ length: ReadLength, _ body: @escaping @Sendable (any TableSnapshot) throws -> Value
    ) async throws -> Value

    /// Runs a closure at once, on the thread of the caller, over one state of the table, if it takes little time
    /// and other work leaves room for it.
    ///
    /// - Parameters:
    ///   - sender: Who reads.
    ///   - body: What to read, which is given up when it takes long; it must do nothing but read and compute.
    /// - Returns: What `body` returned; nil when it was not run to its end, and is to be read as a long read.
    /// - Throws: As ``read(_:_:)``.
    func readNow<Value>(
        for sender: SenderKey, _ body: (any TableSnapshot) throws -> Value
    ) throws -> Value?

    /// Whether an item is so large that even to read it alone is a long read.
    ///
    /// - Throws: The store's own error when it cannot be read.
    func isLarge(_ id: String) throws -> Bool

    /// Runs a closure that changes items, and returns when its commit is stored.
    ///
    /// Closures that arrive together may share one commit; each has its own result, and one that
    /// throws leaves no trace. A closure may run more than once, so it must do nothing but use its
    /// transaction and compute.
    ///
    /// - Parameters:
    ///   - ids: The items that the closure will look at, so that a store may read them at once; it
    ///     may look at others, too.
    ///   - body: What to do.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: What `body` throws; the store's own error when it cannot be stored.
    func write<Value: Sendable>(
        touching ids: [String],
        _ body: @escaping @Sendable (any TableTransaction) throws -> Value
    ) async throws -> Value

    /// Says that something was committed to the table, by this process or another.
    ///
    /// Signals that were not taken are put together, and there may be some without a change. A store
    /// that may have missed one, as after a lost connection, sends one. Ends when the store is closed.
    func changes() -> AsyncStream<Void>

    /// Takes content in, in constant memory, to wait for an item of its owner.
    ///
    /// - Parameters:
    ///   - chunks: The content.
    ///   - digest: Its SHA-256.
    ///   - owner: Who may attach it.
    ///   - now: The computer's clock.
    /// - Throws: ``Problem/contentDiffers`` when the content has another digest, and what `chunks`
    ///   throws; nothing is left then. The store's own error when it cannot take it.
    func hold<Chunks: AsyncSequence>(
        _ chunks: Chunks, as digest: AttachmentDigest, for owner: ContentOwner,
        now: @escaping @Sendable () -> Date
    ) async throws where Chunks.Element == Data

    /// Ends the wait for contents that an item of their owner has taken now.
    ///
    /// - Throws: The store's own error when it cannot be written.
    func endHold(_ digests: [AttachmentDigest], of owner: ContentOwner, now: Date) async throws

    /// The content of an attachment.
    ///
    /// - Parameters:
    ///   - attachment: The attachment as its item describes it.
    ///   - id: The item.
    ///   - offset: Where to begin, in bytes; from 0 the digest is verified at the end, before the last
    ///     chunk is given away.
    /// - Returns: The content from there on in pieces; nil when it is not there.
    /// - Throws: The store's own error when it cannot be read.
    func content(
        of attachment: AttachmentDescription, in id: String, from offset: Int
    ) async throws -> (any AsyncSequence<Data, any Error> & Sendable)?
}

extension StoredTable {
    /// No: for stores that read on threads of their own in any case.
    package func isLarge(_ id: String) throws -> Bool { false }

    /// Nothing: for stores whose reads block.
    package func readNow<Value>(
        for sender: SenderKey, _ body: (any TableSnapshot) throws -> Value
    ) throws -> Value? { nil }

    /// Runs a closure that reads a few items.
    ///
    /// - Returns: What `body` returned.
    /// - Throws: As ``read(_:_:)``.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any TableSnapshot) throws -> Value
    ) async throws -> Value {
        try await read(.short, body)
    }
}
