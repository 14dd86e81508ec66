import SettleDocuments

/// What a `_sum` ends with that met a value it cannot add; nothing after it changes it.
enum SumStop: Equatable {
    /// The result is an object that tells of the error, as CouchDB answers with.
    case error(JSONValue)
    /// There is no result, as CouchDB answers with a status of 500.
    case failure(String)

    /// What the member `error` of the objects says.
    static let errorName = "builtin_reduce_error"

    /// CouchDB's sentence about what `_sum` adds (its `couch_query_servers.erl`).
    static let requirement =
        "The _sum function requires that map values be numbers, arrays of numbers, or objects. "
        + "Objects cannot be mixed with other data structures. Objects can be arbitrarily nested, "
        + "provided that the values for all fields are themselves numbers, arrays of numbers, or "
        + "objects."

    /// How many packed bytes of a value that caused an error are kept in partials at most.
    static let causeSizeMax = 1024

    /// A value that cannot be added.
    static func unfit(_ value: JSONValue) -> SumStop {
        .error(
            .object([
                "error": .string(errorName), "reason": .string(requirement),
                "caused_by": bounded(value),
            ]))
    }

    /// The error of an earlier `_sum`, which came as a value.
    static func earlier(_ value: JSONValue) -> SumStop {
        guard case .object(var members) = value, !isSmall(value) else { return .error(value) }
        // Too large to travel through every partial: the parts that CouchDB gives, cut short.
        members = members.filter { ["error", "reason", "caused_by"].contains($0.key) }
        return .error(.object(members.mapValues(bounded)))
    }

    /// A result that grows with the rows.
    static func overflow(inputSize: Int, outputSize: Int) -> SumStop {
        .error(
            .object([
                "error": .string(errorName),
                "reason": .string(ReduceLimit.reason(inputSize, outputSize)),
            ]))
    }

    private static func bounded(_ value: JSONValue) -> JSONValue {
        if isSmall(value) { return value }
        if case .string(let text) = value { return .string(PartialForm.shortened(text, to: 200)) }
        return .string(PartialForm.quoted(value))
    }

    private static func isSmall(_ value: JSONValue) -> Bool {
        guard let packed = try? PackedValue(value) else { return false }
        return packed.bytes.count <= causeSizeMax
    }

    // MARK: Stored form

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .error(let value):
            guard let packed = try? PackedValue(value) else {
                preconditionFailure("An error is made of values that were stored.")
            }
            bytes.append(PartialForm.error)
            bytes.append(contentsOf: packed.bytes)
        case .failure(let reason): PartialForm.append(failure: reason, to: &bytes)
        }
    }
}
