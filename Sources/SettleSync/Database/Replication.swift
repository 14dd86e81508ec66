import Foundation
import Settle

/// A replication that was started beside others.
///
/// Any number may run in one database, with the same remote or with others. Those of one remote
/// push one after the other, from one queue. Letting go of the handle does not end the replication.
///
/// ```swift
/// let replication = try await database.addReplication(with: configuration)
/// replication.addChannel("continent-AF")
/// replication.limitToChannels = ["continent-AF", "continent-AS"]
/// await replication.stop()
/// ```
public final class Replication: Sendable {
    let session: any RunningReplication

    init(_ session: any RunningReplication) {
        self.session = session
    }

    /// The remote, as its back-end calls it.
    public var remote: String { session.remote }

    /// How it replicates, with the channels as they are now.
    public var details: any ReplicationDetails { session.configuration }

    /// What happens in it from now on; a new stream each time, which ends with the replication.
    ///
    /// A reader that falls 1,000 events behind loses the oldest.
    public var events: AsyncStream<ReplicationEvent> {
        session.events.stream(.bufferingNewest(1_000))
    }

    /// Only documents in one of these channels are fetched; empty for all that may be seen.
    ///
    /// May be changed while it runs: the pull under way ends with the page it is at, and the next
    /// begins at once. A set of channels that was pulled before goes on where it was. Documents of
    /// channels that are taken away stay here until the remote says something about them; see
    /// ``Settle/Database/purgeReplicatedDocuments(of:discardingPendingOperations:where:)``.
    public var limitToChannels: [String] {
        get { session.channels }
        set { session.setChannels { $0 = newValue } }
    }

    /// Fetches documents of this channel, too.
    ///
    /// - Parameter channel: The channel; one that is asked for already changes nothing.
    public func addChannel(_ channel: String) {
        session.setChannels { if !$0.contains(channel) { $0.append(channel) } }
    }

    /// Does not fetch documents of this channel any more.
    ///
    /// Taking the last one away would mean to ask for everything; it is refused.
    ///
    /// - Parameter channel: The channel.
    /// - Returns: False when it was the last, and nothing was changed.
    @discardableResult
    public func removeChannel(_ channel: String) -> Bool {
        session.setChannels { channels in
            guard channels != [channel] else { return false }
            channels.removeAll { $0 == channel }
            return true
        }
    }

    /// Fetches documents of all channels that may be seen.
    public func removeAllChannels() {
        session.setChannels { $0 = [] }
    }

    /// Begins the next cycle of a repeating replication at once.
    ///
    /// Ends the wait for the next poll, and the one after a failure: call it when the network is back. It ends a wait
    /// that the server asked for (`Retry-After`), too, which may ask for another; but not one that it asked for when it
    /// was listened to. While a cycle runs, the wait behind it is left out.
    public func wake() {
        session.wake()
    }

    /// Ends the replication and waits until it has ended; the status delegate is not called.
    ///
    /// A request in flight is given up; what it did is found out by the next replication.
    public func stop() async {
        session.cancel()
        await session.end()
    }

    /// Waits until the replication ends by itself or is stopped.
    ///
    /// - Returns: What it did, if it is no repeating one.
    /// - Throws: ``ReplicationError`` when it failed; `CancellationError` when it was stopped.
    ///   Cancelling the task that waits ends neither the wait nor the replication: ``stop()`` does.
    @discardableResult
    public func summary() async throws -> ReplicationSummary {
        try await session.summary()
    }
}

extension ReplicationCenter {
    /// Starts a session beside those that run.
    func begin(_ session: any RunningReplication) -> Replication {
        add(session)
        session.start(after: [])
        return Replication(session)
    }
}
