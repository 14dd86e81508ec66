import SettleSync

/// Writes a tree as text, from loose to tight: `or`, `and`, comparisons, `add sub`, `mul div mod`,
/// then what needs no parentheses anywhere.
struct ODataWriter {
    /// How tightly a piece of text holds together.
    private enum Rank: Int, Comparable {
        case or, and, comparison, additive, multiplicative, negation, primary

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Piece {
        var text: String
        var rank: Rank
    }

    /// More levels than any condition needs; servers refuse far fewer, and a text from outside that
    /// is made into a condition must not use up the stack.
    private static let depthMax = 100
    /// The longest replacement that servers take in version 3, in characters.
    private static let replacementLengthMax = 99

    private let version: ODataVersion
    private let root: ODataNode
    /// Names that a variable must not have, because columns have them.
    private let taken: Set<String>
    /// The variables of the lambdas around, innermost last.
    private var variables: [(level: Int, name: String)] = []
    private var isInsideReplace = false

    init(version: ODataVersion, root: ODataNode) {
        self.version = version
        self.root = root
        taken = Self.firstNames(root)
    }

    /// The whole tree as text.
    mutating func text() throws(ReplicationError) -> String {
        try piece(root, depth: 1).text
    }

    private mutating func piece(
        _ node: ODataNode, depth: Int
    ) throws(ReplicationError) -> Piece {
        guard depth <= Self.depthMax else {
            throw ReplicationError(
                .misconfigured,
                "A filter is nested more than \(Self.depthMax) levels deep. Join conditions side by "
                    + "side, or use a list of values.")
        }
        switch node {
        case .path(let path):
            return Piece(text: try ODataName.path(path), rank: .primary)
        case .element(let level, let path):
            return Piece(text: try element(level, path), rank: .primary)
        case .arithmetic(let operation, let left, let right):
            return try arithmetic(operation, left, right, depth: depth)
        case .call(let function, let arguments):
            return Piece(text: try call(function, arguments, depth: depth), rank: .primary)
        case .comparison(let comparison, let left, let right):
            let left = try text(of: left, atLeast: .additive, depth: depth)
            let right = try text(of: right, atLeast: .additive, depth: depth)
            return Piece(text: "\(left) \(comparison.rawValue) \(right)", rank: .comparison)
        case .membership(let value, let list):
            return try membership(value, list, depth: depth)
        case .any(let list, let level, let condition):
            return Piece(text: try any(list, level, condition, depth: depth), rank: .primary)
        case .verbatim(let text):
            // What is in it is not known, so it is put in parentheses wherever that may matter.
            return Piece(text: try Self.closed(text), rank: .or)
        case .not(let condition):
            let inner = try text(of: condition, atLeast: .primary, depth: depth)
            return Piece(text: "not \(inner)", rank: .negation)
        case .and(let conditions): return try chain(conditions, "and", .and, depth: depth)
        case .or(let conditions): return try chain(conditions, "or", .or, depth: depth)
        default:
            return Piece(text: try ODataLiteral.text(of: node, version), rank: .primary)
        }
    }

    /// A part of a larger text, in parentheses when it holds together less than it has to.
    private mutating func text(
        of node: ODataNode, atLeast rank: Rank, depth: Int
    ) throws(ReplicationError) -> String {
        let piece = try piece(node, depth: depth + 1)
        return piece.rank < rank ? "(\(piece.text))" : piece.text
    }

    /// A condition that ends where it seems to, whatever stands around it.
    private static func closed(_ text: String) throws(ReplicationError) -> String {
        var depth = 0
        var isQuoted = false
        for byte in text.utf8 where depth >= 0 {
            switch byte {
            case UInt8(ascii: "'"): isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted: depth -= 1
            default: break
            }
        }
        guard depth == 0, !isQuoted, text.contains(where: { !$0.isWhitespace }) else {
            throw ReplicationError(
                .misconfigured,
                "A filter in the server's words is empty, or has a parenthesis or a quotation mark "
                    + "that is not closed. Write it like \"population gt 1000 and name ne 'it''s'\"."
            )
        }
        return text
    }

    private mutating func chain(
        _ conditions: [ODataNode], _ word: String, _ rank: Rank, depth: Int
    ) throws(ReplicationError) -> Piece {
        var texts: [String] = []
        texts.reserveCapacity(conditions.count)
        for condition in conditions {
            texts.append(try text(of: condition, atLeast: rank, depth: depth))
        }
        return Piece(text: texts.joined(separator: " \(word) "), rank: rank)
    }

