/// Why a packed value cannot be added to a sum.
enum SumFault: Error {
    /// The bytes are damaged.
    case damaged
    /// What lies in the range is no number, no array of numbers, and no object of such; or it is a
    /// number or an array where there were objects before it.
    case unfit(Range<Int>)
    /// The object in the range is the error of an earlier `_sum`.
    case earlierError(Range<Int>)
    /// An object where there were numbers or arrays before it.
    case objectAfterNumber
}
