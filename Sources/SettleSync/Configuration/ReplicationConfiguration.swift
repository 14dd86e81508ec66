public import CoreMetrics
public import Foundation
public import Logging
public import Settle

/// Which way documents go.
public enum ReplicationDirection: String, Sendable, Hashable, CaseIterable {
    /// Changes made here are sent, then what changed on the server is fetched.
    case bidirectional
    /// Fetching alone. Changes made here wait in the queue, and what is fetched does not overwrite
    /// them.
    case serverToClient
    /// Sending alone. Nothing is fetched but what the server answers to what it is sent.
    case clientToServer
}

/// What can be asked about a replication.
public protocol ReplicationDetails: Sendable {
    /// The remote.
    var url: URL { get }
    /// Whether it goes on, cycle after cycle, until it is stopped.
    var isRepeating: Bool { get }
    /// Whether documents go both ways.
    var isBidirectional: Bool { get }
    /// Which way documents go.
    var direction: ReplicationDirection { get }
    /// Settings of the back-end by name, such as a token; see the back-end.
    var options: [String: any Sendable] { get }
    /// Handed to the filter delegate.
    var filterParameters: [String: any Sendable]? { get }
    /// Only documents in one of these channels are fetched; empty for all that may be seen.
    var limitToChannels: [String] { get }
}

extension ReplicationDetails {
    /// Both ways, or from the server to here.
    public var direction: ReplicationDirection {
        isBidirectional ? .bidirectional : .serverToClient
    }
}

/// What to replicate with, and how.
///
/// ```swift
/// var configuration = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
/// configuration.options = ["token": token]
/// let summary = try await database.replicate(with: configuration)
/// print("sent \(summary.pushed), fetched \(summary.pulled)")
/// ```
///
/// > Source: names and defaults are those of the Predix Mobile SDK's
/// > `Database.ReplicationConfiguration`, as far as that has them.
public struct ReplicationConfiguration: ReplicationDetails {
    /// The remote.
    public var url: URL
    /// Whether it goes on, cycle after cycle, until it is stopped; true unless given.
    public var isRepeating: Bool
    /// Which way documents go; both unless given.
    public var direction: ReplicationDirection
    /// Whether documents go both ways; true unless given.
    ///
    /// Setting it to false means ``ReplicationDirection/serverToClient``: changes made here wait,
    /// and what is fetched does not overwrite them.
    public var isBidirectional: Bool {
        get { direction == .bidirectional }
        set { direction = newValue ? .bidirectional : .serverToClient }
    }
    /// Settings of the back-end by name, such as a token; see the back-end.
    public var options: [String: any Sendable]
    /// Handed to the filter delegate.
    public var filterParameters: [String: any Sendable]?
    /// Only documents in one of these channels are fetched; empty for all that may be seen.
    public var limitToChannels: [String]
    /// Whether the content of attachments comes with their documents, from back-ends that have
    /// attachments; true unless given.
    ///
    /// Otherwise only descriptions come, and
    /// ``Settle/Database/downloadAttachments(ofDocumentWithId:using:)`` fetches content later.
    public var downloadsAttachments = true

    /// Which documents of the database belong to the remote; all unless given.
    ///
    /// Give each table a scope where a database has the documents of several.
    public var scope = ReplicationScope.all

    /// Who decides conflicts; unless given they stay listed, and nothing is lost.
    public var conflictHandler: ConflictHandler = .leave
    /// The most items asked for at a time, 1 or more; 500 unless given.
    ///
    /// A back-end may ask for less: tables of servers give 1,000 at most, and some refuse to give as many.
    public var pageSize = SyncTuning.pageSizeDefault
    /// The most operations in flight, 1 or more; 8 unless given.
    ///
    /// Operations of one document never overlap. With CouchDB it is of how many documents attachments are fetched at once, and
    /// the most bulk writes under way, of which there are never more than four; leaves of one document may be in two of them.
    public var concurrentRequestsMax = SyncTuning.concurrentRequestsDefault
    /// How many failures in a row a one-shot replication tries to get over; 3 unless given.
    public var retryLimit = SyncTuning.retryLimitDefault
    /// How often a repeating replication polls a remote without live changes; 30 seconds unless given.
    public var pollInterval = SyncTuning.pollIntervalDefault

