public import CoreMetrics
public import Foundation
public import Logging
public import Settle

/// What can be asked about a replication.
public protocol ReplicationDetails: Sendable {
    /// The far side.
    var url: URL { get }
    /// Whether it goes on, cycle after cycle, until it is stopped.
    var isRepeating: Bool { get }
    /// Whether changes made here are sent.
    var isBidirectional: Bool { get }
    /// What the back-end wants to know, by name; see the back-end.
    var options: [String: any Sendable] { get }
    /// Handed to the filter delegate.
    var filterParameters: [String: any Sendable]? { get }
    /// Only documents in one of these channels are fetched; empty for all that may be seen.
    var limitToChannels: [String] { get }
}

/// What to replicate with, and how.
///
/// > Source: names and defaults are those of the Predix Mobile SDK's
/// > `Database.ReplicationConfiguration`, as far as that has them.
public struct ReplicationConfiguration: ReplicationDetails {
    /// The far side.
    public var url: URL
    /// Whether it goes on, cycle after cycle, until it is stopped; true unless given.
    public var isRepeating: Bool
    /// Whether changes made here are sent; true unless given.
    ///
    /// Otherwise they wait, and what is fetched does not overwrite them.
    public var isBidirectional: Bool
    /// What the back-end wants to know, by name; see the back-end.
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
    public var pageSize = SyncTuning.pageSizeDefault
    /// The most operations in flight, 1 or more; 8 unless given.
    ///
    /// Operations of one document never overlap.
    public var concurrentRequestsMax = SyncTuning.concurrentRequestsDefault
    /// How many failures in a row a one-shot replication tries to get over; 3 unless given.
    public var retryLimit = SyncTuning.retryLimitDefault
    /// How long a repeating replication rests when nothing happens here; 30 seconds unless given.
    public var pollInterval = SyncTuning.pollIntervalDefault

    /// When everything is listed, to find what left without a word; never unless given.
    public var reconciling = Reconciling.never
    /// Whether an update carries only the members that changed, where the far side can merge them
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
    /// The clock that rests and waits are measured with.
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
        self.isBidirectional = isBidirectional
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

    /// From the far side to here, once.
    public static func oneTimeServerToClientReplication(with url: URL) -> Self {
        Self(url: url, isRepeating: false, isBidirectional: false)
    }
}

extension Database {
    /// What to replicate with, and how.
    public typealias ReplicationConfiguration = SettleSync.ReplicationConfiguration
}
