public import Foundation
import SettleDocuments

extension Cosmos {
    /// What changed in a collection, page by page: the latest version of each document that was made or changed.
    ///
    /// ```swift
    /// var saved: Cosmos.ChangeContinuation?
    /// for try await page in cosmos.changes(
    ///     ofDocumentsAs: Person.self, inCollection: "people", inDatabase: "crm",
    ///     from: .beginning, maxPerPage: 100)
    /// {
    ///     for person in page.items { print(person.name) }
    ///     saved = page.continuation
    /// }
    /// ```
    ///
    /// A loop ends when there is nothing new at the moment. Its last page says so, is empty, and has a
    /// continuation all the same, from which another loop goes on later. A document that is changed several times
    /// may come once. Changes of one logical partition come in their order, those of different ones in any. A
    /// document may come twice, after two physical partitions were merged. Splits of partitions are followed.
    ///
    /// **Deletions are not among the changes.** Mark documents as deleted, by a member and a `ttl`, or compare.
    ///
    /// > Source: "Change feed design patterns" in the documentation of Cosmos DB: the mode of the latest version.
    public struct Changes<Item: Sendable>: AsyncSequence, Sendable {
        /// A page.
        public typealias Element = ChangePage<Item>
        /// How a page fails.
        public typealias Failure = ClientError

        private let prepare: @Sendable () throws(ClientError) -> ChangeReader
        private let decode: @Sendable (PackedValue, Link) throws(ClientError) -> Item
        private let start: ChangeStart
        private let keys: [PartitionKey]
        private let itemCountMax: Int?

        init(
            from start: ChangeStart, keys: [PartitionKey], itemCountMax: Int?,
            prepare: @escaping @Sendable () throws(ClientError) -> ChangeReader,
            decode: @escaping @Sendable (PackedValue, Link) throws(ClientError) -> Item
        ) {
            self.start = start
            self.keys = keys
            self.itemCountMax = itemCountMax
            self.prepare = prepare
            self.decode = decode
        }

        private func begin(_ reader: ChangeReader) async throws(ClientError) -> ChangePosition {
            if let itemCountMax, !Pages<Item>.maxPerPageRange.contains(itemCountMax) {
                throw ClientError(
                    .resourceRequestError,
                    "Nothing was sent: a page has 1 to 1000 items, and \(itemCountMax) were asked for."
                )
            }
            switch start {
            case .beginning: return try await reader.position(at: .beginning, keys: keys)
            case .now: return try await reader.position(at: .now, keys: keys)
            case .date(let date):
                return try await reader.position(at: .since(date.secondsSince1970), keys: keys)
            case .after(let continuation):
                guard var position = ChangePosition(continuation.text) else {
                    throw ClientError(
                        .resourceRequestError,
                        "Nothing was sent: the continuation of the changes is none that a page had."
                    )
                }
                try await reader.begin(&position)
                return position
            }
        }

        /// Goes from page to page.
        public struct Iterator: AsyncIteratorProtocol {
            private let changes: Changes
            private var state: (reader: ChangeReader, position: ChangePosition)?
            private var isOver = false

            init(_ changes: Changes) { self.changes = changes }

            /// The next page; nil after the one that is caught up.
            ///
            /// - Throws: ``ClientError`` with `resourceRequestError` when the most items of a page are not 1 to 1,000,
            ///   or the continuation is none; `gone` when the collection was replaced by another one of its name;
            ///   `invalidDocument` when a document cannot be decoded; and as the service answers. After an error the
            ///   same page is read again.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ClientError) -> ChangePage<Item>? {
                if isOver { return nil }
                if state == nil {
                    let reader = try changes.prepare()
                    state = (reader, try await changes.begin(reader))
                }
                guard let (reader, before) = state else { return nil }
                var position = before
                let read = try await reader.read(&position, itemCountMax: changes.itemCountMax)
                var items: [Item] = []
                items.reserveCapacity(read.documents.count)
                for document in read.documents {
                    items.append(try changes.decode(document, reader.collection))
                }
                state = (reader, position)
                isOver = read.documents.isEmpty
                return ChangePage(
                    items: items, continuation: ChangeContinuation(text: position.text),
                    isCaughtUp: position.isCaughtUp, metadata: read.metadata)
            }

            /// The next page; nil after the one that is caught up.
            ///
            /// - Throws: As ``next(isolation:)``.
            public mutating func next() async throws(ClientError) -> ChangePage<Item>? {
                try await next(isolation: nil)
            }
        }

        /// Begins at the start.
        public func makeAsyncIterator() -> Iterator { Iterator(self) }
    }

    /// Some changes of a collection, and where they end.
    public struct ChangePage<Item: Sendable>: Sendable {
        /// The documents, as they are now.
        public let items: [Item]
        /// From where to go on.
        public let continuation: ChangeContinuation
        /// Whether there is nothing more at the moment.
        public let isCaughtUp: Bool
        /// What the last response said about itself; the request charge is that of the whole page.
        public let metadata: ResponseMetadata
    }

    /// Where in the changes of a collection a page ended.
    public struct ChangeContinuation: Sendable, Hashable, Codable {
        /// The place as text, to be stored; about a hundred bytes for each physical partition.
        public let text: String

        /// A continuation that was stored.
        public init(text: String) { self.text = text }
    }

    /// Where the changes of a collection begin.
    public enum ChangeStart: Sendable, Hashable {
        /// With the oldest document.
        case beginning
        /// With what is written after the first page was asked for.
        case now
        /// With what was written at that time or later, in whole seconds.
        case date(Date)
        /// Where a page ended.
        case after(ChangeContinuation)
    }
}
