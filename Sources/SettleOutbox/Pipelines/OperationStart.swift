/// One start of one operation.
///
/// An identifier may be given to another operation once the first is done, whose starts are counted from 1
/// again; numbers of operations are never given twice.
struct OperationStart: Sendable, Hashable {
    /// The number of the operation.
    var number: UInt64
    /// Which start of it.
    var count: Int
}
