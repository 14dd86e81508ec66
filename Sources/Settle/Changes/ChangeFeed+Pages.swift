extension ChangeFeed {
    /// The changes of a feed, a page at a time; see ``ChangeFeed/pages``.
    public struct Pages: AsyncSequence, Sendable {
        /// The errors of an iteration, those of the feed.
        public typealias Failure = DatabaseError
        /// What an iteration gives.
        public typealias Element = Page

        let source: ChangeSource

        /// Begins at the sequence of the feed.
        public func makeAsyncIterator() -> Iterator { Iterator(source) }

        /// Goes through a feed, a page at a time.
        public struct Iterator: AsyncIteratorProtocol {
            private let source: ChangeSource
            private var machine: ChangeFeedStateMachine

            init(_ source: ChangeSource) {
                self.source = source
                machine = ChangeFeedStateMachine(
                    since: source.options.since, isLive: source.options.isLive,
                    ignoresForgottenPurges: source.options.ignoresForgottenPurges)
            }

            /// Where to go on: all changes up to here were returned or left out by the filter.
            public var lastSequence: UInt64 { machine.lastSequence }

            /// The next page, waiting for changes in a live feed.
            ///
            /// - Returns: The page; nil at the end.
            /// - Throws: ``DatabaseError``; the iteration is at its end then.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(DatabaseError) -> Page? {
                while !Task.isCancelled {
                    switch machine.action {
                    case .read(let start, let end):
                        let found: ChangeSource.Found
                        do throws(DatabaseError) {
                            found = try await source.read(after: start, through: end)
                        } catch {
                            let isEnd = machine.readFailed(isClosed: error.code == .databaseClosed)
                            if isEnd { return nil }
                            throw error
                        }
                        if let reason = machine.found(found.state) {
                            throw DatabaseError(reason, since: start, found.state)
                        }
                        if machine.lastSequence > start { return source.page(found) }
                    case .wait(let sequence):
                        guard await source.wait(beyond: sequence) else {
                            if Task.isCancelled { return nil }
                            machine.closed()
                            return nil
                        }
                        machine.changed()
                    case .end:
                        return nil
                    }
                }
                return nil
            }

            /// The next page; see ``next(isolation:)``.
            public mutating func next() async throws(DatabaseError) -> Page? {
                try await next(isolation: nil)
            }
        }
    }
}
