public import Foundation
public import Settle

/// The remote of a replication, without a word about how it is reached.
///
/// A back-end is an adapter with two halves: pull a page after a token, and send one operation.
/// It keeps no state that matters: everything that must survive (tokens, versions, what is still
/// to be sent) is kept by the replicator in the database, in the transactions that store the
/// documents themselves. Methods are called from several tasks at once.
///
/// A back-end ends early with ``ReplicationError/Code/cancelled`` when its task is cancelled.
public protocol Backend: Sendable {
    /// What the remote is called in the database: its address without credentials.
    ///
    /// Everything the replicator remembers is kept under this name, and documents that came from
    /// it carry it as their origin. It must be the same in every run and at most 255 bytes of
    /// UTF-8.
    var identifier: String { get }

    /// Finds out what the remote offers, as far as the back-end's properties depend on that and
    /// nothing has told it yet.
    ///
    /// Called before the first operation of a cycle; the default does nothing. It may take a
    /// request, once.
    ///
    /// - Throws: As ``pull(_:after:itemCountMax:isFirstPage:)``.
    func prepare() async throws(ReplicationError)

    /// Which of the remote's items we are let see, as far as that is known beforehand.
    ///
    /// Any text that changes when our rights do, without secrets. With other rights, older items
    /// come into scope whose changes lie before the token, so a pull with another scope begins at
    /// the beginning; what is here already changes nothing. The default says that rights never
    /// change.
    ///
    /// - Returns: The scope.
    /// - Throws: ``ReplicationError`` when no credentials can be had.
    func scope() async throws(ReplicationError) -> String

    /// A condition that every pull of this back-end has beside the channels, in its own words;
    /// empty for none, which is the default.
    ///
    /// Tokens are kept apart for each.
    var filter: String { get }

    /// Fetches the next items of a query.
    ///
    /// Called again with the token of the page before until a page says that it is the last. The
    /// same item may come more than once, in any version; what must not happen is that an item
    /// changed after the token never comes. One that cannot be read is among them as well, with a
    /// ``RemoteItem/fault``, so that it does not stop the others. A page between the first and the last must carry
    /// another token than the one it was asked for with.
    ///
    /// - Parameters:
    ///   - query: Which items; the token belongs to exactly this query.
    ///   - token: Where the page before ended; nil for the first page ever.
    ///   - itemCountMax: The most items to return, 1 or more.
    ///   - isFirstPage: True when a pull begins; then it is worth asking how many items there are,
    ///     and nothing a token says about the course of an earlier pull holds any more.
    /// - Returns: Items, oldest change first, and where they end.
    /// - Throws: ``ReplicationError`` with any of the codes that its documentation gives to
    ///   back-ends.
    func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage

    /// Looks up one item.
    ///
    /// Asked, too, when the answer to an operation leaves out members that were sent: some servers
    /// answer before they know the columns that other requests just made.
    ///
    /// - Parameter id: The item.
    /// - Returns: The item, or that there is none; `notOffered`, which is the default, from a
    ///   back-end that cannot tell.
    /// - Throws: As ``pull(_:after:itemCountMax:isFirstPage:)``.
    func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome

