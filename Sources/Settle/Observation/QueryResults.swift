/// The results of an observed query, one after the other.
///
/// Made by ``Database/queryResults(on:with:interval:)``, which says what is in it.
///
/// ```swift
/// for try await result in database.queryResults(on: "byPrice", with: cheap) {
///     show(result.map { $0.document?.string("name") ?? "no name" })
/// }
/// ```
public struct QueryResults: AsyncSequence, Sendable {
    /// The errors of an iteration, which end it.
    public typealias Failure = DatabaseError
    /// One result.
    public typealias Element = QueryResultEnumerator

    let source: ObservationSource
    let startRow: UInt

    /// Begins an observation of its own at the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(answers, startRow: startRow) }

    var answers: ObservedResults { ObservedResults(source: source) }

    /// Waits for one result after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var answers: ObservedResults
        private let startRow: UInt

        init(_ answers: ObservedResults, startRow: UInt) {
            self.answers = answers
            self.startRow = startRow
        }

        /// The newest result that differs from the last one.
        ///
        /// - Returns: The result; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError``; the iteration is at its end then.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> QueryResultEnumerator? {
            guard let answer = try await answers.next() else { return nil }
            return QueryResultEnumerator(answer)
        }

        /// The newest result that differs from the last one; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> QueryResultEnumerator? {
            try await next(isolation: nil)
        }
    }
}

/// A document as it changes.
///
/// Made by ``Database/documentStates(of:interval:)``, which says what is in it.
public struct DocumentStates: AsyncSequence, Sendable {
    /// The errors of an iteration, which end it.
    public typealias Failure = DatabaseError
    /// The document; nil while there is none.
    public typealias Element = Document?

    let source: ObservationSource

    /// Begins an observation of its own at the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(ObservedResults(source: source)) }

    /// Waits for one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var answers: ObservedResults

        init(_ answers: ObservedResults) { self.answers = answers }

        /// The newest state of the document.
        ///
        /// - Returns: The state; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError``; the iteration is at its end then.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> Document?? {
            guard let answer = try await answers.next() else { return nil }
            return .some(answer.list.first?.value.document)
        }

        /// The newest state of the document; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> Document?? {
            try await next(isolation: nil)
        }
    }
}

/// The answers of one observation, which begins when it is first asked.
struct ObservedResults: Sendable {
    private enum State {
        case new
        case reading(ObservationReader)
        case ended
    }
    private let source: ObservationSource
    private var state = State.new

    init(source: ObservationSource) { self.source = source }

    /// - Throws: ``DatabaseError``; there are no more answers then.
    mutating func next() async throws(DatabaseError) -> ObservedResult? {
        do throws(DatabaseError) {
            let answer: ObservedResult?
            switch state {
            case .new:
                let reader = try source.observation()
                state = .reading(reader)
                answer = try await reader.next(isFirst: true)
            case .reading(let reader):
                answer = try await reader.next(isFirst: false)
            case .ended:
                return nil
            }
            if answer == nil { state = .ended }
            return answer
        } catch {
            state = .ended
            throw error
        }
    }
}
