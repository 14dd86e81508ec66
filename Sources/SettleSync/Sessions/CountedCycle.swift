/// A cycle of a replication that counts what it does.
protocol CountedCycle {
    /// What was done so far.
    var summary: ReplicationSummary { get }
    /// What of the summary the metrics have.
    var counted: ReplicationSummary { get set }
}
