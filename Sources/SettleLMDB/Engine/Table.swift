/// A named table of an environment.
///
/// Handles are shared by all transactions of the environment that begin after the table was
/// created. A handle whose table was dropped, or whose creating transaction was rolled back, is
/// refused with `notFound` by every later use.
package struct Table: Sendable, Hashable {
    /// The table's name.
    package let name: String
    /// Its place among the handles of the environment.
    let slot: UInt32
    /// Tells this opening of the slot from every other one in the process.
    let serial: UInt64
}

/// One end of a range of keys; any bytes, also empty or longer than a key may be.
package enum Bound: Sendable, Hashable {
    /// No bound: from the first, or to the last key.
    case unbounded
    /// The key itself belongs to the range.
    case including([UInt8])
    /// The key itself does not belong to the range.
    case excluding([UInt8])
}

/// The order of a walk.
package enum Direction: Sendable, Hashable {
    /// Ascending by the bytes of the key.
    case forward
    /// Descending by the bytes of the key.
    case backward
}