    /// What the app calls the query that this replication pulls, 1 to 255 bytes of UTF-8; nil unless
    /// given.
    ///
    /// How far it got is kept apart from other queries, and
    /// ``Settle/Database/removePullCheckpoints(of:queryId:)`` lets it begin anew.
    public var queryId: String?
    /// Whether a pull goes on where the last one of the query ended; true unless given.
    ///
    /// Otherwise everything is fetched in every cycle, nothing is remembered of how far it got, and
    /// nothing is reconciled.
    public var isIncremental = true
    /// When a full resync lists everything, to purge what is gone; never unless given.
    public var reconciling = Reconciling.never
    /// Whether an update carries only the members that changed, where the remote can merge them
    /// into what it has; false unless given, which sends documents whole.
    ///
    /// Less to send. Two edits of different members still meet as a conflict, since the version is
    /// checked all the same.
    public var sendsOnlyChanges = false
    /// Where this replication logs; the database's `replicationLogger` unless given.
    public var logger: Logger?
    /// Where this replication counts, under the labels that Docs/Guides/Replication.md lists;
    /// nowhere unless given.
    public var metrics: (any MetricsFactory)?

    /// What time it is.
    package var now: @Sendable () -> Date = { Date() }
    /// The clock that waits are measured with.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// A number from 0 to 1 that spreads the waits of many clients.
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// A configuration; what is not given has the defaults named at each property.
    public init(
        url: URL, isRepeating: Bool = true, isBidirectional: Bool = true,
        options: [String: any Sendable] = [:],
        filterParameters: [String: any Sendable]? = nil, limitToChannels: [String] = []
    ) {
        self.url = url
        self.isRepeating = isRepeating
        direction = isBidirectional ? .bidirectional : .serverToClient
        self.options = options
        self.filterParameters = filterParameters
        self.limitToChannels = limitToChannels
    }

    /// Both ways, until it is stopped.
    public static func repeatingBidirectionalReplication(with url: URL) -> Self {
        Self(url: url)
    }

    /// Both ways, once.
    public static func oneTimeBidirectionalReplication(with url: URL) -> Self {
        Self(url: url, isRepeating: false)
    }

    /// From the remote to here, once.
    public static func oneTimeServerToClientReplication(with url: URL) -> Self {
        Self(url: url, isRepeating: false, isBidirectional: false)
    }

    /// From here to the remote, once: what waits is sent, and nothing is fetched.
    public static func oneTimeClientToServerReplication(with url: URL) -> Self {
        var configuration = Self(url: url, isRepeating: false)
        configuration.direction = .clientToServer
        return configuration
    }
}

extension Database {
    /// What to replicate with, and how.
    public typealias ReplicationConfiguration = SettleSync.ReplicationConfiguration
}

extension ReplicationConfiguration {
    /// Checks the name of the remote, and the numbers that have a range.
    ///
    /// - Throws: ``ReplicationError`` with `misconfigured`, saying which values are allowed.
    func check(of remote: String) throws(ReplicationError) {
        guard (1...SyncTuning.identifierLengthMax).contains(remote.utf8.count) else {
            throw ReplicationError(
                .misconfigured,
                "The name of the remote has \(remote.utf8.count) bytes; it needs 1 to "
                    + "\(SyncTuning.identifierLengthMax). Use a shorter address.")
        }
        for (name, value) in [
            ("pageSize", pageSize), ("concurrentRequestsMax", concurrentRequestsMax),
        ] where value < 1 {
            throw ReplicationError(
                .misconfigured,
                "The replication's '\(name)' is \(value); it has to be 1 or more.")
        }
    }
}
