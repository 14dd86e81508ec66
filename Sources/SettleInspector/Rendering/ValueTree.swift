import Mustache
import Settle

/// A JSON value as a tree that opens and closes.
struct ValueTree: MustacheParent {
    private let label: String
    private let value: String
    private let kind: String
    private let children: [ValueTree]
    private let isBranch: Bool
    private let isOpen: Bool

    /// How many values one tree shows.
    private static let countMax = 2_000
    /// How many characters of a string it shows.
    private static let lengthMax = 2_000
    /// How many levels are open when the page is shown.
    private static let openLevels = 2

    /// The tree of the members of an object, and whether all of them are in it.
    static func members(of object: [String: JSONValue]) -> (trees: [ValueTree], isWhole: Bool) {
        var left = countMax
        let trees = JSONLayout.sorted(object).compactMap {
            tree(of: $0.value, label: $0.key, level: 1, left: &left)
        }
        return (trees, left > 0)
    }

    private static func tree(
        of value: JSONValue, label: String, level: Int, left: inout Int
    ) -> ValueTree? {
        guard left > 0 else { return nil }
        left -= 1
        let label = VisibleText.beginning(of: label)
        switch value {
        case .array(let elements):
            var children: [ValueTree] = []
            for (index, element) in elements.enumerated() {
                guard
                    let child = tree(of: element, label: "\(index)", level: level + 1, left: &left)
                else { break }
                children.append(child)
            }
            return branch(label, Amounts.count(elements.count, "element"), children, level)
        case .object(let members):
            var children: [ValueTree] = []
            for (name, member) in JSONLayout.sorted(members) {
                guard let child = tree(of: member, label: name, level: level + 1, left: &left)
                else { break }
                children.append(child)
            }
            return branch(label, Amounts.count(members.count, "member"), children, level)
        case .string(let text):
            return leaf(label, VisibleText.beginning(of: text, characters: lengthMax), "string")
        case .integer, .double: return leaf(label, value.jsonText, "number")
        case .bool, .null: return leaf(label, value.jsonText, "word")
        }
    }

    private static func leaf(_ label: String, _ value: String, _ kind: String) -> ValueTree {
        ValueTree(
            label: label, value: value, kind: kind, children: [], isBranch: false, isOpen: false)
    }

    private static func branch(
        _ label: String, _ size: String, _ children: [ValueTree], _ level: Int
    ) -> ValueTree {
        ValueTree(
            label: label, value: size, kind: "size", children: children, isBranch: true,
            isOpen: level < openLevels)
    }

    func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "value": value
        case "kind": kind
        case "children": children
        case "isBranch": isBranch
        case "isOpen": isOpen
        default: nil
        }
    }
}
