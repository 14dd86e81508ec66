import SettleDocuments
import SettleIndexing

/// How an index with a map in Swift is reduced, if it is.
enum IndexReduction {
    case none
    case builtIn(Database.BuiltInReduce)
    case custom(Database.Reduce)
    case typed(Database.TypedReduce)

    init(_ builtIn: Database.BuiltInReduce?) {
        self = builtIn.map { .builtIn($0) } ?? .none
    }

    init(_ closure: Database.Reduce?) {
        self = closure.map { .custom($0) } ?? .none
    }

    /// The function as a closure.
    var closure: Database.Reduce? {
        switch self {
        case .none: nil
        case .builtIn(let function): function.closure
        case .custom(let closure): closure
        case .typed(let function): function.closure
        }
    }

    /// The function as the layer below calls it.
    var reducer: IndexReducer? {
        switch self {
        case .none: nil
        case .builtIn(let function): .builtIn(function.kind)
        case .custom(let closure): .custom(Self.function(closure))
        case .typed(let function): .custom(function.function)
        }
    }

    /// The version of an index, with what else can be compared.
    ///
    /// A version alone stays as it is.
    func identity(version: String, filter: Database.IndexFilter?) -> String {
        var text = version
        if case .builtIn(let function) = self { text += " \(function.kind.rawValue)" }
        if let filter { text += " \(filter.json.jsonText)" }
        return text
    }

    /// The version that an author gave, read from what ``identity(version:filter:)`` made of it.
    ///
    /// - Parameters:
    ///   - identity: What the database keeps.
    ///   - reducer: The name of the reduce function, as the database keeps it.
    /// - Returns: What stands before the function and the filter. Of a version that itself contains
    ///   the like, that is only the beginning.
    static func version(ofIdentity identity: String, reducer: String) -> String {
        var ends = [identity.endIndex]
        if identity.hasSuffix("}") { ends += identity.ranges(of: " {").map(\.lowerBound) }
        let isBuiltIn = ReducerKind(rawValue: reducer) != nil
        for end in ends.sorted() {
            let text = identity[..<end]
            if !isBuiltIn { return String(text) }
            if text.hasSuffix(" \(reducer)") { return String(text.dropLast(reducer.count + 1)) }
        }
        return identity
    }

    private static func function(
        _ reduce: @escaping Database.Reduce
    ) -> @Sendable ([JSONValue], [JSONValue?], Bool) throws -> JSONValue {
        { keys, values, rereduce in
            let result = reduce(
                keys.map { DynamicValue.any($0) },
                values.map { DynamicValue.any($0 ?? .null) }, rereduce)
            do {
                return try DynamicValue.json(result) ?? .null
            } catch let error as DynamicValue.Unsupported {
                throw IndexError.reduceFailed(
                    reason: "the reduce function returned \(error.reason)")
            }
        }
    }
}
