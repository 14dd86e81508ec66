/// The changes of a database after a sequence, as an asynchronous sequence.
///
/// Made by
/// ``Database/changes(since:isLive:includesDocuments:ofType:ignoresForgottenPurges:filter:)``,
/// which says what is in it.
///
/// ```swift
/// let feed = database.changes(since: position, isLive: true, includesDocuments: true)
/// for try await element in feed {
///     try await handle(element.change, element.document)
///     position = element.lastSequence
/// }
/// ```
///
/// A feed costs nothing until it is iterated, and may be iterated any number of times. Each
/// iteration reads on its own when it is asked: a page of at most 256 changes, or 256 KiB of
/// documents, in one short snapshot off the caller's actor. Nothing else is kept, so a slow reader
/// holds back neither the writer nor other feeds, and hundreds of live feeds are fine.
///
/// Cancelling the task ends an iteration as if there were no more changes, and so does closing the
/// database for a live one.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// The errors of an iteration; see
    /// ``Database/changes(since:isLive:includesDocuments:ofType:ignoresForgottenPurges:filter:)``.
    public typealias Failure = DatabaseError

    /// One document that changed.
    public struct Element: Sendable {
        /// The last change of the document, as of the moment it was read.
        public let change: DocumentChange
        /// The document as that change left it; nil when it is deleted or purged, or when documents
        /// were not asked for.
        public let document: Document?
        /// Where to go on after this element: the sequence of its change, or a later one when what
        /// follows was left out.
        public internal(set) var lastSequence: UInt64
    }

    /// Changes that were read together.
    public struct Page: Sendable {
        /// The changes, ascending by sequence; none when the filter left all of them out.
        public let elements: [Element]
        /// Where to go on after this page, whatever the filter left out.
        public let lastSequence: UInt64
    }

    let source: ChangeSource

    /// The same changes a page at a time.
    ///
    /// For those who handle many together, or who keep the position: a page tells it even when the
    /// filter left out everything in it. No page comes while there is nothing new.
    public var pages: Pages { Pages(source: source) }

    /// Begins at the sequence of the feed.
    public func makeAsyncIterator() -> Iterator { Iterator(pages.makeAsyncIterator()) }

    /// Goes through a feed, a change at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages.Iterator
        private var elements: [Element] = []
        private var position = 0

        init(_ pages: Pages.Iterator) { self.pages = pages }

        /// Where to go on: after the last element that was returned, and what the filter left out
        /// since.
        public var lastSequence: UInt64 {
            guard position < elements.count else { return pages.lastSequence }
            return position > 0 ? elements[position - 1].lastSequence : pageStart
        }
        /// Where the page in hand begins.
        private var pageStart: UInt64 = 0

        /// The next change, waiting for one in a live feed.
        ///
        /// - Returns: The change; nil at the end.
        /// - Throws: ``DatabaseError``; the iteration is at its end then.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseError) -> Element? {
            while position == elements.count {
                pageStart = pages.lastSequence
                guard let page = try await pages.next(isolation: actor) else { return nil }
                elements = page.elements
                position = 0
            }
            if Task.isCancelled { return nil }
            defer { position += 1 }
            return elements[position]
        }

        /// The next change; see ``next(isolation:)``.
        public mutating func next() async throws(DatabaseError) -> Element? {
            try await next(isolation: nil)
        }
    }
}
