/// Something that makes the figures worthless: the run ends with it.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Compares what an engine returned with what was put into it.
    ///
    /// - Throws: ``BenchmarkError`` when they differ.
    static func check<Value: Equatable>(
        _ found: Value, is expected: Value, _ what: @autoclosure () -> String
    ) throws(BenchmarkError) {
        guard found != expected else { return }
        throw BenchmarkError("\(what()): expected \(expected), but found \(found).")
    }
}
