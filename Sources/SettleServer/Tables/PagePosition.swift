import Settle
import SettleOData

/// A place between two items of an order: the sort keys and the id of the item before it.
///
/// A page that begins at a place holds the same items however many items before the place were
/// changed meanwhile, which a number of items to skip cannot promise.
struct PagePosition: Sendable, Equatable {
    /// The values of the sort keys.
    var keys: [ODataValue]
    var id: String

    /// The position of an item in an order.
    ///
    /// Arrays and objects are kept empty: all of them sort alike, and theirs would be the memory
    /// of the item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - order: The sort keys.
    ///   - budget: The work that is left for the request.
    /// - Throws: ``ODataError`` when a sort key makes a string longer than the limit or the budget
    ///   is used up.
    init(
        of item: TableItem, in order: [ODataSortKey], budget: ODataBudget
    ) throws(ODataError) {
        var evaluator = ODataEvaluator(subject: item, budget: budget)
        var keys: [ODataValue] = []
        for key in order {
            switch try evaluator.value(of: key.expression) {
            case .array, .packedArray: keys.append(.array([]))
            case .object, .packedObject: keys.append(.object([:]))
            case let value: keys.append(value)
            }
        }
        self.keys = keys
        id = item.id
    }

    init(keys: [ODataValue], id: String) {
        self.keys = keys
        self.id = id
    }

    /// About how many bytes of memory the position takes.
    var size: Int {
        keys.reduce(32 + id.utf8.count) { size, key in
            switch key {
            case .string(let text), .guid(let text): size + 16 + text.utf8.count
            default: size + 16
            }
        }
    }

    /// Whether this position comes before another in an order; the id decides between equals.
    func precedes(_ other: PagePosition, in order: [ODataSortKey]) -> Bool {
        for (place, key) in order.enumerated() {
            let relation = ODataOrder.sortRelation(keys[place], other.keys[place])
            if relation != 0 { return (relation < 0) != key.isDescending }
        }
        return ODataOrder.bytes(id, other.id) < 0
    }
}

extension PagePosition {
    /// The value of `$skiptoken`.
    ///
    /// Shape: base64url of a JSON array, the sort keys and then the id; an instant is
    /// `{"t": ticks}`, arrays and objects are empty since all of them sort alike.
    var token: String {
        let values = keys.map { key -> JSONValue in
            switch key {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .double(let value): .double(value)
            case .string(let value), .guid(let value): .string(value)
            case .instant(let value): ["t": .integer(value.ticks)]
            case .array, .packedArray: []
            case .object, .packedObject: [:]
            }
        }
        return Base64URL.text(of: JSONText.text(of: .array(values + [.string(id)])))
    }

    /// Reads a `$skiptoken`; nil when it is no such text or one of another order.
    ///
    /// - Parameters:
    ///   - token: The text of a next link of this server.
    ///   - keyCount: The number of sort keys of the order.
    init?(token: String, keyCount: Int) {
        guard let bytes = Base64URL.bytes(of: token),
            case .array(var values)? = try? JSONText.value(from: bytes),
            values.count == keyCount + 1, case .string(let id)? = values.popLast(),
            (try? ItemIdentifier.check(id)) != nil
        else { return nil }
        self.id = id
        keys = values.map { value in
            if let ticks = value["t"]?.integerValue { return .instant(Instant(ticks: ticks)) }
            return ODataValue(value)
        }
    }
}
