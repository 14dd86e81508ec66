import SettleDocuments

@testable import SettleIndexing

/// Answers queries the plain way, from all documents.
struct QueryOracle {
    typealias EmittedRow = (key: JSONValue, value: JSONValue?)

    struct Row {
        let key: JSONValue
        let value: JSONValue?
        let id: String
        /// The key as bytes in the order of collation.
        let bytes: [UInt8]
    }

    var documents: [String: [EmittedRow]] = [:]
    private let collator: Collator

    init(_ collation: Collator.Strings) {
        collator = Collator(collation)
    }

    /// Every row, in order.
    var rows: [Row] {
        documents.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
            .flatMap { id, rows in
                rows.map {
                    Row(
                        key: $0.key, value: $0.value, id: id, bytes: collator.key(for: $0.key))
                }
            }
            // Stable, so rows with equal keys stay in the order of documents and emits.
            .enumerated().sorted { left, right in
                left.element.bytes == right.element.bytes
                    ? left.offset < right.offset
                    : left.element.bytes.lexicographicallyPrecedes(right.element.bytes)
            }.map(\.element)
    }

    func answer(_ query: IndexQuery, _ all: [Row]) -> IndexResult {
        var answer = IndexResult()
        let selected = select(query, all)
        if query.summary == .rows {
            answer.rows = selected.map {
                IndexRow(documentID: $0.row.id, key: $0.row.key, value: $0.row.value)
            }
            answer.totalRows = all.count
            if case .range(let start, let end) = query.selection {
                let low = edge(query.isDescending ? end : start)
                let high = edge(query.isDescending ? start : end)
                let before = all.filter { row in
                    query.isDescending
                        ? !isInside(row, high, isLower: false) : !isInside(row, low, isLower: true)
                }
                answer.offset = min(all.count, before.count + query.skip)
            }
        } else {
            answer.rows = sums(query, selected)
        }
        answer.rows = Array(answer.rows.dropFirst(query.skip).prefix(query.limit ?? .max))
        return answer
    }

    /// One end of a range, and its key as bytes.
    private struct Edge {
        let bound: IndexQuery.KeyBound
        let bytes: [UInt8]
    }

    private func edge(_ bound: IndexQuery.KeyBound?) -> Edge? {
        bound.map { Edge(bound: $0, bytes: collator.key(for: $0.key)) }
    }

    private func isInside(_ row: Row, _ edge: Edge?, isLower: Bool) -> Bool {
        guard let edge else { return true }
        if row.bytes != edge.bytes {
            return edge.bytes.lexicographicallyPrecedes(row.bytes) == isLower
        }
        if let id = edge.bound.documentID, id != row.id {
            return Array(id.utf8).lexicographicallyPrecedes(Array(row.id.utf8)) == isLower
        }
        return edge.bound.isInclusive
    }

    private func select(_ query: IndexQuery, _ all: [Row]) -> [(part: Int, row: Row)] {
        switch query.selection {
        case .range(let start, let end):
            let low = edge(query.isDescending ? end : start)
            let high = edge(query.isDescending ? start : end)
            let found = all.filter {
                isInside($0, low, isLower: true) && isInside($0, high, isLower: false)
            }.map { (part: 0, row: $0) }
            return query.isDescending ? found.reversed() : found
        case .keys(let keys):
            return keys.enumerated().flatMap { part, key in
                let bytes = collator.key(for: key)
                let equal = all.filter { $0.bytes == bytes }.map { (part: part, row: $0) }
                return query.isDescending ? equal.reversed() : equal
            }
        }
    }

    private func sums(_ query: IndexQuery, _ selected: [(part: Int, row: Row)]) -> [IndexRow] {
        var groups: [(part: Int, identity: [UInt8], key: JSONValue?, sum: Int64)] = []
        for (part, row) in selected {
            let key: JSONValue? =
                switch (query.summary, row.key) {
                case (.total, _): nil
                case (.firstElements(let count), .array(let elements)):
                    .array(Array(elements.prefix(count)))
                default: row.key
                }
            // A cut array and a whole one of the same elements are one group.
            let identity = key.map { collator.key(for: $0) } ?? []
            let number = row.value?.integerValue ?? 0
            // Each key of a list is answered by itself, unless all rows make one.
            let isSamePart = key == nil || groups.last?.part == part
            if isSamePart, groups.last?.identity == identity, !groups.isEmpty {
                groups[groups.count - 1].sum += number
            } else {
                groups.append((part, identity, key, number))
            }
        }
        return groups.map { IndexRow(documentID: nil, key: $0.key, value: .integer($0.sum)) }
    }
}
