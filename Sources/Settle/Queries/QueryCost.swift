import SettleIndexing

/// What was read of an index for the answer to a query; see ``Database/measureQuery(on:with:)``.
///
/// The rows of an index are in leaves of some dozens to hundreds of rows. Leaves, and the nodes above them, have summaries: the
/// number of their rows, and what these reduce to. A query reads the leaves at the ends of its range, or all of it when the
/// rows themselves are asked for; of what is between, a reduction reads summaries.
public struct QueryCost: Sendable, Equatable {
    /// How many rows of the index were looked at, those of the answer included.
    public let rowsRead: Int
    /// How many leaves were read; one that was read twice counts twice.
    public let leavesRead: Int
    /// How many summaries of leaves and of the nodes above them were read.
    public let summariesRead: Int
    /// The time from the snapshot to the last row; bringing the index up to date comes before it.
    public let elapsed: Duration

    init() {
        (rowsRead, leavesRead, summariesRead, elapsed) = (0, 0, 0, .zero)
    }

    init(_ counter: TreeReadCounter, elapsed: Duration) {
        rowsRead = counter.entryCount
        leavesRead = counter.leafCount
        summariesRead = counter.summaryCount
        self.elapsed = elapsed
    }
}
