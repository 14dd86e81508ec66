package import Foundation

/// A state of a table that can be changed, for the time of a closure.
package protocol TableTransaction: TableSnapshot {
    /// The time of the next write, in microseconds since 1970: now, or one more than the last.
    ///
    /// Asked for once for each item that is saved.
    ///
    /// - Parameter now: What the computer's clock says.
    /// - Returns: A time after every one that was given before.
    /// - Throws: The store's own error.
    func nextTime(now: Date) throws -> Int64

    /// Stores an item, whole, with its place in the timeline, the marks of its removals, its keys in
    /// the indexes and its attachments.
    ///
    /// - Parameters:
    ///   - item: The item; its `updatedAt` is one that ``nextTime(now:)`` gave, or, for an item that is
    ///     brought over from another store, any that no other item of the table has. An empty `version`
    ///     lets the store make one that the item never had; another is kept.
    ///   - previous: The item as it is stored, nil for a new one.
    /// - Returns: The item with its version.
    /// - Throws: The store's own error when it cannot take it.
    func save(_ item: TableItem, over previous: TableItem?) throws -> TableItem
}
