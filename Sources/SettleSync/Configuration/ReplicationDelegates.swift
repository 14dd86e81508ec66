public import Settle

/// Decides which documents are sent to the remote, among those in the replication's scope.
///
/// A document that is held back still belongs to the remote. Which documents do is what
/// ``ReplicationConfiguration/scope`` says.
public protocol ReplicationFilterDelegate: AnyObject, Sendable {
    /// Whether the document may be sent.
    ///
    /// Called on the database's completion queue, one call at a time, for each change that is about
    /// to be sent. A
    /// deletion is asked about with the document as the remote still has it. What is held back
    /// is asked about again when the document changes and when a replication starts.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - document: The document.
    ///   - filterParameters: Those of the replication's configuration.
    /// - Returns: False to hold the change back.
    func database(
        _ database: Database, shouldSendDocument document: Document,
        filterParameters: [String: Any]?
    ) -> Bool
}

/// Notified of how a replication is doing, on the database's completion queue.
///
/// One call at a time, in the order in which things happened, whatever that queue is and however
/// many replications the database has; ``ReplicationFilterDelegate`` is called in the same turn.
/// When a replication has ended, `Database.replicationDetails` and `Database.replications` name it
/// no more, and another may be started from within the call.
public protocol ReplicationStatusDelegate: AnyObject, Sendable {
    /// A one-shot replication ended well, or a repeating one completed a cycle.
    func database(_ database: Database, replicationDidComplete details: any ReplicationDetails)

    /// Changes made here are being sent.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - details: The replication.
    ///   - sent: Operations of this cycle that the remote has carried out.
    ///   - totalToSend: Those and the ones that wait, as far as they are known.
    func database(
        _ database: Database, replicationIsSending details: any ReplicationDetails, sent: Int,
        totalToSend: Int)

    /// Changes of the remote are being stored.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - details: The replication.
    ///   - received: Items of this cycle that were stored or found to be here already.
    ///   - totalToReceive: Those and the ones to come, when the remote says how many; otherwise
    ///     what is known.
    func database(
        _ database: Database, replicationIsReceiving details: any ReplicationDetails,
        received: Int, totalToReceive: Int)

    /// A one-shot replication ended badly, or a repeating one did not complete a cycle and goes
    /// on trying.
    func database(
        _ database: Database, replicationFailed details: any ReplicationDetails, error: any Error)
}

extension ReplicationStatusDelegate {
    /// Does nothing.
    public func database(
        _ database: Database, replicationDidComplete details: any ReplicationDetails
    ) {}

    /// Does nothing.
    public func database(
        _ database: Database, replicationIsSending details: any ReplicationDetails, sent: Int,
        totalToSend: Int
    ) {}

    /// Does nothing.
    public func database(
        _ database: Database, replicationIsReceiving details: any ReplicationDetails,
        received: Int, totalToReceive: Int
    ) {}

    /// Does nothing.
    public func database(
        _ database: Database, replicationFailed details: any ReplicationDetails, error: any Error
    ) {}
}
