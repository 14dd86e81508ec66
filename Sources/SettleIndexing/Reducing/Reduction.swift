package import SettleDocuments

/// Folds rows and stored partial reductions into one value.
///
/// Rows and partials are taken in in key order, mixed as they come. For integers, and for every
/// function of the application that keeps its promise, the result does not depend on how the rows
/// were grouped into partials; sums of doubles are kept with twice the digits of a double and so
/// agree to about the last bit.
///
/// Rows without a value are passed over by all functions but `_count`, `_approx_count_distinct`,
/// and those of the application. When there was no value at all, `_sum` is 0 and `_stats`, `_min`,
/// and `_max` are null.
///
/// Docs/Formats/Reductions.md describes the partials.
package struct Reduction {
    private enum Operation {
        case sum, count, stats, extreme, distinct, custom
    }

    private let operation: Operation

    /// Whether neither a row nor a partial was taken in.
    package private(set) var isEmpty = true

    // One of these is used. They lie side by side, not in an enumeration, so that each is changed
    // where it lies; unused ones own no memory.
    private var count = CountReduction()
    private var sum = SumReduction()
    private var stats = StatsReduction()
    private var extreme: ExtremeReduction
    private var distinct = DistinctReduction()
    private var custom: CustomReduction?

    /// A reduction of nothing yet.
    ///
    /// - Parameters:
    ///   - reducer: What reduces.
    ///   - isDirect: True to give a function of the application all rows in one call; for up to
    ///     ``IndexReducer/directRowCountMax`` of them.
    package init(_ reducer: IndexReducer, isDirect: Bool = false) {
        extreme = ExtremeReduction(takesGreatest: reducer.kind == .max)
        switch reducer.source {
        case .builtIn(.sum): operation = .sum
        case .builtIn(.count): operation = .count
        case .builtIn(.stats): operation = .stats
        case .builtIn(.min), .builtIn(.max): operation = .extreme
        case .builtIn(.approxCountDistinct): operation = .distinct
        case .custom(let function):
            operation = .custom
            custom =
                isDirect
                ? CustomReduction(function, rowCountMax: IndexReducer.directRowCountMax)
                : CustomReduction(function)
        }
    }

    /// Takes in a row.
    ///
    /// Cost: constant and without allocation for `_count`, and for `_sum` over numbers; a function
    /// of the application is called once for every 100 rows, or for all that are reduced directly.
    /// - Parameters:
    ///   - key: The row key; it begins with the collation key of the emitted key.
    ///   - head: The emitted key, packed.
    ///   - tail: The emitted value, packed; empty for none.
    /// - Throws: `IndexError.corrupted` when bytes that the function needs are damaged. A value the
    ///   function cannot work with is no error here; the result tells of it.
    package mutating func add(
        key: Span<UInt8>, head: Span<UInt8>, tail: Span<UInt8>
    ) throws(IndexError) {
        isEmpty = false
        switch operation {
        case .count: count.add()
        case .sum: try sum.add(tail)
        case .stats: try stats.add(tail)
        case .extreme: try extreme.add(tail)
        case .distinct: try distinct.add(key)
        case .custom: try custom?.add(head: head, tail: tail)
        }
    }

    /// Takes in a stored partial of the same reducer.
    ///
    /// - Throws: `IndexError.corrupted` when the bytes are no such partial; what was taken in
    ///   before is then of no more use.
    package mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        isEmpty = false
        switch operation {
        case .count: try count.merge(partial)
        case .sum: try sum.merge(partial)
        case .stats: try stats.merge(partial)
        case .extreme: try extreme.merge(partial)
        case .distinct: try distinct.merge(partial)
        case .custom: try custom?.merge(partial)
        }
    }

    /// Appends the partial to be stored for all that was taken in.
    ///
    /// More can be taken in afterwards. Errors of the application's function and values that the
    /// function cannot work with are written into the partial.
    /// - Precondition: Something was taken in.
    package mutating func encode(to bytes: inout [UInt8]) {
        precondition(!isEmpty, "A reduction of no rows has no partial.")
        switch operation {
        case .count: count.encode(to: &bytes)
        case .sum: sum.encode(to: &bytes)
        case .stats: stats.encode(to: &bytes)
        case .extreme: extreme.encode(to: &bytes)
        case .distinct: distinct.encode(to: &bytes)
        case .custom: custom?.encode(to: &bytes)
        }
    }

    /// The partial to be stored for all that was taken in; see `encode(to:)`.
    package mutating func encoded() throws(IndexError) -> [UInt8] {
        var bytes: [UInt8] = []
        encode(to: &bytes)
        return bytes
    }

    /// The value for all that was taken in.
    ///
    /// - Returns: The value; where `_sum` met a value that it cannot add, the object with which
    ///   CouchDB answers then.
    /// - Throws: `IndexError.reduceFailed` where CouchDB answers with an error, where a number
    ///   leaves the range of doubles, and where a function of the application failed.
    /// - Precondition: Something was taken in.
    package mutating func result() throws(IndexError) -> JSONValue {
        precondition(!isEmpty, "A reduction of no rows has no result.")
        return switch operation {
        case .count: count.result
        case .sum: try sum.result()
        case .stats: try stats.result()
        case .extreme: try extreme.result()
        case .distinct: distinct.result
        case .custom: try custom?.result() ?? .null
        }
    }

    /// Forgets all that was taken in.
    package mutating func reset() {
        isEmpty = true
        switch operation {
        case .count: count.reset()
        case .sum: sum.reset()
        case .stats: stats.reset()
        case .extreme: extreme.reset()
        case .distinct: distinct.reset()
        case .custom: custom?.reset()
        }
    }
}