    /// Lists the live items of a query, whole and ordered by identifier in any fixed way, whenever
    /// they were changed.
    ///
    /// This is how it is found out that items left without a word: deleted for good, or out of the
    /// query's scope on a remote that does not report that. An item that matches all the while
    /// must be listed. Nothing a listing says depends on clocks.
    ///
    /// - Parameters:
    ///   - query: Which items.
    ///   - token: Where the page before ended; nil for the first page.
    ///   - itemCountMax: The most items to return, 1 or more.
    /// - Returns: Items and where they end; nil when the remote cannot be asked like this, which
    ///   is the default.
    /// - Throws: As ``pull(_:after:itemCountMax:isFirstPage:)``.
    func list(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage?

    /// Carries out one operation on the remote.
    ///
    /// The operation may have been carried out before, when an answer was lost. A back-end need
    /// not know: it reports the conflict that the remote sees, with the item that is there, and
    /// the replicator recognises its own work.
    ///
    /// - Parameter operation: What to do with which item.
    /// - Returns: What the remote made of it.
    /// - Throws: ``ReplicationError`` when it is not known whether the operation was carried out,
    ///   or when it was not and another try may help.
    func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome

    /// How many operations may go to the remote together, as far as is known by now.
    ///
    /// Asked while several operations wait; it may take a request to find out, once.
    ///
    /// - Returns: The most operations of one `send(_:)` with several operations; 1, which is the
    ///   default, when each goes by itself.
    /// - Throws: As ``pull(_:after:itemCountMax:isFirstPage:)``.
    func batchCountMax() async throws(ReplicationError) -> Int

    /// Carries out several operations on the remote, each on its own merits.
    ///
    /// They belong to different items, and none has attachments to bring first. What fails here
    /// because the remote failed or gave a senseless answer is sent once more by itself, so that
    /// nothing suffers for the company it was in; it may have been carried out before, as in
    /// ``send(_:)-(RemoteOperation)``.
    ///
    /// - Parameter operations: Two or more, and at most ``batchCountMax()``.
    /// - Returns: What the remote made of each, in their order.
    /// - Throws: ``ReplicationError`` when that is not known of any of them.
    func send(
        _ operations: [RemoteOperation]
    ) async throws(ReplicationError) -> [Result<RemoteOutcome, ReplicationError>]

    /// Waits until something changes among a query's items.
    ///
    /// Asked again and again while a replication waits for its next poll; a change ends the wait, and a pull follows.
    /// An answer that nothing changed has to take its time: one that comes within a second counts
    /// as a failure. The task is cancelled when the wait ends for another reason.
    ///
    /// - Parameters:
    ///   - query: Which items.
    ///   - token: Where the last pull of this query ended; nil when there was none. What changed
    ///     after it is a change.
    ///   - cursor: What the last answer for this query said; nil before the first. What it reported
    ///     is reported no more as long as the token stays where it was, so that a change that no
    ///     pull shows is not reported for ever.
    /// - Returns: Whether something changed; nil when the remote does not offer this, which is the
    ///   default.
    /// - Throws: As ``pull(_:after:itemCountMax:isFirstPage:)``.
    func awaitChange(
        _ query: PullQuery, after token: PullToken?, since cursor: String?
    ) async throws(ReplicationError) -> LiveChange?

    /// Whether items carry attachments, as far as is known by now; false unless a back-end says
    /// otherwise.
    ///
    /// Asked after ``prepare()``, and after the first page of a pull; a cycle goes by the first
    /// answer. When it changes from false to true, everything is fetched once more, and what went
    /// without its attachments gets them.
    ///
    /// Where they do, an item's member `_attachments` describes them; none is as good as `{}`:
    /// `{"photo.jpg": {"content_type": "image/jpeg", "length": 3, "digest": "<SHA-256>"}}`.
    var carriesAttachments: Bool { get }

    /// Brings the content of an attachment to the remote, before an item that has it.
    ///
    /// - Parameter attachment: An attachment whose content is here; ``/Settle/DocumentAttachment/chunks``
    ///   reads it.
    /// - Returns: What became of it. Content that is there already is `stored`.
    /// - Throws: As ``send(_:)->RemoteOutcome``.
    func upload(
        _ attachment: DocumentAttachment
    ) async throws(ReplicationError) -> UploadOutcome

    /// Fetches the content of an attachment.
    ///
    /// - Parameters:
    ///   - attachment: The attachment.
    ///   - id: The item that has it.
    /// - Returns: The content in pieces, which may throw a ``ReplicationError``; it need not be
    ///   checked. Nil when the remote has no such attachment any more.
    /// - Throws: As ``pull(_:after:itemCountMax:isFirstPage:)``.
    func download(
        _ attachment: DocumentAttachment, of id: String
    ) async throws(ReplicationError) -> AsyncThrowingStream<Data, any Error>?
}

extension Backend {
    /// Nothing to find out.
    public func prepare() async throws(ReplicationError) {}

    /// Rights that never change.
    public func scope() async throws(ReplicationError) -> String { "" }

    /// No condition.
    public var filter: String { "" }

    /// A remote that cannot be asked.
    public func list(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage? { nil }

    /// Each operation goes by itself.
    public func batchCountMax() async throws(ReplicationError) -> Int { 1 }

    /// Sends one after the other.
    public func send(
        _ operations: [RemoteOperation]
    ) async throws(ReplicationError) -> [Result<RemoteOutcome, ReplicationError>] {
        var results: [Result<RemoteOutcome, ReplicationError>] = []
        for operation in operations {
            do throws(ReplicationError) {
                results.append(.success(try await send(operation)))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Not offered.
    public func awaitChange(
        _ query: PullQuery, after token: PullToken?, since cursor: String?
    ) async throws(ReplicationError) -> LiveChange? { nil }
}
