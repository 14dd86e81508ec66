import SettleDocuments

/// The statistics of the values of one place: of the values of rows, or of one element of them.
enum StatsNode: Equatable {
    case numbers(Statistics)
    case array([StatsNode])

    /// Five figures about numbers.
    struct Statistics: Equatable {
        var sum = NumberTotal()
        var count = NumberTotal()
        var min: NumberValue
        var max: NumberValue
        var sumOfSquares = NumberTotal()

        /// The statistics of one number.
        init(_ value: NumberValue) {
            sum.add(value)
            count.add(Int64(1))
            min = value
            max = value
            value.addSquare(to: &sumOfSquares)
        }

        @inline(__always)
        mutating func add(_ value: NumberValue) {
            sum.add(value)
            count.add(Int64(1))
            if value.isLess(than: min) { min = value }
            if max.isLess(than: value) { max = value }
            value.addSquare(to: &sumOfSquares)
        }

        mutating func add(_ other: Statistics) {
            sum.add(other.sum)
            count.add(other.count)
            if other.min.isLess(than: min) { min = other.min }
            if max.isLess(than: other.max) { max = other.max }
            sumOfSquares.add(other.sumOfSquares)
        }

        /// The statistics that an object holds which the map made of several numbers.
        init(aggregated members: [String: JSONValue]) throws(StatsFault) {
            func number(_ name: String) throws(StatsFault) -> NumberValue {
                guard let member = members[name] else {
                    throw .reason(
                        "user _stats input missing required field \(name) "
                            + "(\(PartialForm.quoted(.object(members))))")
                }
                guard let number = NumberValue(member) else {
                    throw .reason(
                        "non-numeric _stats input received for \(name): "
                            + PartialForm.quoted(member))
                }
                return number
            }
            sum.add(try number("sum"))
            count.add(try number("count"))
            min = try number("min")
            max = try number("max")
            sumOfSquares.add(try number("sumsqr"))
        }

        /// Nil when a number left the range of doubles.
        var json: JSONValue? {
            guard let sum = sum.value, let count = count.value,
                let squares = sumOfSquares.value
            else { return nil }
            return .object([
                "sum": sum.json, "count": count.json, "min": min.json, "max": max.json,
                "sumsqr": squares.json,
            ])
        }
    }

    /// The statistics of one value.
    ///
    /// - Parameters:
    ///   - value: A number, an array of such values, or an object with the five figures.
    ///   - isFirst: Whether it is the first of its reduction; CouchDB says another sentence then.
    /// - Throws: ``StatsFault`` when it is something else.
    init(_ value: JSONValue, isFirst: Bool) throws(StatsFault) {
        switch value {
        case .integer(let number): self = .numbers(Statistics(.integer(number)))
        case .double(let number): self = .numbers(Statistics(.double(number)))
        case .array(let elements):
            var nodes: [StatsNode] = []
            nodes.reserveCapacity(elements.count)
            for element in elements { nodes.append(try StatsNode(element, isFirst: isFirst)) }
            self = .array(nodes)
        case .object(let members): self = .numbers(try Statistics(aggregated: members))
        case .null, .bool, .string:
            throw isFirst
                ? .reason("non-numeric _stats input: \(PartialForm.quoted(value))")
                : .unfit(PartialForm.quoted(value))
        }
    }

    /// Adds other statistics, whose rows come after those of this one.
    mutating func add(_ other: StatsNode) throws(StatsFault) {
        switch (self, other) {
        case (.numbers(var statistics), .numbers(let others)):
            statistics.add(others)
            self = .numbers(statistics)
        case (.array(var nodes), .array(let others)):
            guard nodes.count == others.count else {
                throw .reason(
                    "The _stats function requires that arrays of numbers have equal lengths, "
                        + "not \(nodes.count) and \(others.count)")
            }
            self = .array([])
            for index in nodes.indices { try nodes[index].add(others[index]) }
            self = .array(nodes)
        default:
            // As CouchDB, which knows here only what the reduction of the values is.
            throw .unfit(other.json.map(PartialForm.quoted) ?? "a number beyond all range")
        }
    }

    /// Nil when a number left the range of doubles.
    var json: JSONValue? {
        switch self {
        case .numbers(let statistics): return statistics.json
        case .array(let nodes):
            var elements: [JSONValue] = []
            for node in nodes {
                guard let element = node.json else { return nil }
                elements.append(element)
            }
            return .array(elements)
        }
    }
}

/// Why a value has no statistics, or no common ones with those before it.
enum StatsFault: Error {
    case reason(String)
    /// A value that is neither a number nor an array of numbers, quoted.
    case unfit(String)

    /// CouchDB's sentences (its `couch_query_servers.erl`), but for arrays of different lengths,
    /// for which it has none.
    var text: String {
        switch self {
        case .reason(let text): text
        case .unfit(let quoted):
            "The _stats function requires that map values be numbers or arrays of numbers, "
                + "not '\(quoted)'"
        }
    }
}
