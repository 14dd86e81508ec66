import SettleDocuments

extension Cosmos {
    /// The results of a query in one range, from where the last page ended.
    struct RangeCursor: Sendable {
        /// A result.
        struct Row: Sendable {
            /// The keys of its order; none without an order.
            var keys: [JSONValue?]
            /// The identifier of its document; empty without an order.
            var documentId: String
            /// The result itself; nil when it is undefined, and none.
            var payload: PackedValue?
        }

        /// The range, and how far it was given.
        var part: MergePosition.Part
        /// From where the results behind these come; nil when there are none, or none were read yet.
        private var next: String?
        /// Whether the results from ``part`` on were read.
        private var isRead = false
        private var rows: ArraySlice<Row> = []

        init(_ part: MergePosition.Part) { self.part = part }

        /// The next result, where it was read.
        var first: Row? { rows.first }

        /// How much memory the results take that were read and not given, in bytes, about.
        var size: Int { rows.reduce(0) { $0 + 128 + ($1.payload?.bytes.count ?? 0) } }

        /// Whether there is nothing more.
        var isDone: Bool { isRead && rows.isEmpty && next == nil }

        /// Whether something has to be read before the next result is known.
        var mustRead: Bool { rows.isEmpty && !isDone }

        /// Takes the next result.
        mutating func take() -> Row? {
            guard let row = rows.popFirst() else { return nil }
            if let last = part.lastKeys, Self.areEqual(last, row.keys) {
                part.givenIds.append(row.documentId)
            } else {
                part.lastKeys = row.keys
                part.givenIds = [row.documentId]
            }
            if rows.isEmpty { advance() }
            return row
        }

        /// Takes all results that were read.
        mutating func takeAll() -> [Row] {
            let all = Array(rows)
            rows = []
            advance()
            return all
        }

        /// Goes on behind the results that were read, which are all given.
        private mutating func advance() {
            guard let next else { return }
            part = MergePosition.Part(rangeId: part.rangeId, continuation: next)
            self.next = nil
            isRead = false
        }

        private static func areEqual(_ left: [JSONValue?], _ right: [JSONValue?]) -> Bool {
            left.count == right.count
                && zip(left, right).allSatisfy { ResultOrder.compare($0, $1) == 0 }
        }

        /// The continuation of the request that gives the next results.
        var continuation: String? { part.continuation }

        /// Takes a page that was read.
        ///
        /// - Parameters:
        ///   - elements: The results.
        ///   - next: Where those behind them begin.
        ///   - plan: How results look.
        /// - Throws: ``ClientError`` with `unreadableResponse` when one looks otherwise.
        mutating func add(
            _ elements: [PackedValue], next: String?, _ plan: QueryPlan
        ) throws(ClientError) {
            var found: [Row] = []
            for element in elements { found.append(try Self.row(element, plan)) }
            if let last = part.lastKeys {
                var given = part.givenIds
                found.removeAll { row in
                    let order = ResultOrder.compare(
                        row.keys, last, isDescending: plan.isDescending)
                    guard order == 0, let index = given.firstIndex(of: row.documentId) else {
                        return order < 0
                    }
                    given.remove(at: index)
                    return true
                }
            }
            rows = found[...]
            self.next = next
            isRead = true
            if rows.isEmpty { advance() }
        }

        private static func row(
            _ element: PackedValue, _ plan: QueryPlan
        ) throws(ClientError) -> Row {
            guard !plan.isDescending.isEmpty else {
                return Row(keys: [], documentId: "", payload: element)
            }
            guard let items = (try? element.member("orderByItems"))?.arrayValue,
                items.count == plan.isDescending.count
            else {
                throw ClientError(
                    .unreadableResponse, "A result of an ordered query does not say its place.")
            }
            return Row(
                keys: items.map { $0["item2"] ?? $0["item"] },
                documentId: (try? element.member("_rid"))?.stringValue ?? "",
                payload: (try? element.packedMember("payload")) ?? nil)
        }
    }
}
