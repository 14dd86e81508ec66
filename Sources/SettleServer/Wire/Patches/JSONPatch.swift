import HTTPTypes
import Settle
import SettleTableProtocol

/// A list of changes to a JSON document, which is carried out whole or not at all.
///
/// > Source: RFC 6902.
struct JSONPatch: Sendable, Equatable {
    /// One change.
    enum Change: Sendable, Equatable {
        case add(JSONPointer, JSONValue)
        case remove(JSONPointer)
        case replace(JSONPointer, JSONValue)
        case move(from: JSONPointer, to: JSONPointer)
        case copy(from: JSONPointer, to: JSONPointer)
        case test(JSONPointer, JSONValue)
    }

    var changes: [Change]

    /// Whether it asks for nothing but tests, and that an item be live.
    var changesNothing: Bool {
        changes.allSatisfy { change in
            switch change {
            case .test: true
            case .add(let place, let value), .replace(let place, let value):
                place == Self.deleted && value == false
            case .remove, .move, .copy: false
            }
        }
    }

    private static let deleted = JSONPointer(text: "/" + SystemColumn.deleted.rawValue)

    /// The most changes in a patch, so that its work is bounded.
    static let changeCountMax = 1000

    /// The most values in a patch, and in an item that is patched: all of them are made in memory.
    static let valueCountMax = 250_000

    /// Reads a patch that was packed.
    ///
    /// - Throws: ``Problem`` 413 when it has more than ``valueCountMax`` values; as ``init(_:)``.
    init(packed: PackedValue) throws(Problem) {
        guard packed.count(limit: Self.valueCountMax) <= Self.valueCountMax else {
            throw Problem(
                .contentTooLarge,
                "A JSON patch has at most \(Self.valueCountMax) values; send the whole item.")
        }
        try self.init(packed.tree)
    }

    /// Reads a patch.
    ///
    /// - Parameter json: An array of objects with `op`, `path`, and `value` or `from`; other members
    ///   are overlooked.
    /// - Throws: ``Problem`` 400 saying which change is wrong.
    init(_ json: JSONValue) throws(Problem) {
        guard let elements = json.arrayValue else {
            throw Problem(.badRequest, "A JSON patch is an array of changes.")
        }
        guard elements.count <= Self.changeCountMax else {
            throw Problem(
                .badRequest, "A JSON patch has at most \(Self.changeCountMax) changes.")
        }
        changes = []
        for (place, element) in elements.enumerated() {
            changes.append(try Self.change(element, place))
        }
    }

    private static func change(_ json: JSONValue, _ place: Int) throws(Problem) -> Change {
        func fault(_ rule: String) -> Problem {
            Problem(.badRequest, "The change \(place) of the JSON patch is wrong: \(rule).")
        }
        func pointer(_ name: String) throws(Problem) -> JSONPointer {
            guard let pointer = json[name]?.stringValue.flatMap({ JSONPointer(text: $0) }) else {
                throw fault("'\(name)' must be a JSON pointer, such as '/address/city'")
            }
            return pointer
        }
        func value() throws(Problem) -> JSONValue {
            guard let value = json["value"] else { throw fault("it needs a 'value'") }
            return value
        }
        guard json.objectValue != nil else { throw fault("it is no object") }
        switch json["op"]?.stringValue {
        case "add": return .add(try pointer("path"), try value())
        case "remove": return .remove(try pointer("path"))
        case "replace": return .replace(try pointer("path"), try value())
        case "move":
            let (from, to) = (try pointer("from"), try pointer("path"))
            guard from == to || !from.isPrefix(of: to) else {
                throw fault("what is moved cannot become a part of itself")
            }
            return .move(from: from, to: to)
        case "copy": return .copy(from: try pointer("from"), to: try pointer("path"))
        case "test": return .test(try pointer("path"), try value())
        default:
            throw fault("'op' must be add, remove, replace, move, copy or test")
        }
    }
}
