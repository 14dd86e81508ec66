import Settle

/// A selector as CouchDB's Mango has it, over the JSON of documents.
///
/// > Source: the documentation of `_find` of Apache CouchDB 3.
///
/// A member that is absent fulfils nothing but `{"$exists": false}`, and one whose path leads through a scalar, or out of an
/// array, not even that. A negation is carried down to single conditions, so
/// `{"$not": {"a": {"$gt": 5}}}` is `{"a": {"$lte": 5}}`. Values compare as keys of views do, and those of `_id` by their
/// bytes. Unlike an index filter it
/// knows all of Mango's operators and may be empty.
struct CouchSelector: Sendable {
    /// The selector as it was given.
    let json: JSONValue
    private let condition: Condition

    indirect enum Condition: Sendable {
        case all([Condition])
        case any([Condition])
        /// A condition on the member at a path.
        case member([String], CouchSelectorTest)
    }

    /// Reads a selector.
    ///
    /// - Throws: ``CouchError`` 400 for what is none.
    init(_ json: JSONValue) throws(CouchError) {
        guard case .object = json else {
            throw .invalidSelector("Selector must be a JSON object")
        }
        self.json = json
        condition = try CouchSelectorReader.condition(json, of: [], isNegated: false, depth: 0)
    }

    /// Whether a value passes.
    func matches(_ value: JSONValue) -> Bool { Self.holds(condition, for: value) }

    static func holds(_ condition: Condition, for value: JSONValue) -> Bool {
        switch condition {
        case .all(let parts): return parts.allSatisfy { holds($0, for: value) }
        case .any(let parts): return parts.contains { holds($0, for: value) }
        case .member(let path, let test):
            let order: CouchOrder = path == idPath ? .bytes : .views
            switch value.couchPlace(at: path) {
            case .value(let member): return test.holds(for: member, by: order)
            case .absent: return test.holds(for: nil, by: order)
            case .unreachable: return false
            }
        }
    }

    /// The paths of the members that it has conditions on.
    var paths: [[String]] { Self.paths(of: condition) }

    private static func paths(of condition: Condition) -> [[String]] {
        switch condition {
        case .all(let parts), .any(let parts): parts.flatMap(paths)
        case .member(let path, _): [path]
        }
    }

    /// The path of the identifier.
    static let idPath = ["_id"]

    /// Between which values a member of all that pass must be.
    struct Bounds {
        var low: JSONValue?
        var high: JSONValue?
        /// Whether all that pass have the member.
        var isPresent = false

        /// Whether there is one value that it must have.
        var isConstant: Bool { low != nil && low == high }
    }

    /// What the selector says of a member, as far as it must hold in any case.
    func bounds(at path: [String]) -> Bounds {
        var bounds = Bounds()
        Self.narrow(&bounds, by: condition, at: path)
        return bounds
    }

    private static func narrow(_ bounds: inout Bounds, by condition: Condition, at path: [String]) {
        switch condition {
        case .all(let parts): for part in parts { narrow(&bounds, by: part, at: path) }
        case .any(let parts): if parts.count == 1 { narrow(&bounds, by: parts[0], at: path) }
        case .member(let other, let test) where other.starts(with: path):
            bounds.isPresent = bounds.isPresent || !test.isOfAbsence
            guard other.count == path.count, case .compared(let relation, let value) = test else {
                return
            }
            if [.equal, .greater, .greaterOrEqual].contains(relation), bounds.low == nil {
                bounds.low = value
            }
            if [.equal, .less, .lessOrEqual].contains(relation), bounds.high == nil {
                bounds.high = value
            }
        case .member: break
        }
    }
}

/// How the texts of a member are compared.
enum CouchOrder: Sendable {
    /// As keys of views are, by Unicode's collation.
    case views
    /// By their bytes, as identifiers are.
    case bytes
}

extension CouchError {
    static func invalidSelector(_ reason: String) -> CouchError {
        CouchError(400, "invalid_selector", reason)
    }
}

/// What is at a path of names.
enum CouchPlace: Sendable {
    case value(JSONValue)
    /// An object without the member.
    case absent
    /// No object is where the member would be, or an array without the element.
    case unreachable
}

extension JSONValue {
    /// What is at a path of names, which lead into arrays by number.
    func couchPlace(at path: [String]) -> CouchPlace {
        var value = self
        for name in path {
            switch value {
            case .object(let members):
                guard let found = members[name] else { return .absent }
                value = found
            case .array(let elements):
                guard let place = Self.couchNumber(name), elements.indices.contains(place) else {
                    return .unreachable
                }
                value = elements[place]
            default: return .unreachable
            }
        }
        return .value(value)
    }

    /// The member at a path of names, which lead into arrays by number; nil when there is none.
    func couchMember(at path: [String]) -> JSONValue? {
        if case .value(let value) = couchPlace(at: path) { value } else { nil }
    }

    /// Whether a path may lead into an array, where those of indexes do not go.
    static func mayLeadIntoArrays(_ path: [String]) -> Bool {
        path.dropFirst().contains { couchNumber($0) != nil }
    }

    private static func couchNumber(_ name: String) -> Int? { Int(name) }

    /// Below, at or above zero as the value comes before, equals or comes after another.
    func couchOrder(to other: JSONValue, by order: CouchOrder) -> Int {
        guard order == .bytes, case .string(let mine) = self, case .string(let theirs) = other
        else { return couchOrder(to: other) }
        if mine.utf8.elementsEqual(theirs.utf8) { return 0 }
        return mine.utf8.lexicographicallyPrecedes(theirs.utf8) ? -1 : 1
    }

    /// Below, at or above zero as the value comes before, equals or comes after another in the order of views.
    func couchOrder(to other: JSONValue) -> Int {
        let (mine, theirs) = (Self.couchCollator.key(for: self), Self.couchCollator.key(for: other))
        if mine == theirs { return 0 }
        return mine.lexicographicallyPrecedes(theirs) ? -1 : 1
    }

    private static let couchCollator = Collator(.unicode)
}
