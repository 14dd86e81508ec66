/// The models of an observed list, one result after the other.
///
/// Made by ``Database/modelResults(_:where:interval:)`` and ``Database/modelResults(_:on:with:interval:)``, which
/// say what is in it.
public struct ModelResults<Model: DocumentModel>: AsyncSequence, Sendable {
    /// The errors of an iteration, which end it.
    public typealias Failure = DatabaseError
    /// One result.
    public typealias Element = ModelList<Model>

    let source: QueryResults

    /// Begins an observation of its own at the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(source.makeAsyncIterator()) }

    /// Waits for one result after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var results: QueryResults.Iterator
        private var rows = ModelRows<Model>()

        init(_ results: QueryResults.Iterator) { self.results = results }

        /// The newest result that differs from the last one.
        ///
        /// - Returns: The models; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError``; the iteration is at its end then.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> ModelList<Model>? {
            guard let result = try await results.next(isolation: actor) else { return nil }
            return ModelList(rows.rows(of: result))
        }

        /// The newest result that differs from the last one; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> ModelList<Model>? {
            try await next(isolation: nil)
        }
    }
}

/// How the models of an observed list change, step by step: enough to animate a list.
///
/// Made by ``Database/modelChanges(_:where:interval:)`` and ``Database/modelChanges(_:on:with:interval:)``, which
/// say what is in it.
public struct ModelChanges<Model: DocumentModel>: AsyncSequence, Sendable {
    /// The errors of an iteration, which end it.
    public typealias Failure = DatabaseError

    /// One step.
    public struct Element: Sendable {
        /// All rows after the step, also those whose documents the model cannot read: the positions in
        /// `changes` count them.
        public let rows: [ModelRow<Model>]
        /// True for the first result: all of it is new, and `changes` is empty.
        public let isFirst: Bool
        /// What is different from the rows before; see ``QueryChanges/Element/changes``.
        public let changes: [QueryRowChange]
    }

    let source: QueryChanges

    /// Begins an observation of its own at the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(source.makeAsyncIterator()) }

    /// Waits for one step after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var steps: QueryChanges.Iterator
        private var rows = ModelRows<Model>()

        init(_ steps: QueryChanges.Iterator) { self.steps = steps }

        /// The newest rows, and how they differ from the last ones.
        ///
        /// - Returns: The step; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError``; the iteration is at its end then.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> Element? {
            guard let step = try await steps.next(isolation: actor) else { return nil }
            return Element(
                rows: rows.rows(of: step.result), isFirst: step.isFirst, changes: step.changes)
        }

        /// The newest rows, and how they differ; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> Element? {
            try await next(isolation: nil)
        }
    }
}

/// A model as it changes.
///
/// Made by ``Database/modelStates(_:id:interval:)``, which says what is in it.
public struct ModelStates<Model: DocumentModel>: AsyncSequence, Sendable {
    /// The errors of an iteration, which end it.
    public typealias Failure = DatabaseError
    /// The model; nil while there is none.
    public typealias Element = Stored<Model>?

    let source: DocumentStates

    /// Begins an observation of its own at the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(source.makeAsyncIterator()) }

    /// Waits for one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var states: DocumentStates.Iterator

        init(_ states: DocumentStates.Iterator) { self.states = states }

        /// The newest state of the model.
        ///
        /// - Returns: The state; nil when the task is cancelled or the database closed.
        /// - Throws: ``DatabaseError``, with `invalidDocument` when the document is not what the model
        ///   expects. After that one a further call waits for the next state; others are the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> Stored<Model>?? {
            guard let state = try await states.next(isolation: actor) else { return nil }
            guard let document = state else { return .some(nil) }
            return try Stored(document)
        }

        /// The newest state of the model; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> Stored<Model>?? {
            try await next(isolation: nil)
        }
    }
}
