/// Tells the demo as it happens: numbered steps, each with what was done and how long it took.
final class DemoStory {
    /// An expectation that did not come true; it ends the demo.
    struct UnmetExpectation: Error {
        /// What was expected and what was found.
        let sentence: String
    }

    private let output: Output
    private var stepCount = 0
    private let begun = ContinuousClock.now

    /// How many expectations came true.
    private(set) var checkCount = 0

    /// A story told on an output.
    init(_ output: Output) {
        self.output = output
    }

    /// Prints a line as it is.
    func say(_ line: String = "") throws {
        try output.line(line)
    }

    /// Prints a line that belongs to the step.
    func note(_ line: String) throws {
        try output.line(line.isEmpty ? "" : "    " + line)
    }

    /// Does a step and prints its title, what it answers, and the time it took.
    ///
    /// - Parameters:
    ///   - title: What is about to be done.
    ///   - work: Does it; answers with what was done and how many.
    /// - Throws: What `work` throws, once the title was printed.
    func step(_ title: String, _ work: () async throws -> String) async throws {
        stepCount += 1
        let number = String(stepCount)
        let margin = String(repeating: " ", count: max(0, 2 - number.count))
        try say()
        try say("\(margin)\(number)  \(title)")
        let begun = ContinuousClock.now
        let summary = try await work()
        try Task.checkCancellation()
        try note("\(summary) \(Quantity.time(begun.duration(to: .now))).")
    }

    /// Makes sure of something.
    ///
    /// - Parameters:
    ///   - isTrue: Whether it is so.
    ///   - sentence: What was expected and what was found, when it is not.
    /// - Throws: ``UnmetExpectation`` with the sentence.
    func expect(_ isTrue: Bool, _ sentence: @autoclosure () -> String) throws {
        guard isTrue else { throw UnmetExpectation(sentence: sentence()) }
        checkCount += 1
    }

    /// Makes sure that two counts are the same.
    ///
    /// - Throws: ``UnmetExpectation``.
    func expect(_ found: Int, toBe expected: Int, _ what: String) throws {
        try expect(
            found == expected,
            "Expected \(Quantity.number(expected)) \(what), found \(Quantity.number(found)).")
    }

    /// The last line.
    func end() throws {
        try say()
        try say(
            "Everything was as expected: \(Quantity.number(stepCount)) steps, "
                + "\(Quantity.number(checkCount)) checks, \(Quantity.time(begun.duration(to: .now)))."
        )
    }
}
