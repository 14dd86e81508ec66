/// How large the result of a reduce function may grow.
///
/// A result of more than 4,096 bytes that is also more than half as large as what it was made of
/// is refused, as CouchDB does (its `reduce_limit`): a reduce function that gathers rows instead of
/// coalescing them would make every partial, and so every change of a row, as dear as the index.
enum ReduceLimit {
    static let sizeMax = 4096

    static func isExceeded(input: Int, output: Int) -> Bool {
        output > sizeMax && output > input / 2
    }

    /// CouchDB's words.
    static func reason(_ input: Int, _ output: Int) -> String {
        "Reduce output must shrink more rapidly: input size: \(input) output size: \(output)"
    }
}
