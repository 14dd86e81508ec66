import SettleDocuments

extension Cosmos {
    /// A list or the result of a query, page by page.
    ///
    /// ```swift
    /// for try await page in cosmos.get(
    ///     documentsAs: Person.self, inCollection: "people", inDatabase: "crm", maxPerPage: 100)
    /// {
    ///     print(page.resource.count, page.metadata.requestCharge ?? 0)
    /// }
    /// let everybody = cosmos.get(documentsAs: Person.self, in: people)
    /// for try await person in everybody.items { print(person.name) }
    /// ```
    ///
    /// Nothing is fetched before the first page is asked for; memory holds one page at a time. The service may
    /// answer with an empty page and more behind it: such pages are passed over, and what they cost is added to the
    /// next one. Each loop begins at the beginning.
    public struct Pages<Item: Sendable>: AsyncSequence, Sendable {
        /// A page.
        public typealias Element = Response<Resources<Item>>
        /// How a page fails.
        public typealias Failure = ClientError

        private let prepare:
            @Sendable () async throws(ClientError) -> (any OperationHandler, Operation)
        private let decode: @Sendable (PackedValue, Link?) throws(ClientError) -> Item
        private let itemCountMax: Int?
        private let continuation: String?

        /// The pages of a list.
        ///
        /// - Parameters:
        ///   - itemCountMax: The most items of a page.
        ///   - continuation: Where a page before ended.
        ///   - prepare: Makes the operation.
        ///   - decode: Makes an item of what the service sent and the link by ids, where that is known.
        init(
            itemCountMax: Int?, continuation: String?,
            prepare:
                @escaping @Sendable () async throws(ClientError) -> (
                    any OperationHandler, Operation
                ),
            decode: @escaping @Sendable (PackedValue, Link?) throws(ClientError) -> Item
        ) {
            self.itemCountMax = itemCountMax
            self.continuation = continuation
            self.prepare = prepare
            self.decode = decode
        }

        /// The values that the most items of a page may have.
        public static var maxPerPageRange: ClosedRange<Int> { 1...1_000 }

        /// Fetches the first page.
        ///
        /// - Returns: The page; it is empty only where there is nothing.
        /// - Throws: ``ClientError`` with `resourceRequestError` when the most items of a page are not 1 to 1,000;
        ///   `invalidDocument` when an item cannot be decoded; and as the service answers.
        public func first() async throws(ClientError) -> Response<Resources<Item>> {
            if let itemCountMax, !Self.maxPerPageRange.contains(itemCountMax) {
                throw ClientError(
                    .resourceRequestError,
                    "Nothing was sent: a page has 1 to 1000 items, and \(itemCountMax) were asked for."
                )
            }
            let (handler, operation) = try await prepare()
            return try await fetch(operation, handler, after: continuation)
        }

        private func fetch(
            _ prepared: Operation, _ handler: any OperationHandler, after continuation: String?
        ) async throws(ClientError) -> Response<Resources<Item>> {
            var operation = prepared
            operation.page = Operation.Page(itemCountMax: itemCountMax, continuation: continuation)
            var charge = 0.0
            var progress = PageProgress(at: continuation)
            while true {
                var response = try await handler.perform(operation)
                guard case .feed(let elements, let resourceId) = response.content else {
                    throw ClientError(
                        .unreadableResponse,
                        "The response to the request to \(operation.subject) is no list.")
                }
                let next = response.metadata.continuation
                if let cost = response.metadata.requestCharge {
                    charge += cost
                    response.metadata.requestCharge = charge
                }
                if let next, !progress.goesOn(to: next, isEmpty: elements.isEmpty) {
                    throw ClientError(
                        .unreadableResponse,
                        "The pages of the request to \(operation.subject) do not come to an end: the service "
                            + "gives the same continuation again.",
                        activityId: response.metadata.activityId)
                }
                if elements.isEmpty, let next {
                    operation.page.continuation = next
                    continue
                }
                return try page(
                    elements, resourceId, response, following: next, prepared, handler)
            }
        }

        private func page(
            _ elements: [PackedValue], _ resourceId: String, _ response: OperationResponse,
            following next: String?, _ operation: Operation, _ handler: any OperationHandler
        ) throws(ClientError) -> Response<Resources<Item>> {
            var items: [Item] = []
            items.reserveCapacity(elements.count)
            for element in elements {
                let id = (try? element.member("id"))?.stringValue ?? ""
                let link = ResponseReader.altLink(
                    of: id, operation.type, in: operation,
                    alternateContentPath: response.metadata.alternateContentPath)
                items.append(try decode(element, link))
            }
            let resources = Resources(resourceId: resourceId, items: items)
            guard let next else { return Response(resources, response) }
            return Response(resources, response) { () async throws(ClientError) in
                try await fetch(operation, handler, after: next)
            }
        }

        /// Goes from page to page.
        public struct Iterator: AsyncIteratorProtocol {
            private let pages: Pages
            private var last: Response<Resources<Item>>?

            init(_ pages: Pages) { self.pages = pages }

            /// The next page; nil after the last.
            ///
            /// - Throws: As ``Pages/first()``.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ClientError) -> Response<Resources<Item>>? {
                guard let last else {
                    let first = try await pages.first()
                    self.last = first
                    return first
                }
                guard last.hasMoreResults else { return nil }
                let next = try await last.next()
                self.last = next
                return next
            }

            /// The next page; nil after the last.
            ///
            /// - Throws: As ``Pages/first()``.
            public mutating func next() async throws(ClientError) -> Response<Resources<Item>>? {
                try await next(isolation: nil)
            }
        }

        /// Begins at the first page.
        public func makeAsyncIterator() -> Iterator { Iterator(self) }

        /// The items of all pages, one by one.
        public var items: Items { Items(self) }

        /// The items of all pages, one by one.
        public struct Items: AsyncSequence, Sendable {
            /// An item.
            public typealias Element = Item
            /// How a page fails.
            public typealias Failure = ClientError

            private let pages: Pages

            init(_ pages: Pages) { self.pages = pages }

            /// Goes from item to item, and fetches a page when it needs one.
            public struct Iterator: AsyncIteratorProtocol {
                private var pages: Pages.Iterator
                private var items: ArraySlice<Item> = []

                init(_ pages: Pages.Iterator) { self.pages = pages }

                /// The next item; nil after the last.
                ///
                /// - Throws: As ``Pages/first()``.
                public mutating func next(
                    isolation actor: isolated (any Actor)?
                ) async throws(ClientError) -> Item? {
                    while true {
                        if let item = items.popFirst() { return item }
                        guard let page = try await pages.next(isolation: actor) else { return nil }
                        items = page.resource.items[...]
                    }
                }

                /// The next item; nil after the last.
                ///
                /// - Throws: As ``Pages/first()``.
                public mutating func next() async throws(ClientError) -> Item? {
                    try await next(isolation: nil)
                }
            }

            /// Begins at the first item.
            public func makeAsyncIterator() -> Iterator { Iterator(pages.makeAsyncIterator()) }
        }

        /// All items of all pages.
        ///
        /// - Returns: The items; all of them are in memory.
        /// - Throws: As ``first()``.
        public func all() async throws(ClientError) -> [Item] {
            var all: [Item] = []
            for try await item in items { all.append(item) }
            return all
        }
    }
}
