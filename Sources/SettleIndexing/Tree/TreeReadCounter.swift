/// Counts what is read of a ``SummaryTree`` that has been given one.
///
/// A tree without a counter compares a reference with nil for each node, and does nothing for an entry.
package final class TreeReadCounter {
    /// How many leaves were taken apart; one that is read twice counts twice.
    package private(set) var leafCount = 0
    /// How many entries of those leaves were looked at.
    package private(set) var entryCount = 0
    /// How many leaves and inner nodes were taken as a whole, or passed by, by what their summary says.
    package private(set) var summaryCount = 0

    /// A counter that begins at 0.
    package init() {}

    func noteLeaf(entryCount: Int) {
        leafCount += 1
        self.entryCount += entryCount
    }

    func noteSummary() { summaryCount += 1 }
}
