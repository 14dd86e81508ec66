import SettleDocuments

/// The rows of a query, from a document to what is selected.
enum QueryRows {
    /// The rows of FROM, JOIN and WHERE.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - scope: What is known outside: in a query of a document, `root` is the document.
    /// - Returns: What the names mean in each row.
    /// - Throws: ``ServiceFailure`` with 400 for a name, a parameter or a function that is not there.
    static func rows(
        of query: ParsedQuery, in scope: QueryScope
    ) throws(ServiceFailure) -> [[String: JSONValue]] {
        var rows = [scope.aliases]
        for source in query.sources {
            var joined: [[String: JSONValue]] = []
            for row in rows {
                let inner = scope.with(row)
                let origin = source.origin ?? .alias("root")
                guard let value = try inner.value(of: origin) else { continue }
                if source.isIteration {
                    for element in value.arrayValue ?? [] {
                        joined.append(row.merging([source.alias: element]) { _, new in new })
                    }
                } else {
                    joined.append(row.merging([source.alias: value]) { _, new in new })
                }
            }
            rows = joined
        }
        guard let filter = query.filter else { return rows }
        var kept: [[String: JSONValue]] = []
        for row in rows where try scope.with(row).isTrue(filter) { kept.append(row) }
        return kept
    }

    /// What is selected of rows: grouped, ordered, without duplicates, cut.
    static func finished(
        _ rows: [[String: JSONValue]], of query: ParsedQuery, in scope: QueryScope
    ) throws(ServiceFailure) -> [JSONValue] {
        if query.isAggregate {
            return try cut(distinct(grouped(rows, of: query, in: scope), of: query), query, scope)
        }
        var results: [JSONValue] = []
        for row in try ordered(rows, of: query, in: scope) {
            if let value = try selected(query, in: scope.with(row)) { results.append(value) }
        }
        return try cut(distinct(results, of: query), query, scope)
    }

    /// What is selected of one row, or of one group; nil when it is undefined.
    static func selected(
        _ query: ParsedQuery, in scope: QueryScope
    ) throws(ServiceFailure) -> JSONValue? {
        switch query.selection {
        case .all: return query.sources.first.flatMap { scope.aliases[$0.alias] }
        case .value(let value): return try scope.value(of: value)
        case .list(let entries):
            var members: [String: JSONValue] = [:]
            for entry in entries { members[entry.name] = try scope.value(of: entry.value) }
            return .object(members)
        }
    }

    private static func ordered(
        _ rows: [[String: JSONValue]], of query: ParsedQuery, in scope: QueryScope
    ) throws(ServiceFailure) -> [[String: JSONValue]] {
        guard !query.order.isEmpty else { return rows }
        var keyed: [(keys: [JSONValue?], row: [String: JSONValue])] = []
        for row in rows {
            keyed.append((try scope.with(row).values(of: query.order.map(\.key)), row))
        }
        // Sorting keeps the order of rows that are equal.
        return keyed.sorted { query.comparison($0.keys, $1.keys) < 0 }.map(\.row)
    }

    /// One result for each group, in the order in which they begin.
    static func grouped(
        _ rows: [[String: JSONValue]], of query: ParsedQuery, in scope: QueryScope
    ) throws(ServiceFailure) -> [JSONValue] {
        var order: [String] = []
        var groups: [String: [[String: JSONValue]]] = [:]
        for row in rows {
            let keys = try scope.with(row).values(of: query.grouping)
            let name = keys.map { $0.map(canonical) ?? "" }.joined(separator: "\u{0}")
            if groups[name] == nil { order.append(name) }
            groups[name, default: []].append(row)
        }
        if query.grouping.isEmpty, order.isEmpty {
            order = [""]
            groups[""] = []
        }
        var results: [JSONValue] = []
        for name in order {
            let group = groups[name] ?? []
            var inner = scope.with(group.first ?? scope.aliases)
            inner.group = group
            if let value = try selected(query, in: inner) { results.append(value) }
        }
        return results
    }

    static func distinct(_ results: [JSONValue], of query: ParsedQuery) -> [JSONValue] {
        guard query.isDistinct else { return results }
        var seen: Set<String> = []
        return results.filter { seen.insert(canonical($0)).inserted }
    }

    private static func cut(
        _ results: [JSONValue], _ query: ParsedQuery, _ scope: QueryScope
    ) throws(ServiceFailure) -> [JSONValue] {
        let (skipped, taken) = try query.window(in: scope)
        return Array(results.dropFirst(skipped).prefix(taken))
    }

    /// A text that equal values have in common.
    private static func canonical(_ value: JSONValue) -> String {
        switch value {
        case .double(let number): QueryScope.number(number).jsonText
        case .array(let elements): "[" + elements.map(canonical).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { "\(JSONValue.string($0.key).jsonText):\(canonical($0.value))" }
                .joined(separator: ",") + "}"
        default: value.jsonText
        }
    }
}

extension ParsedQuery {
    /// How the keys of two rows compare.
    func comparison(_ left: [JSONValue?], _ right: [JSONValue?]) -> Int {
        for (index, key) in order.enumerated() {
            let result = QueryOrder.order(left[index], right[index])
            if result != 0 { return key.isDescending ? -result : result }
        }
        return 0
    }

    /// How many results are passed over, and how many are given at most.
    func window(in scope: QueryScope) throws(ServiceFailure) -> (skipped: Int, taken: Int) {
        var numbers: [Int?] = []
        for expression in [offset, top ?? limit] {
            guard let expression else {
                numbers.append(nil)
                continue
            }
            guard let number = try scope.value(of: expression)?.integerValue, number >= 0 else {
                throw .badRequest("TOP, OFFSET and LIMIT need numbers from 0 on.")
            }
            numbers.append(Int(clamping: number))
        }
        return (numbers[0] ?? 0, numbers[1] ?? .max)
    }
}
