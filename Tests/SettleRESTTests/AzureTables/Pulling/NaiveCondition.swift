/// A filter on `updatedAt` and `id`, read as written.
indirect enum NaiveCondition {
    case all([NaiveCondition])
    case any([NaiveCondition])
    case time(String, Int64)
    case id(String, String)

    struct NotUnderstood: Error, CustomStringConvertible {
        let description: String
    }

    init(_ text: String) throws {
        var rest = Substring(text)
        self = try Self.alternatives(&rest)
        guard rest.isEmpty else { throw NotUnderstood(description: "'\(rest)' in \(text)") }
    }

    func holds(_ row: NaiveTable.Row) -> Bool {
        switch self {
        case .all(let parts): parts.allSatisfy { $0.holds(row) }
        case .any(let parts): parts.contains { $0.holds(row) }
        case .time(let comparison, let time): Self.holds(row.time, comparison, time)
        case .id(let comparison, let id): Self.holds(row.id, comparison, id)
        }
    }

    private static func holds<Value: Comparable>(
        _ left: Value, _ comparison: String, _ right: Value
    ) -> Bool {
        switch comparison {
        case "eq": left == right
        case "gt": left > right
        case "ge": left >= right
        default: left < right
        }
    }

    private static func alternatives(_ rest: inout Substring) throws -> NaiveCondition {
        var parts = [try both(&rest)]
        while take(" or ", &rest) { parts.append(try both(&rest)) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private static func both(_ rest: inout Substring) throws -> NaiveCondition {
        var parts = [try one(&rest)]
        while take(" and ", &rest) { parts.append(try one(&rest)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private static func one(_ rest: inout Substring) throws -> NaiveCondition {
        if take("(", &rest) {
            let inner = try alternatives(&rest)
            guard take(")", &rest) else { throw NotUnderstood(description: "\(rest)") }
            return inner
        }
        for column in ["updatedAt", "id"] {
            for comparison in ["eq", "gt", "ge", "lt"] where take("\(column) \(comparison) ", &rest)
            {
                if column == "id" { return .id(comparison, try text(&rest)) }
                return .time(comparison, try time(&rest))
            }
        }
        throw NotUnderstood(description: "\(rest)")
    }

    private static func time(_ rest: inout Substring) throws -> Int64 {
        let isOld = take("datetimeoffset'", &rest)
        guard isOld || take("cast(", &rest) else { throw NotUnderstood(description: "\(rest)") }
        let literal = rest.prefix { $0 != "'" && $0 != "," }
        rest = rest.dropFirst(literal.count)
        guard take(isOld ? "'" : ",Edm.DateTimeOffset)", &rest),
            let time = NaiveTime.nanoseconds(String(literal))
        else { throw NotUnderstood(description: "\(literal)\(rest)") }
        return time
    }

    private static func text(_ rest: inout Substring) throws -> String {
        guard take("'", &rest) else { throw NotUnderstood(description: "\(rest)") }
        var text = ""
        while let character = rest.popFirst() {
            if character == "'" {
                guard rest.first == "'" else { return text }
                rest.removeFirst()
            }
            text.append(character)
        }
        throw NotUnderstood(description: "A text has no end.")
    }

    private static func take(_ word: String, _ rest: inout Substring) -> Bool {
        guard rest.hasPrefix(word) else { return false }
        rest = rest.dropFirst(word.count)
        return true
    }
}
