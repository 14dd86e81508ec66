/// When a replication does a full resync: lists everything that it asks for, to find what left its scope without a report.
///
/// A pull hears of what changes, not of what vanishes: rows deleted for good, and rows that left
/// the filter or the channels of a remote that does not report that. A listing shows them by
/// their absence; their documents are purged here, unless they have something to tell first. It
/// also brings what a pull passed by because the remote's clock was set back.
///
/// It costs a request for each page of everything that the query asks for, and needs a back-end
/// that can list; others pass it over.
public enum Reconciling: Sendable, Hashable {
    /// Not at all.
    case never
    /// In the first cycle that gets through.
    case atStart
    /// When this long has passed since the last time, by the clock on the wall, restarts included.
    case every(Duration)
}
