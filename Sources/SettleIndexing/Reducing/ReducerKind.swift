/// The reduce functions that come with the database, by the names CouchDB gives its own.
///
/// `_sum`, `_count`, `_stats`, and `_approx_count_distinct` answer as CouchDB's do; `_min` and
/// `_max` are Settle's. Rows without a value, which CouchDB does not know, are passed over by all
/// but `_count` and `_approx_count_distinct`. Null is a value.
package enum ReducerKind: String, CaseIterable, Sendable {
    /// The sum of numbers, of arrays of numbers element by element, of objects member by member.
    ///
    /// Integers are added exactly; a sum that leaves the range of 64 bits becomes a double at the
    /// very end, and so does one with a double among its terms.
    case sum = "_sum"
    /// The number of rows, whatever they hold.
    case count = "_count"
    /// An object of sum, count, min, max, and sumsqr.
    ///
    /// Arrays of equal length give an array of those; an object with these five members counts as
    /// the statistics of the values it was made of.
    case stats = "_stats"
    /// The smallest value of any kind, by the Unicode collation, as it was emitted.
    case min = "_min"
    /// The greatest value of any kind, by the Unicode collation, as it was emitted.
    case max = "_max"
    /// About how many different keys there are; the standard error is 2.3 percent.
    case approxCountDistinct = "_approx_count_distinct"
}
