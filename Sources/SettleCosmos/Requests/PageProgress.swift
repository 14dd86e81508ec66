extension Cosmos {
    /// Notices pages that do not come to an end.
    struct PageProgress {
        /// How often a page that took too long, and is empty, may be asked for again.
        static let repeatCountMax = 100

        /// How often a page began at each continuation: by its hash, since continuations are long.
        private var counts: [Int: Int] = [:]

        /// Progress of pages.
        ///
        /// - Parameter continuation: Where the first of them begins; nil for the beginning.
        init(at continuation: String? = nil) {
            if let continuation { counts[continuation.hashValue] = 1 }
        }

        /// Notes where the next page begins.
        ///
        /// - Parameters:
        ///   - next: Its continuation.
        ///   - isEmpty: Whether the page before it was empty; what comes again with items would come for ever.
        /// - Returns: False when such pages go round in a circle.
        mutating func goesOn(to next: String, isEmpty: Bool) -> Bool {
            let count = counts[next.hashValue, default: 0] + 1
            counts[next.hashValue] = count
            return isEmpty ? count <= Self.repeatCountMax + 1 : count == 1
        }
    }
}