    private mutating func arithmetic(
        _ operation: ODataNode.Arithmetic, _ left: ODataNode, _ right: ODataNode, depth: Int
    ) throws(ReplicationError) -> Piece {
        let isAdditive = operation == .add || operation == .sub
        let rank = isAdditive ? Rank.additive : .multiplicative
        // Operators of one rank go from left to right, so the right side needs to be tighter.
        let tighter = isAdditive ? Rank.multiplicative : .negation
        let left = try text(of: left, atLeast: rank, depth: depth)
        let right = try text(of: right, atLeast: tighter, depth: depth)
        return Piece(text: "\(left) \(operation.rawValue) \(right)", rank: rank)
    }

    private mutating func membership(
        _ value: ODataNode, _ list: [ODataNode], depth: Int
    ) throws(ReplicationError) -> Piece {
        // Nothing is in an empty list, which neither version can write.
        if list.isEmpty { return Piece(text: "1 eq 0", rank: .comparison) }
        guard version == .v4 else {
            let comparisons = list.map { ODataNode.comparison(.eq, value, $0) }
            if comparisons.count == 1 { return try piece(comparisons[0], depth: depth) }
            return try chain(comparisons, "or", .or, depth: depth)
        }
        let left = try text(of: value, atLeast: .additive, depth: depth)
        var texts: [String] = []
        for element in list {
            texts.append(try text(of: element, atLeast: .additive, depth: depth))
        }
        return Piece(text: "\(left) in (\(texts.joined(separator: ",")))", rank: .comparison)
    }

    private mutating func call(
        _ function: ODataNode.Function, _ arguments: [ODataNode], depth: Int
    ) throws(ReplicationError) -> String {
        let wasInsideReplace = isInsideReplace
        defer { isInsideReplace = wasInsideReplace }
        if function == .replace, version == .v3 { try checkReplacing(arguments) }
        var texts: [String] = []
        for argument in arguments {
            texts.append(try piece(argument, depth: depth + 1).text)
        }
        guard function == .contains, version == .v3 else {
            return "\(function.rawValue)(\(texts.joined(separator: ",")))"
        }
        // The older function wants the part first and the whole behind it.
        return "substringof(\(texts.reversed().joined(separator: ",")))"
    }

    private mutating func checkReplacing(
        _ arguments: [ODataNode]
    ) throws(ReplicationError) {
        guard !isInsideReplace, case .text(let replacement) = arguments[2],
            replacement.utf16.count <= Self.replacementLengthMax
        else {
            throw ReplicationError(
                .misconfigured,
                "A filter replaces inside of replacing, or with something else than a constant of "
                    + "less than \(Self.replacementLengthMax + 1) characters, which servers of the "
                    + "older protocol refuse.")
        }
        isInsideReplace = true
    }

    // MARK: Lists

    private mutating func any(
        _ list: ODataNode, _ level: Int, _ condition: ODataNode?, depth: Int
    ) throws(ReplicationError) -> String {
        switch list {
        case .path, .element: break
        default:
            throw ReplicationError(
                .misconfigured,
                "A filter looks for elements in something that is computed; only a column, or a "
                    + "member of one, can be a list.")
        }
        let path = try piece(list, depth: depth + 1).text
        guard let condition else { return "\(path)/any()" }
        let name = freeName()
        variables.append((level, name))
        let inner = try piece(condition, depth: depth + 1).text
        variables.removeLast()
        return "\(path)/any(\(name): \(inner))"
    }

    private func element(_ level: Int, _ path: String?) throws(ReplicationError) -> String {
        guard let variable = variables.last(where: { $0.level == level }) else {
            throw ReplicationError(
                .misconfigured,
                "A filter uses an element outside of the 'any' that it comes from.")
        }
        guard let path else { return variable.name }
        return "\(variable.name)/\(try ODataName.path(path, isBelow: true))"
    }

    /// `c`, or the first of `c1`, `c2` … that no column and no variable around is called.
    private func freeName() -> String {
        var name = "c"
        var number = 0
        while taken.contains(name) || variables.contains(where: { $0.name == name }) {
            number += 1
            name = "c\(number)"
        }
        return name
    }

    /// The first names of all paths in the tree.
    private static func firstNames(_ root: ODataNode) -> Set<String> {
        var names: Set<String> = []
        // A stack of its own: the tree's depth has not been looked at yet.
        var nodes = [root]
        while let node = nodes.popLast() {
            if case .path(let path) = node {
                names.insert(String(path.prefix { $0 != "/" }))
            }
            nodes += node.children
        }
        return names
    }
}
