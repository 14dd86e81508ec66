import SettleDocuments
import SettleIndexing

extension Database {
    /// The reduce functions that come with the database.
    ///
    /// They follow CouchDB's; `min` and `max` are Settle's. Rows without a value are counted by `count`
    /// and `approxCountDistinct` and passed over by the others.
    public enum BuiltInReduce: String, Sendable, CaseIterable {
        /// The sum of numbers, of arrays element by element, of objects member by member; integers
        /// stay exact until the sum leaves 64 bits.
        case sum
        /// The number of rows.
        case count
        /// An object of `sum`, `count`, `min`, `max`, and `sumsqr`.
        case stats
        /// The smallest value.
        case min
        /// The largest value.
        case max
        /// About how many different keys there are, to a few percent.
        case approxCountDistinct

        var kind: ReducerKind {
            switch self {
            case .sum: .sum
            case .count: .count
            case .stats: .stats
            case .min: .min
            case .max: .max
            case .approxCountDistinct: .approxCountDistinct
            }
        }

        init(_ kind: ReducerKind) {
            self =
                switch kind {
                case .sum: .sum
                case .count: .count
                case .stats: .stats
                case .min: .min
                case .max: .max
                case .approxCountDistinct: .approxCountDistinct
                }
        }

        /// The function as a closure, as an index shows it.
        ///
        /// It answers `NSNull` where the function has no answer: for values it cannot work with, for
        /// no values, and when estimates of `approxCountDistinct` are to be reduced again, which
        /// takes more than the numbers.
        var closure: Reduce {
            let kind = kind
            return { keys, values, rereduce in
                do {
                    return DynamicValue.any(
                        try Self.result(of: kind, keys, values, rereduce) ?? .null)
                } catch {
                    return DynamicValue.any(.null)
                }
            }
        }

        private static func result(
            of kind: ReducerKind, _ keys: [Any], _ values: [Any], _ rereduce: Bool
        ) throws -> JSONValue? {
            if rereduce, kind == .approxCountDistinct { return nil }
            // Results of the other functions are reduced as values are, but for counts, which add up.
            var reduction = Reduction(.builtIn(rereduce && kind == .count ? .sum : kind))
            for index in values.indices {
                let key = index < keys.count ? try DynamicValue.json(keys[index]) ?? .null : .null
                let value = try DynamicValue.json(values[index])
                let head = try PackedValue(key).bytes
                let tail = try value.map { try PackedValue($0).bytes } ?? []
                // A row key is a collation key with something behind it.
                let row = Collator(.unicode).key(for: key) + [0]
                try reduction.add(key: row.span, head: head.span, tail: tail.span)
            }
            return reduction.isEmpty ? nil : try reduction.result()
        }
    }
}
