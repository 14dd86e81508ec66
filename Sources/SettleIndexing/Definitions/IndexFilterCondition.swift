import SettleDocuments

/// What a filter asks of a document; negations are already inside the tests.
indirect enum IndexFilterCondition: Sendable {
    case all([IndexFilterCondition])
    case any([IndexFilterCondition])
    case member(MemberPlace, IndexFilterTest)

    /// Whether it holds.
    ///
    /// Recursion is bounded by the depth of the filter's JSON.
    /// - Throws: `PackedError` when something it touches is damaged.
    func holds(for body: Span<UInt8>, id: Span<UInt8>) throws(PackedError) -> Bool {
        switch self {
        case .all(let parts):
            for part in parts where try !part.holds(for: body, id: id) { return false }
            return true
        case .any(let parts):
            for part in parts where try part.holds(for: body, id: id) { return true }
            return false
        case .member(let place, let test):
            switch try place.find(in: body) {
            case .absent: return test.holdsForAbsent
            case .id: return test.holds(forID: id)
            case .value(let range): return try test.holds(for: body, range)
            }
        }
    }
}

/// What a filter asks of one member.
enum IndexFilterTest: Sendable {
    /// How a value stands to the operand.
    enum Relation: String, Sendable {
        case equal = "$eq"
        case notEqual = "$ne"
        case less = "$lt"
        case lessOrEqual = "$lte"
        case greater = "$gt"
        case greaterOrEqual = "$gte"

        var negated: Relation {
            switch self {
            case .equal: .notEqual
            case .notEqual: .equal
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            }
        }

        /// Whether an order below, at, or above zero is the relation.
        func holds(_ order: Int) -> Bool {
            switch self {
            case .equal: order == 0
            case .notEqual: order != 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        }
    }

    enum Kind: String, Sendable {
        case null, boolean, number, string, array, object
    }

    case compared(Relation, IndexFilterOperand)
    case among([IndexFilterOperand], isExcluded: Bool)
    case exists(Bool)
    case kind(Kind, isExcluded: Bool)

    var holdsForAbsent: Bool {
        if case .exists(false) = self { true } else { false }
    }

    /// Whether it holds for an identifier, a string that is compared by its bytes.
    func holds(forID id: Span<UInt8>) -> Bool {
        switch self {
        case .compared(let relation, let operand): return relation.holds(operand.order(ofID: id))
        case .among(let operands, let isExcluded):
            for operand in operands where operand.order(ofID: id) == 0 { return !isExcluded }
            return isExcluded
        case .exists(let exists): return exists
        case .kind(let kind, let isExcluded): return (kind == .string) != isExcluded
        }
    }

    /// Whether it holds for the packed value that fills the range.
    func holds(for body: Span<UInt8>, _ range: Range<Int>) throws(PackedError) -> Bool {
        switch self {
        case .compared(let relation, let operand):
            return relation.holds(try operand.order(of: body, in: range))
        case .among(let operands, let isExcluded):
            return try Self.contains(operands, body, range) != isExcluded
        case .exists(let exists): return exists
        case .kind(let kind, let isExcluded):
            return (try Self.kind(of: body, range) == kind) != isExcluded
        }
    }

    /// Whether the value, or, when it is an array, one of its elements, equals an operand.
    private static func contains(
        _ operands: [IndexFilterOperand], _ body: Span<UInt8>, _ range: Range<Int>
    ) throws(PackedError) -> Bool {
        guard case .array(let area) = try PackedForm.whole(of: body, in: range) else {
            for operand in operands where try operand.order(of: body, in: range) == 0 {
                return true
            }
            return false
        }
        var next = area.lowerBound
        while next < area.upperBound {
            let end = try PackedForm.content(of: body, in: next..<area.upperBound).end
            for operand in operands where try operand.order(of: body, in: next..<end) == 0 {
                return true
            }
            next = end
        }
        return false
    }

    private static func kind(
        of body: Span<UInt8>, _ range: Range<Int>
    ) throws(PackedError) -> Kind {
        switch try PackedForm.whole(of: body, in: range) {
        case .null: .null
        case .bool: .boolean
        case .integer, .double: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}
