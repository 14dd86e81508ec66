import SettleDocuments

/// A value of the naive evaluator; numbers are doubles, which the samples keep exact.
enum NaiveValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text([Unicode.Scalar])
}

/// An item of the naive evaluator.
struct NaiveItem {
    var values: [String: NaiveValue]
    var tags: [[Unicode.Scalar]]?

    /// The same item in JSON.
    var members: [String: JSONValue] {
        var members = values.mapValues { value -> JSONValue in
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .number(let number):
                number == number.rounded() ? .integer(Int64(number)) : .double(number)
            case .text(let scalars): .string(String(scalars))
            }
        }
        if let tags { members["tags"] = .array(tags.map { .string(String($0)) }) }
        return members
    }
}

extension String {
    init(_ scalars: [Unicode.Scalar]) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
