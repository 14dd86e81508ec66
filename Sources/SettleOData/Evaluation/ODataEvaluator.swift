import SettleDocuments

/// Finds the value of an expression for one item.
///
/// Nulls, by the rules of OData's version 4, which say what version 3 leaves open:
/// - A member that is missing is null, and so is a member of something that is no object.
/// - `eq` and `ne` take null for a value like any other: `x eq null` is true when `x` is missing,
///   `x ne 1` too. `lt le gt ge` with a null on either side are false.
/// - `not`, `and`, `or` know three values: `null and false` is false, `null or true` is true,
///   `not null` is null. An item is wanted only when the whole filter is true, not when null.
/// - Arithmetic, functions and casts with a null, with a value of a wrong kind, or without a result
///   (division by zero, overflow) give null.
/// - What is no array has no elements: `any` is false, `all` is true, `$count` is 0.
///
/// Values of different kinds are never equal and none is less than the other, except: whole
/// numbers and doubles are compared exactly; a string that is a date and time compares with an
/// instant; a string compares with a guid in any case. Strings are compared by their UTF-8
/// bytes, and positions in strings count Unicode scalars from 0.
package struct ODataEvaluator<Subject: ODataSubject> {
    let subject: Subject
    let limits: ODataLimits
    private let budget: ODataBudget
    private var variables: [(name: String, value: ODataValue)] = []

    /// An evaluator for one item.
    ///
    /// - Parameters:
    ///   - subject: The item.
    ///   - limits: The longest string to make, and the work to do when there is no `budget`.
    ///   - budget: The work that is left for the request; nil for a full one of its own.
    package init(subject: Subject, limits: ODataLimits = .standard, budget: ODataBudget? = nil) {
        self.subject = subject
        self.limits = limits
        self.budget = budget ?? ODataBudget(limits: limits)
    }

    /// Whether the filter is true for the item.
    ///
    /// - Throws: ``ODataError`` when a string grows over the limit or the budget is used up.
    package static func isTrue(
        _ filter: ODataNode, for subject: Subject, limits: ODataLimits = .standard,
        budget: ODataBudget? = nil
    ) throws(ODataError) -> Bool {
        var evaluator = ODataEvaluator(subject: subject, limits: limits, budget: budget)
        return try evaluator.value(of: filter) == .bool(true)
    }

    /// The value of an expression.
    ///
    /// - Throws: ``ODataError`` when a string grows over the limit or the budget is used up.
    package mutating func value(of expression: ODataNode) throws(ODataError) -> ODataValue {
        try budget.spend()
        switch expression {
        case .literal(let value): return value
        case .spelled(let spelling): return spelling.value
        case .verbatim:
            throw ODataError(
                message: "A condition in a server's own words has no value but there.",
                position: nil)
        case .path(let path):
            let value = subject.value(at: path)
            // A string of an item is made anew each time.
            try budget.spend(reading: value)
            return value
        case .variable(let name, let path):
            guard let bound = variables.last(where: { $0.name == name }) else { return .null }
            let value = bound.value.value(at: path[...])
            try budget.spend(reading: value)
            return value
        case .not(let operand):
            guard case .bool(let value) = try value(of: operand) else { return .null }
            return .bool(!value)
        case .negated(let operand): return try value(of: operand).negated
        case .and(let operands): return try connect(operands, decidedBy: false)
        case .or(let operands): return try connect(operands, decidedBy: true)
        case .comparison(let comparison, let left, let right):
            let (left, right) = (try value(of: left), try value(of: right))
            try budget.spend(comparing: left, right)
            return .bool(ODataOrder.holds(comparison, left, right))
        case .arithmetic(let operation, let left, let right):
            return ODataArithmetic.value(operation, try value(of: left), try value(of: right))
        case .call(let function, let arguments): return try call(function, arguments)
        case .cast(let operand, let type):
            let value = try value(of: operand)
            try budget.spend(reading: value)
            return type.value(of: value)
        case .count(let collection):
            switch try value(of: collection) {
            case .array(let elements): return .integer(Int64(elements.count))
            case .packedArray(let part):
                try budget.spend(walking: part)
                return .integer(Int64(part.elements.reduce(0) { count, _ in count + 1 }))
            default: return .integer(0)
            }
        case .membership(let operand, let candidates):
            return try isMember(operand, of: candidates)
        case .any(let collection, let variable, let condition):
            guard let condition else {
                var isEmpty = true
                try forEachElement(of: collection) { _, _ throws(ODataError) in
                    isEmpty = false
                    return false
                }
                return .bool(!isEmpty)
            }
            return try quantify(collection, variable, condition, decidedBy: true)
        case .all(let collection, let variable, let condition):
            return try quantify(collection, variable, condition, decidedBy: false)
        }
    }

    private mutating func connect(
        _ operands: [ODataNode], decidedBy decider: Bool
    ) throws(ODataError) -> ODataValue {
        var hasNull = false
        for operand in operands {
            guard case .bool(let value) = try value(of: operand) else {
                hasNull = true
                continue
            }
            if value == decider { return .bool(decider) }
        }
        return hasNull ? .null : .bool(!decider)
    }

    private mutating func isMember(
        _ operand: ODataNode, of candidates: [ODataNode]
    ) throws(ODataError) -> ODataValue {
        let value = try value(of: operand)
        for candidate in candidates {
            let other = try self.value(of: candidate)
            try budget.spend(comparing: value, other)
            if ODataOrder.areEqual(value, other) { return .bool(true) }
        }
        return .bool(false)
    }

    /// Walks the elements of an array until the body answers false; what is no array has none.
    private mutating func forEachElement(
        of collection: ODataNode,
        _ body: (inout Self, ODataValue) throws(ODataError) -> Bool
    ) throws(ODataError) {
        switch try value(of: collection) {
        case .array(let elements):
            for element in elements {
                guard try body(&self, ODataValue(element)) else { return }
            }
        case .packedArray(let part):
            for element in part.elements {
                guard try body(&self, element) else { return }
            }
        default: return
        }
    }

    /// `any` is decided by the first true, `all` by the first that is not true; what is no array
    /// counts as an empty one.
    private mutating func quantify(
        _ collection: ODataNode, _ variable: String, _ condition: ODataNode,
        decidedBy decider: Bool
    ) throws(ODataError) -> ODataValue {
        var isDecided = false
        try forEachElement(of: collection) { evaluator, element throws(ODataError) in
            evaluator.variables.append((variable, element))
            let isTrue = try evaluator.value(of: condition) == .bool(true)
            evaluator.variables.removeLast()
            isDecided = isTrue == decider
            return !isDecided
        }
        return .bool(isDecided ? decider : !decider)
    }

    private mutating func call(
        _ function: ODataFunction, _ arguments: [ODataNode]
    ) throws(ODataError) -> ODataValue {
        var values: [ODataValue] = []
        for argument in arguments {
            let value = try value(of: argument)
            try budget.spend(reading: value)
            values.append(value)
        }
        return try function.value(of: values, limits: limits)
    }
}
