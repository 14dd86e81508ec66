import Foundation
import HTTPTypes
import Settle
import SettleREST

extension TableModel {
    /// Answers a list, by page.
    func list(_ query: [String: String], _ state: State) -> FullHTTPResponse {
        let condition: TableFilter.Condition?
        do {
            condition = try query["$filter"].map { try TableFilter.condition($0) }
        } catch {
            ledger.complain("A filter cannot be read: \(error)")
            return json(400, ["error": "The filter cannot be read."])
        }
        let isDatasync = style.kind.isDatasync
        if let topMax = style.topMax, let top = query["$top"].flatMap({ Int($0) }), top > topMax {
            let isNamed = style.writesAllDigits
            return json(
                400, ["error": .string(isNamed ? "The limit is '\(topMax)'." : "Too many.")])
        }
        if style.kind == .mobileServices, query["__systemproperties"] == nil {
            return json(400, ["error": "The model shows rows with all their columns only."])
        }
        let showsDeleted = query[isDatasync ? "__includedeleted" : "__includeDeleted"] == "true"
        var rows = state.rows.filter { id, row in
            !state.hiddenIds.contains(id) && (showsDeleted || !row.isDeleted)
                && (condition.map { holds($0, id, row) } ?? true)
        }
        .map { (id: $0.key, row: $0.value) }
        let order = (query["$orderby"] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).split(separator: " ")[0]
        }
        rows.sort { left, right in
            for column in order {
                if column.hasSuffix("updatedAt"), left.row.time != right.row.time {
                    return left.row.time < right.row.time
                }
                let keys = (style.sortKey(left.id), style.sortKey(right.id))
                if column == "id", keys.0 != keys.1 {
                    return keys.0.lexicographicallyPrecedes(keys.1)
                }
            }
            // Ties are in no order that anybody could rely on, but for the newer servers.
            return isDatasync
                ? style.sortKey(left.id).lexicographicallyPrecedes(style.sortKey(right.id))
                : left.row.version > right.row.version
        }
        let count = rows.count
        let skip = query["$skip"].flatMap { Int($0) } ?? 0
        let top = min(query["$top"].flatMap { Int($0) } ?? 50, style.pageSizeMax)
        let page = rows.dropFirst(skip).prefix(top).map { shown($0.id, $0.row, state) }
        if isDatasync {
            var body: [String: JSONValue] = ["items": .array(page)]
            body["count"] = query["$count"] == "true" ? .integer(Int64(count)) : .null
            body["nextLink"] = .null
            if skip + page.count < count {
                var next = query
                next["$skip"] = String(skip + page.count)
                body["nextLink"] = .string(Self.text(of: next))
            }
            return json(200, .object(body))
        }
        guard query["$inlinecount"] == "allpages" else { return json(200, .array(page)) }
        return json(200, ["results": .array(page), "count": .integer(Int64(count))])
    }

    private static func text(of query: [String: String]) -> String {
        query.map { name, value in
            let safe = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            return "\(name)=\(safe ?? "")"
        }
        .joined(separator: "&")
    }

    // MARK: Conditions

    /// Whether a condition holds for a row.
    private func holds(_ condition: TableFilter.Condition, _ id: String, _ row: Row) -> Bool {
        switch condition {
        case .all(let parts): return parts.allSatisfy { holds($0, id, row) }
        case .any(let parts): return parts.contains { holds($0, id, row) }
        case .not(let part): return !holds(part, id, row)
        case .hasElement(let column, let variable, let part):
            return row.columns[column]?.arrayValue?.contains { element in
                var inner = row
                inner.columns[variable] = element
                return holds(part, id, inner)
            } ?? false
        case .compares(let left, let comparison, let right):
            guard let order = order(value(left, id, row), value(right, id, row)) else {
                return comparison == "ne"
            }
            return switch comparison {
            case "eq": order == 0
            case "ne": order != 0
            case "gt": order > 0
            case "ge": order >= 0
            case "lt": order < 0
            default: order <= 0
            }
        }
    }

    private enum Value {
        case text(String)
        case time(TableTime)
        case other(JSONValue)
    }

    private func value(_ operand: TableFilter.Operand, _ id: String, _ row: Row) -> Value {
        switch operand {
        case .text(let text): return .text(text)
        case .time(let time): return .time(time)
        case .other(let value): return .other(value)
        case .name("id"): return .text(id)
        case .name(style.kind.columnPrefix + "updatedAt"): return .time(row.time)
        case .name(style.kind.columnPrefix + "deleted"): return .other(.bool(row.isDeleted))
        case .name(let name):
            let value = row.columns[name] ?? .null
            return value.stringValue.map { .text($0) } ?? .other(value)
        }
    }

    /// Below, at or above zero; nil when the two cannot be compared.
    private func order(_ left: Value, _ right: Value) -> Int? {
        switch (left, right) {
        case (.text(let left), .text(let right)):
            let (left, right) = (style.sortKey(left), style.sortKey(right))
            return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        case (.time(let left), .time(let right)):
            return left == right ? 0 : left < right ? -1 : 1
        case (.other(let left), .other(let right)):
            return left == right ? 0 : nil
        default:
            return nil
        }
    }
}
