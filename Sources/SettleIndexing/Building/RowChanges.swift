/// What one step changed among the rows of an index, for its subscribers.
package struct RowChanges: Sendable {
    /// The slot of the rows.
    package let slot: Int
    /// The sequence that the rows had before.
    package let base: UInt64
    /// The sequence that they have now.
    package let reached: UInt64
    /// The keys of rows that were made, replaced, or removed; ascending.
    ///
    /// Some may be as before.
    package let keys: [[UInt8]]
    /// The documents whose rows they are, ascending; also those that had no rows and have none.
    package let documentIDs: [String]
    /// True when no row was made or removed, so that at most values are others; false also when that
    /// is not known.
    package let keepsKeys: Bool

    /// A change.
    package init(
        slot: Int, base: UInt64, reached: UInt64, keys: [[UInt8]], documentIDs: [String],
        keepsKeys: Bool = false
    ) {
        self.slot = slot
        self.base = base
        self.reached = reached
        self.keys = keys
        self.documentIDs = documentIDs
        self.keepsKeys = keepsKeys
    }
}
