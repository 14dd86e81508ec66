import Mustache
import Settle

/// A JSON value as a tree that opens and closes, as a list of what begins and ends in it.
///
/// A list, because a template that called itself for each level would need the more of the stack the deeper a document is.
struct ValueTree {
    /// What begins and ends, in the order of the page.
    private(set) var parts: [Part] = []
    /// Whether all values are in it, but for those that are too deep.
    private(set) var isWhole = true

    private var left = Self.countMax
    /// Where the value stands without a tree.
    private let wholeAddress: String

    /// How many values one tree shows.
    private static let countMax = 2_000
    /// How many characters of a string it shows.
    private static let lengthMax = 2_000
    /// How many levels are open when the page is shown.
    private static let openLevels = 2
    /// How many levels a tree has; what is deeper stands in the JSON alone.
    static let levelMax = 64

    /// The tree of the members of an object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - wholeAddress: Where the object stands without a tree, for what is too deep for one.
    init(membersOf object: [String: JSONValue], wholeAddress: String) {
        self.wholeAddress = wholeAddress
        for (name, value) in JSONLayout.sorted(object) { add(value, label: name, level: 1) }
        isWhole = left > 0
    }

    private mutating func add(_ value: JSONValue, label: String, level: Int) {
        guard left > 0 else { return }
        left -= 1
        let label = VisibleText.beginning(of: label)
        switch value {
        case .array(let elements):
            addBranch(label, Amounts.count(elements.count, "element"), elements.count, level) {
                for (index, element) in elements.enumerated() where $0.left > 0 {
                    $0.add(element, label: "\(index)", level: level + 1)
                }
            }
        case .object(let members):
            addBranch(label, Amounts.count(members.count, "member"), members.count, level) {
                for (name, member) in JSONLayout.sorted(members) where $0.left > 0 {
                    $0.add(member, label: name, level: level + 1)
                }
            }
        case .string(let text):
            addLeaf(label, VisibleText.beginning(of: text, characters: Self.lengthMax), "string")
        case .integer, .double: addLeaf(label, value.jsonText, "number")
        case .bool, .null: addLeaf(label, value.jsonText, "word")
        }
    }

    private mutating func addLeaf(_ label: String, _ value: String, _ kind: String) {
        parts.append(.leaf(label: label, value: value, kind: kind, link: nil))
    }

    private mutating func addBranch(
        _ label: String, _ size: String, _ count: Int, _ level: Int,
        children: (inout ValueTree) -> Void
    ) {
        guard level < Self.levelMax || count == 0 else {
            parts.append(.leaf(label: label, value: size, kind: "word", link: wholeAddress))
            return
        }
        parts.append(.beginning(label: label, size: size, isOpen: level < Self.openLevels))
        children(&self)
        parts.append(.end)
    }

    /// What begins or ends in a tree.
    enum Part {
        /// A value without others in it; the link leads to what is in one that is too deep.
        case leaf(label: String, value: String, kind: String, link: String?)
        /// A value with others in it, which follow.
        case beginning(label: String, size: String, isOpen: Bool)
        /// The end of the last beginning.
        case end
    }
}

extension ValueTree.Part: MustacheParent {
    func child(named name: String) -> Any? {
        switch (name, self) {
        case ("isLeaf", .leaf), ("isBranch", .beginning), ("isEnd", .end): true
        case ("label", .leaf(let label, _, _, _)), ("label", .beginning(let label, _, _)): label
        case ("value", .leaf(_, let value, _, _)), ("value", .beginning(_, let value, _)): value
        case ("kind", .leaf(_, _, let kind, _)): kind
        case ("link", .leaf(_, _, _, let link?)): link
        case ("isOpen", .beginning(_, _, let isOpen)): isOpen
        // What is false is looked for in this part alone, and not in what stands around it.
        default: false
        }
    }
}
