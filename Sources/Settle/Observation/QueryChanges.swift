/// How the result of an observed query changes, step by step.
///
/// Made by ``Database/queryChanges(on:with:interval:)``, which says what is in it.
///
/// ```swift
/// var list: [QueryResultRow] = []
/// for try await step in database.queryChanges(on: "byPrice", with: cheap) {
///     list.apply(step)
///     show(list.map { $0.document?.string("name") ?? "no name" })
/// }
/// ```
public struct QueryChanges: AsyncSequence, Sendable {
    /// The errors of an iteration, which end it.
    public typealias Failure = DatabaseError

    /// One step.
    public struct Element: Sendable {
        /// The result after the step.
        public let result: QueryResultEnumerator
        /// True for the first result: all of it is new, and `changes` is empty.
        public let isFirst: Bool
        /// What is different from the result before, in the order in which a table view takes it:
        /// removals, then insertions, then updates, then moves.
        public let changes: [QueryRowChange]
    }

    let source: QueryResults

    /// Begins an observation of its own at the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(source.answers) }

    /// Waits for one step after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var answers: ObservedResults
        private var last: ObservedResult?

        init(_ answers: ObservedResults) { self.answers = answers }

        /// The newest result, and how it differs from the last one.
        ///
        /// - Returns: The step; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError``; the iteration is at its end then.
        /// - Complexity: In proportion to what has changed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> Element? {
            guard let answer = try await answers.next() else { return nil }
            defer { last = answer }
            let result = QueryResultEnumerator(answer)
            guard let last else { return Element(result: result, isFirst: true, changes: []) }
            let difference = ListDifference(
                from: last.list, to: answer.list, limit: answer.limit, isSame: ==)
            return Element(
                result: result, isFirst: false, changes: QueryRowChange.changes(of: difference))
        }

        /// The newest result, and how it differs; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> Element? {
            try await next(isolation: nil)
        }
    }
}

/// What happened to one row of a result.
///
/// Positions count from 0. Old ones are those of the result before, new ones those of the result
/// after all changes of the step; no change shifts the positions of another.
public enum QueryRowChange: Sendable, Hashable {
    /// The row is gone.
    case removed(old: Int)
    /// The row is new.
    case inserted(new: Int)
    /// The row has the same key and document as before, and another value or another state of the
    /// document it shows.
    case updated(old: Int, new: Int)
    /// The document's row has another key and so another place; its value may be another, too.
    case moved(old: Int, new: Int)

    static func changes(of difference: ListDifference<QueryResultRow>) -> [QueryRowChange] {
        // A document that lost a row and got one is seen as one whose row moved.
        // By bytes: equal texts of different bytes are different documents.
        var lost: [[UInt8]: [Int]] = [:]
        for (index, removal) in difference.removed.enumerated().reversed() {
            guard let id = removal.value.documentId else { continue }
            lost[Array(id.utf8), default: []].append(index)
        }
        var moved: [(old: Int, new: Int)] = []
        var found: Set<Int> = []
        var inserted: [QueryRowChange] = []
        for insertion in difference.inserted {
            if let id = insertion.value.documentId, let index = lost[Array(id.utf8)]?.popLast() {
                found.insert(index)
                moved.append((difference.removed[index].position, insertion.position))
            } else {
                inserted.append(.inserted(new: insertion.position))
            }
        }
        let removed = difference.removed.enumerated().filter { !found.contains($0.offset) }
        return removed.map { .removed(old: $0.element.position) } + inserted
            + difference.updated.map { .updated(old: $0.old, new: $0.new) }
            + moved.map { .moved(old: $0.old, new: $0.new) }
    }
}
