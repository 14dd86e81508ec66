import SettleDocuments

extension QueryScope {
    /// An aggregate over the rows of the group.
    func aggregate(
        _ name: String, _ arguments: [QueryExpression]
    ) throws(ServiceFailure) -> JSONValue? {
        guard arguments.count == 1 else {
            throw .badRequest("\(name) has one argument.")
        }
        guard let group else {
            throw .badRequest("\(name) is possible only in what is selected.")
        }
        var values: [JSONValue] = []
        for row in group {
            if let value = try with(row).value(of: arguments[0]) { values.append(value) }
        }
        switch name {
        case "COUNT": return .integer(Int64(values.count))
        case "MIN": return values.min { QueryOrder.order($0, $1) < 0 }
        case "MAX": return values.max { QueryOrder.order($0, $1) < 0 }
        default: break
        }
        let numbers = values.compactMap(\.doubleValue)
        guard numbers.count == values.count else { return nil }
        if name == "SUM" { return Self.number(numbers.reduce(0, +)) }
        return numbers.isEmpty
            ? nil : Self.number(numbers.reduce(0, +) / Double(numbers.count))
    }
}
